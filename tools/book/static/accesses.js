// Where the accesses go: a small product, access by access, with a cache (or a warp's sectors and banks) of the reader's size.
"use strict";
const accesses = (() => {
  const bytes = 4, sector = 32, lanes = 32;  // of a number in f32, of a GPU's sector, of a warp

  // [orders] Each gives its accesses: a matrix, a row, a column, and whether it is written.
  const orders = {
    "01 ijk": function* ({ n }) {
      for (let i = 0; i < n; ++i)
        for (let j = 0; j < n; ++j) {
          yield ["C", i, j];
          for (let p = 0; p < n; ++p) yield ["A", i, p], yield ["B", p, j];
          yield ["C", i, j, true];
        }
    },
    "02 jki": function* ({ n }) {
      for (let j = 0; j < n; ++j)
        for (let p = 0; p < n; ++p) {
          yield ["B", p, j];
          for (let i = 0; i < n; ++i) yield ["A", i, p], yield ["C", i, j], yield ["C", i, j, true];
        }
    },
    "02 ikj": function* ({ n }) { yield* ikj(0, 0, 0, n, n); },
    "03 tiled": function* ({ n, tile }) {
      for (let i = 0; i < n; i += tile)
        for (let p = 0; p < n; p += tile)
          for (let j = 0; j < n; j += tile) yield* ikj(i, p, j, tile, n);
    },
    "05 a 4 × 4 tile in registers": function* ({ n }) {
      for (let j = 0; j < n; j += 4)
        for (let i = 0; i < n; i += 4) {
          const tile = function* (written) {
            for (let r = i; r < Math.min(i + 4, n); ++r) for (let c = j; c < Math.min(j + 4, n); ++c) yield ["C", r, c, written];
          };
          yield* tile(false);
          for (let p = 0; p < n; ++p) {
            for (let r = i; r < Math.min(i + 4, n); ++r) yield ["A", r, p];
            for (let c = j; c < Math.min(j + 4, n); ++c) yield ["B", p, c];
          }
          yield* tile(true);
        }
    },
  };
  function* ikj(i0, p0, j0, tile, n) {
    for (let i = i0; i < Math.min(i0 + tile, n); ++i)
      for (let p = p0; p < Math.min(p0 + tile, n); ++p) {
        yield ["A", i, p];
        for (let j = j0; j < Math.min(j0 + tile, n); ++j) yield ["B", p, j], yield ["C", i, j], yield ["C", i, j, true];
      }
  }

  // [warps] 32 warps of a 32 × 32 product: a warp's access to global memory, or "sA", "sB" to a tile in shared memory.
  const all = (matrix, at, written) => [matrix, Array.from({ length: lanes }, (_, lane) => at(lane)), written];
  const element = (row, column) => function* () {  // a thread for each element of C; row and column by warp and lane
    for (let w = 0; w < lanes; ++w) {
      yield all("C", l => [row(w, l), column(w, l)]);
      for (let p = 0; p < lanes; ++p) yield all("A", l => [row(w, l), p]), yield all("B", l => [p, column(w, l)]);
      yield all("C", l => [row(w, l), column(w, l)], true);
    }
  };
  const warps = {
    "07 uncoalesced": element((w, l) => l, (w, l) => w),
    "07 coalesced": element((w, l) => w, (w, l) => l),
    "08 shared": function* () {  // one tile of 32 × 32; between the three parts the block's warps wait for each other
      for (let w = 0; w < lanes; ++w) {
        yield all("C", l => [w, l]);
        for (const of of ["A", "B"]) yield all(of, l => [w, l]), yield all("s" + of, l => [w, l], true);
      }
      for (let w = 0; w < lanes; ++w) for (let q = 0; q < lanes; ++q) yield all("sA", () => [w, q]), yield all("sB", l => [q, l]);
      for (let w = 0; w < lanes; ++w) yield all("C", l => [w, l], true);
    },
  };

  // [cache] The least recently used line of a set gives way. A line is its number in memory, where A, B and C follow each other.
  class Product {
    constructor(order, given) {
      this.gpu = order in warps;
      Object.assign(this, given, this.gpu ? { n: lanes, line: sector / bytes } : {});
      this.whole = Math.ceil(this.n * this.n * bytes / 64) * 64 / bytes;  // each matrix begins at a multiple of 64 bytes
      this.steps = this.gpu ? warps[order]() : orders[order](this);
      this.sets = Array.from({ length: Math.max(1, this.lines / (this.ways || this.lines)) }, () => []);
      this.counts = { A: [0, 0], B: [0, 0], C: [0, 0], shared: [0, 0] };
      this.done = 0, this.last = null;
    }
    at(matrix, row, column) { return "ABC".indexOf(matrix) * this.whole + row * this.n + column; }
    lineOf(matrix, row, column) { return Math.floor(this.at(matrix, row, column) / this.line); }
    holds(line) { return this.sets[line % this.sets.length].includes(line); }
    touch(line) {  // whether it is a hit, and which line gives way
      const set = this.sets[line % this.sets.length], found = set.indexOf(line);
      if (found >= 0) set.splice(found, 1);
      set.unshift(line);
      return { hit: found >= 0, gone: set.length > this.lines / this.sets.length ? set.pop() : null };
    }
    step() {  // the next access, with what it finds; null at the end
      const next = this.steps.next();
      if (next.done) return null;
      const [matrix, ...where] = next.value, count = this.counts[matrix] || this.counts.shared;
      ++this.done, ++count[0];
      if (!this.gpu) {
        const [row, column, written] = where, line = this.lineOf(matrix, row, column);
        this.last = { matrix, cells: [[row, column]], written, line, ...this.touch(line) };
        count[1] += !this.last.hit;
      } else if (count === this.counts.shared) {  // words of one bank come one after the other; the same word comes once
        const words = [...new Set(where[0].map(([row, column]) => row * lanes + column))];
        const banks = words.reduce((of, word) => (++of[word % lanes], of), new Array(lanes).fill(0));
        this.last = { matrix: matrix[1], cells: where[0], written: where[1], banks, took: Math.max(...banks) };
        count[1] += this.last.took;
      } else {
        const sectors = new Set(where[0].map(cell => this.lineOf(matrix, ...cell)));
        this.last = { matrix, cells: where[0], written: where[1], sectors, took: sectors.size };
        count[1] += sectors.size;
      }
      return this.last;
    }
  }
  const count = (order, given) => {
    const product = new Product(order, given);
    while (product.step());
    return product.counts;
  };

  // [page]
  const defaults = { n: 12, line: 4, lines: 16, ways: 0, tile: 4 };
  const choices = {
    n: ["n", [4, 8, 12, 16, 24, 32]], line: ["numbers in a line", [2, 4, 8, 16]], lines: ["lines in the cache", [4, 8, 16, 32, 64, 128]],
    ways: ["lines in a set (ways)", [1, 2, 4, 0]], tile: ["tile", [2, 4, 8, 16]],
  };
  function show(root) {
    root.textContent = "";
    const make = (tag, parent, text = "", more = {}) => parent.appendChild(Object.assign(document.createElement(tag), { textContent: text }, more));
    let product, playing = null;
    const form = make("form", root, "", { className: "controls", onsubmit: event => event.preventDefault() });
    const select = (name, values, words) => {
      const of = make("select", make("label", form, name + " "));
      values.forEach((value, at) => make("option", of, words ? words[at] : value, { value }));
      of.onchange = start;
      return of;
    };
    const order = select("order", [...Object.keys(orders), ...Object.keys(warps)]);
    const inputs = {};
    for (const [name, [words, values]] of Object.entries(choices)) {
      inputs[name] = select(words, values, values.map(of => of || "all"));
      inputs[name].value = defaults[name];
    }
    const buttons = make("p", root, "", { className: "controls" });
    const press = (text, does) => make("button", buttons, text, { type: "button", onclick: does });
    press("Step", () => (stop(), step()));
    const play = press("Play", () => playing ? stop() : (playing = setInterval(step, 120), play.textContent = "Pause"));
    press("100 steps", () => (stop(), step(100)));
    press("To the end", () => (stop(), step(Infinity)));
    press("Start again", () => start());
    const says = make("p", root, "", { className: "says" });
    says.setAttribute("role", "status");
    const grids = make("div", root, "", { className: "grids" }), canvases = {};
    for (const name of ["A", "B", "C"]) {
      const figure = make("figure", grids);
      canvases[name] = make("canvas", figure, "", { width: 480, height: 480 });
      canvases[name].setAttribute("role", "img");
      make("figcaption", figure, name);
    }
    const legend = make("p", root, "", { className: "soft" });
    const table = make("table", make("div", root, "", { className: "table-wrapper" }), "", { className: "docutils" });

    function stop() { clearInterval(playing), playing = null, play.textContent = "Play"; }
    function start() {
      stop();
      product = new Product(order.value, Object.fromEntries(Object.entries(inputs).map(([name, of]) => [name, Number(of.value)])));
      for (const [name, of] of Object.entries(inputs)) of.disabled = product.gpu || (name === "tile" && !order.value.startsWith("03"));
      legend.textContent = product.gpu
        ? "A step is an access of a warp's 32 lanes (strong); faint are the rest of the sectors of 32 bytes that it fetches. The matrices are 32 × 32."
        : "Strong: the number accessed. Faint: what the cache holds. Red: what has just given way.";
      draw();
    }
    function step(times = 1) {
      let at = 0;
      while (at < times && product.step()) ++at;
      if (at < times) stop();
      draw(at < times);
    }
    function sentence(ended) {
      const of = product.last;
      if (!of) return "Nothing has been accessed yet.";
      const does = of.written ? "writes" : "reads", many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
      const name = line => {
        const at = line * product.line, matrix = "ABC"[Math.floor(at / product.whole)], within = at % product.whole;
        return `${matrix}(${Math.floor(within / product.n)}, ${within % product.n}…)`;
      };
      const where = ([row, column]) => `${of.matrix}(${row}, ${column})`;
      let text = `Access ${product.done} ${does} ${where(of.cells[0])}: ${of.hit ? "a hit" : "a miss"}`;
      if (of.gone !== null && !of.hit) text += `; the line of ${name(of.gone)} gives way`;
      if (product.gpu) text = `A warp ${does} ${where(of.cells[0])} to ${where(of.cells[lanes - 1])}` + (of.banks ? " in shared memory: " : ": ") +
        many(of.took, of.banks ? "wavefront" : "sector");
      return text + (ended ? ". That was the last access." : ".");
    }
    function draw(ended = false) {
      const style = getComputedStyle(root), colour = name => style.getPropertyValue("--" + name), of = product.last, { n } = product;
      for (const [name, canvas] of Object.entries(canvases)) {
        const pen = canvas.getContext("2d"), size = canvas.width / n, now = of && of.matrix === name && !ended ? of : null;
        const fill = (row, column) => pen.fillRect(column * size + 0.5, row * size + 0.5, size - 1, size - 1);
        pen.clearRect(0, 0, canvas.width, canvas.height);
        for (let row = 0; row < n; ++row)
          for (let column = 0; column < n; ++column) {
            const line = product.lineOf(name, row, column);
            const held = product.gpu ? now && now.sectors && now.sectors.has(line) : product.holds(line);
            pen.fillStyle = colour(of && !product.gpu && !of.hit && of.gone === line ? "gone" : held ? "held" : "empty");
            fill(row, column);
          }
        pen.fillStyle = colour("now");
        if (now) now.cells.forEach(cell => fill(...cell));
        canvas.setAttribute("aria-label", `${name}, ${n} × ${n}` + (now ? `: ${sentence()}` : ""));
      }
      says.textContent = sentence(ended);
      table.textContent = "";
      const heads = product.gpu ? ["", "accesses of warps", "sectors, or wavefronts"] : ["", "accesses", "misses", "misses an access"];
      const line = (tag, cells, row = make("tr", table)) => cells.forEach(text => make(tag, row, text));
      line("th", heads);
      const rows = Object.entries(product.counts).filter(([name]) => product.gpu || name !== "shared");
      const sum = rows.filter(([name]) => name !== "shared").reduce((sums, [, of]) => sums.map((at, of_) => at + of[of_]), [0, 0]);
      for (const [name, [did, cost]] of [...rows, ["A, B and C", sum]])
        line("td", [name, did, cost, ...(product.gpu ? [] : [did ? (cost / did).toFixed(3) : "–"])]);
    }
    start();
  }
  document.querySelectorAll("#accesses").forEach(show);
  return { count, orders: Object.keys(orders), warps: Object.keys(warps) };
})();
