// The roofline by hand: what cost.hpp counts of each rung, and what prediction.cpp makes of it, for a machine that the reader moves.
"use strict";
const roofline = (() => {
  const size = 4, line = 64, levels = ["L1", "L2", "L3", "memory"];  // bytes of a number in f32, and of a cache line

  // [costs] As runner/cost.hpp and the steps': flops, a chain, bytes between core and L1, and what is wanted again after a distance.
  const least = n => ({ flops: 2 * n ** 3, chain: 0, loads: 0,
    reuses: [[2 * n * n * size, 3 * n * n * size], [n * n * size, 3 * n * n * size, true]] });
  const walkDown = (touches, soon, late) => [[touches * line * (1 - size / line), soon], [touches * line * size / line, late]];
  const with_ = (n, loads, reuses, more = {}) => {
    const cost = least(n);
    return { ...cost, loads, reuses: [...cost.reuses, ...reuses], ...more };
  };
  function tiles(n, tile) {
    const t = Math.min(tile, n), all = size * n ** 3;
    return [[all, 2 * t * size, true], [all, (t * t + 2 * t) * size], [all / t, n * n * size], [all / t, 2 * t * n * size, true],
      [all / t, 3 * t * t * size]];
  }
  const costs = {
    ijk: ({ n }) => with_(n, 2 * size * n ** 3,
      [[size * n ** 3, n * (size + line)], ...walkDown(n ** 3, n * (size + line), n * n * size)], { chain: n ** 3 }),
    jki: ({ n }) => with_(n, 3 * size * n ** 3, [[line * n ** 3, 2 * n * line, true], ...walkDown(n ** 3, 2 * n * line, n * n * size)]),
    ikj: ({ n }) => with_(n, 3 * size * n ** 3, [[size * n ** 3, 2 * n * size, true], [size * n ** 3, n * n * size]]),
    tiled: ({ n, tile }) => with_(n, 3 * size * n ** 3, tiles(n, tile)),
    four_by_four: ({ n, tile }) => {
      const of = tiles(n, tile);
      of[0] = [of[0][0] / 4, 8 * size * Math.min(tile, n), true], of[1] = [of[1][0] / 4, of[1][1]];
      return with_(n, 3 * size * n ** 3 / 4, of);
    },
    register_tile: ({ n, mr, nr }) => with_(n, size * (n ** 3 / nr + n ** 3 / mr) + 2 * n * n * size,
      [[size * n ** 3 / mr, n * (mr + nr) * size], [size * n ** 3 / nr, n * n * size]]),
  };
  const numbers = { ijk: "01", jki: "02", ikj: "02", tiled: "03", four_by_four: "03", register_tile: "05" };

  // [predict] Each part of the work overlaps with the others, so the slowest takes all the time.
  function predict(rung, sizes, machine) {
    const cost = costs[rung](sizes), bytes = [cost.loads, 0, 0, 0];
    machine.hold.forEach((holds, l) => {
      for (const [of, distance, changed] of cost.reuses) if (distance > holds) bytes[l + 1] += of * (changed ? 2 : 1);
    });
    const parts = { arithmetic: cost.flops / (machine.peak * 1e9), "chain of additions": cost.chain * machine.latency * 1e-9 };
    levels.forEach((level, l) => parts[level] = bytes[l] / (machine[level] * 1e9));
    const limit = Object.keys(parts).reduce((most, of) => parts[of] > parts[most] ? of : most);
    return { seconds: parts[limit], limit, bytes, flops: cost.flops, rate: cost.flops / parts[limit] / 1e9 };
  }

  // [machine] One core's limits by a machine.csv; of a fact taken again the last counts.
  function machine(text, vector) {
    const [header, ...rows] = text.trim().split("\n").map(row => row.split(",")), found = { hold: [0, 0, 0] };
    for (const cells of rows) {
      const of = Object.fromEntries(header.map((name, at) => [name, cells[at]])), value = Number(of.value);
      if (of.name === "cache" && !of.vector && levels.indexOf(of.level) in found.hold) found.hold[levels.indexOf(of.level)] = value;
      if (of.threads !== "1" || (of.type && of.type !== "f32")) continue;
      if (of.name === "peak" && of.vector === vector) found.peak = value;
      if (of.name === "bandwidth" && of.vector === vector) found[of.level] = value;
      if (of.name === "latency" && !of.vector && of.level === "add") found.latency = value;
    }
    return found;
  }

  // [page]
  const sliders = {  // a name, its unit, least and most, how often it can be moved in a doubling
    n: ["n", "", 32, 8192, 4], tile: ["T, of 03's tiles", "", 4, 1024, 1], mr: ["mr, rows of 05's tile", "", 1, 16, 4], nr: ["nr, its columns", "", 4, 64, 2],
    peak: ["peak", "GFLOP/s", 8, 1024, 8], latency: ["latency of an addition", "ns", 0.125, 4, 8], L1: ["L1", "GB/s", 16, 2048, 8], L2: ["L2", "GB/s", 16, 1024, 8],
    L3: ["L3", "GB/s", 8, 512, 8], memory: ["memory", "GB/s", 4, 512, 8],
    hold0: ["L1 holds", "KiB", 8, 256, 2], hold1: ["L2 holds", "KiB", 64, 8192, 2], hold2: ["L3 holds", "KiB", 1024, 524288, 2],
  };
  const whole = new Set(["n", "tile", "mr", "nr"]);
  const short = value => value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();

  function show(root) {
    const given = JSON.parse(root.dataset.machine), make = (tag, parent, text = "", more = {}) =>
      parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }, more));
    root.textContent = "";
    const form = make("form", root, "", { className: "controls", onsubmit: event => event.preventDefault() });
    const vector = make("select", make("label", form, "registers "));
    for (const [value, text] of [["sse2", "SSE2, 16 bytes"], ["avx2", "AVX2, 32 bytes"], ["avx512", "AVX-512, 64 bytes"]]) make("option", vector, text, { value });
    const file = make("input", make("label", form, "your machine.csv "), "", { type: "file", accept: ".csv" });
    make("button", form, "Start again", { type: "button", onclick: () => start(true) });
    const range = make("div", root, "", { className: "sliders" }), inputs = {};
    for (const [name, [words, unit, low, high, often]] of Object.entries(sliders)) {
      const label = make("label", range, `${words} `), says = make("output", label);
      const of = make("input", label, "", { type: "range", min: Math.log2(low), max: Math.log2(high), step: whole.has(name) ? 1 / often : 0.01 });
      inputs[name] = { get: () => of.exact ?? (whole.has(name) ? Math.round(2 ** of.value) : 2 ** of.value),
        set: value => (of.value = Math.log2(value), of.exact = value, write()) };
      const write = () => {
        says.textContent = `${short(inputs[name].get())} ${unit}`.trim();
        of.setAttribute("aria-valuetext", says.textContent);
      };
      of.oninput = () => (of.exact = undefined, write(), draw());
    }
    const said = make("p", root, "", { className: "soft" }), picture = make("div", root, "", { className: "sideways" });
    const table = make("table", make("div", root, "", { className: "table-wrapper" }), "", { className: "docutils" });
    let text = root.dataset.csv || null;  // of this machine's report
    vector.onchange = () => start();
    file.onchange = async () => (text = file.files.length ? await file.files[0].text() : root.dataset.csv || null, start());

    function start(again = false) {
      if (again) text = root.dataset.csv || null, file.value = "", vector.value = "avx512";
      if (again && text && !machine(text, "avx512").peak) vector.value = machine(text, "avx2").peak ? "avx2" : "sse2";
      const of = text === null ? { ...given.all, ...given[vector.value] } : machine(text, vector.value);
      const lacking = ["peak", "latency", ...levels].filter(name => !(of[name] > 0));
      said.textContent = lacking.length ? `This file has no ${lacking.join(", ")} for these registers; they stay as they were.` : "";
      for (const name of ["peak", "latency", ...levels]) if (of[name] > 0) inputs[name].set(of[name]);
      of.hold.forEach((bytes, l) => bytes > 0 && inputs[`hold${l}`].set(bytes / 1024));
      const lanes = { sse2: 4, avx2: 8, avx512: 16 }[vector.value];
      for (const [name, value] of [["n", 1000], ["tile", 256], ["mr", 6], ["nr", 2 * lanes]]) if (again || name === "nr") inputs[name].set(value);
      draw();
    }
    function draw() {
      const of = Object.fromEntries(Object.entries(inputs).map(([name, { get }]) => [name, get()]));
      of.hold = [0, 1, 2].map(l => of[`hold${l}`] * 1024);
      const rungs = Object.keys(costs).map(name => ({ name: `${numbers[name]} ${name}`, ...predict(name, of, of) }));
      const left = 1 / 64, right = 512, bottom = 1 / 4, top = 1024, width = 640, height = 460, edge = [56, 10, 12, 44];  // as the lessons' roofline
      const along = (value, low, high, from, to) => from + (Math.log(Math.min(Math.max(value, low), high) / low) / Math.log(high / low)) * (to - from);
      const x = value => along(value, left, right, edge[0], width - edge[2]).toFixed(1), y = value => along(value, bottom, top, height - edge[3], edge[1]).toFixed(1);
      const write = (at, down, words, more = "") => `<text x="${at}" y="${down}" ${more}>${words}</text>`;
      const stroke = (x1, y1, x2, y2, more) => `<line x1="${x(x1)}" y1="${y(y1)}" x2="${x(x2)}" y2="${y(y2)}" ${more}/>`;
      let svg = "";
      const heights = [0, 24, 9, 9];  // where a roof has its name
      for (const at of [1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64, 256]) svg += stroke(at, bottom, at, top, 'class="grid"') + write(x(at), height - 26, at < 1 ? `1/${1 / at}` : at, 'text-anchor="middle"');
      for (const at of [1 / 4, 1, 4, 16, 64, 256, 1024]) svg += stroke(left, at, right, at, 'class="grid"') + write(edge[0] - 8, Number(y(at)) + 5, at < 1 ? "1/4" : at, 'text-anchor="end"');
      svg += write((width + edge[0]) / 2, height - 6, "operations for each byte that crosses between L2 and L1", 'text-anchor="middle"') + write(edge[0] + 6, 22, "GFLOP/s");
      levels.forEach((level, l) => {
        const start = Math.max(left, bottom / of[level]), end = Math.min(right, of.peak / of[level]);
        if (l > 0 && end > start) svg += stroke(start, start * of[level], end, end * of[level], `class="roof level${l}"`) + write(Number(x(heights[l] / of[level])) + (l < 2 ? -5 : 7), Number(y(heights[l])) + (l < 2 ? -3 : 12), level, `class="level${l}" text-anchor="${l < 2 ? "end" : "start"}"`);
      });
      svg += stroke(left, of.peak, right, of.peak, 'class="roof"') + write(width - edge[2], Number(y(of.peak)) - 6, `peak ${short(of.peak)}`, 'text-anchor="end"');
      svg += stroke(left, 2 / of.latency, right, 2 / of.latency, 'class="roof chain"') + write(width - edge[2], Number(y(2 / of.latency)) - 6, `one chain of additions ${short(2 / of.latency)}`, 'text-anchor="end"');
      const names = [];  // one below the other where they would meet
      for (const { name, flops, bytes, rate } of [...rungs].sort((a, b) => b.rate - a.rate)) {
        const place = of => [Number(x(of.bytes[1] ? of.flops / of.bytes[1] : right)), Number(y(of.rate))], [at, high] = place({ flops, bytes, rate });
        const beside = rungs.map(place).some(([other, row]) => other > at && other < at + 40 && Math.abs(row - high) < 12);
        const far = beside || at > 0.7 * width;
        let down = high + 5;
        while (names.some(([other, row, left]) => left === far && Math.abs(other - at) < 120 && Math.abs(row - down) < 15)) down += 15;
        names.push([at, down, far]);
        svg += `<circle cx="${at}" cy="${y(rate)}" r="5"/>` + write(at + (far ? -9 : 9), down, name, far ? 'class="name" text-anchor="end"' : 'class="name"');
      }
      const fastest = rungs.reduce((most, rung) => rung.rate > most.rate ? rung : most);
      picture.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="The roofline; the fastest rung is ${fastest.name}, ${short(fastest.rate)} GFLOP/s, limited by ${fastest.limit}">${svg}</svg>`;
      table.textContent = "";
      const row = (tag, cells, parent = make("tr", table)) => cells.forEach(cell => make(tag, parent, cell));
      row("th", ["rung", "predicted, ms", "GFLOP/s", "limit", "L2 to L1, bytes an operation"]);
      for (const { name, seconds, rate, limit, bytes, flops } of rungs) row("td", [name, short(1e3 * seconds), short(rate), limit, short(bytes[1] / flops)]);
    }
    start(true);
  }
  document.querySelectorAll("#roofline").forEach(show);
  return { predict, machine };
})();
