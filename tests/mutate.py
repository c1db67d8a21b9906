#!/usr/bin/env python3
"""Changes the course at places that nobody chose, a line at a time, and sees whether a test notices.

    tests/mutate.py [--count N]        (`make mutate COUNT=N`) until N mutants of the run are judged (default: 200)
      --fresh                          begin a new run at HEAD, even if the last one is not finished
      --jobs N                         mutants at a time (default: the cores)
    tests/mutate.py --report           the table by area and rule, and what survived; builds nothing

A mutant is one change by rule: a bound (< becomes <=), an operator (+ becomes -), a constant (one more), a statement dropped,
two neighbouring arguments swapped. Which one is drawn from the commit at which the run begins, its first eight hex digits:
nobody can tune to it. The course as it was at that commit is what is changed, so a run goes on where it was stopped, whatever
has been written since. Three of four are from `steps` (common, runner, the steps), the others from `rest`: rivals, the emulator,
the tools and Makefile.report.

The tests are taken program by program, the cheapest first: what they need is built; if that left their programs as they were,
they are not run; the first red one ends it. Tests that compare text (house.*) do not count. Each result is written to
build-mutate/mutants.csv at once: killed (by which test), survived, or stillborn (does not build, or changes nothing that is
built; another is drawn for it). Whoever finds that no test can tell a survivor from the original writes `equivalent` for
`survived`, and the reason into the last column.

Exit status: 0 the run is finished, or the report is printed; 1 the course is red before any change; 2 the command line."""
import argparse, collections, concurrent.futures, csv, io, json, os, random, re, shutil, signal, subprocess, sys, tarfile, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build-mutate"
RESULTS = FOLDER / "mutants.csv"
Mutant = collections.namedtuple("Mutant", "seed number area file line rule old new result by seconds reason")
STEPS = re.compile(r"(common|runner|gpu(?!/emulator)|0\d_\w+|1\d_\w+)/[\w/]+\.(cpp|hpp|cu|cuh)")
REST = re.compile(r"(rivals|gpu/emulator)/[\w/]+\.(cpp|hpp|py)|tools/\w+\.py|0\d_\w+/[\w/]+\.py|Makefile\.report")
# Wrong on purpose, tests themselves, made by a tool, or run on a GPU alone; and tools that look at texts only.
LEFT_OUT = re.compile(r"broken\.|exercises|test\.cpp$|_test|lines\.cpp|00_machine/.*(gpu|mma)|cublas|choices\.inc|search\.cu"
                      r"|tools/(includes|notes)")
TEXTUAL = re.compile(r"house\.(?!(cachegrind|notes)_tool).*")

# What a rule does to a line: (pattern, replacement by what matched). A whole match is replaced.
SWAPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == "}
OPERATORS = {" + ": " - ", " - ": " + ", " * ": " + ", " / ": " * ", " % ": " / ", " && ": " || ", " || ": " && ", " += ": " -= ",
             " -= ": " += ", " *= ": " += ", " and ": " or ", " or ": " and ", " // ": " * "}


def drop(text, line):
    """A statement that fills its line, or nothing: no declaration, no jump, nothing that goes on elsewhere."""
    code = text.strip()
    if any(text.count(left) != text.count(right) for left, right in ("()", "[]", "{}")):
        return None
    if line.python:
        wanted = re.match(r"[\w.\[\]\"']+(\(| [-+*/|]?= )", code) and not re.match(r"(def|class|if|for|while|return|with|raise|import|from)\b", code)
        return text[:len(text) - len(text.lstrip())] + "pass" if wanted and not line.goes_on else None
    if line.make:
        return "\t@true" if text.startswith("\t") and not line.goes_on else None
    declared = r"(return|using|break|continue|throw|static|const|constexpr|auto|typedef|template|namespace|friend|else|case|struct|class)\b"
    wanted = code.endswith(";") and re.match(r"(\+\+|--|[\w:.\->\[\]()*]+(\(| [-+*/|&^]?= ))", code) and not re.match(declared, code)
    declaration = re.match(r"[\w:<>,*& ]+ [\w]+( = |;|\{|\()", code) and not re.match(r"[\w.\->\[\]()]+ [-+*/|&^]?= ", code)
    return text[:len(text) - len(text.lstrip())] + ";" if wanted and not declaration and not line.goes_on else None


Line = collections.namedtuple("Line", "python make goes_on")
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?![\w.\"'])")
ARGUMENTS = re.compile(r"(?<=[\w>\]]\()([\w.\->]+), ([\w.\->]+)(?=[,)])|(?<=, )([\w.\->]+), ([\w.\->]+)(?=[,)])")


def without_text(line, python):
    """The line with strings and comments blanked, so that places stay where they are."""
    blank = lambda found: found[0][0] + " " * (len(found[0]) - 2) + found[0][-1] if len(found[0]) > 1 else found[0]
    line = re.sub(r'"(?:[^"\\]|\\.)*"' + (r"|'(?:[^'\\]|\\.)*'" if python else r"|'(?:[^'\\]|\\.)'"), blank, line)
    return re.sub(r"#.*" if python else r"//.*", lambda found: " " * len(found[0]), line)


def places(file, content):
    """(rule, line number, first column, old, new) of every change there could be in a file."""
    python, make = file.endswith(".py"), file.startswith("Makefile")
    lines, inside, before = content.splitlines(), False, ""
    for number, line in enumerate(lines, 1):
        quotes = line.count('"""')
        if python and (inside or quotes):
            inside ^= quotes % 2 == 1
            continue
        bare = without_text(line, python or make)
        ended = before == "" or before[-1] in ";{}:" or python or make or before.startswith(("#", "//"))
        goes_on = not ended or (python and before.endswith((",", "(", "[", "{", "\\"))) or (make and (before.endswith("\\") or line.endswith("\\")))
        before = bare.strip() or ("" if not line.strip() else "//")
        if not bare.strip() or (not python and not make and bare.lstrip().startswith("#")) or "static_assert" in bare:
            continue
        if re.match(r"\s*(template\b|using\b|import\b|from\b|class\b|struct\b|namespace\b)", bare):
            continue
        for rule, table in (("bound", SWAPS), ("operator", OPERATORS)):
            for old, new in table.items():
                for found in re.finditer(re.escape(old), bare):
                    yield rule, number, found.start(), old, new
        for found in NUMBER.finditer(bare):
            yield "constant", number, found.start(), found[0], str(int(found[0]) + 1)
        for found in ARGUMENTS.finditer(bare):
            first, second = (part for part in found.groups() if part is not None)
            if first != second and not make:
                yield "swap", number, found.start(), found[0], f"{second}, {first}"
        if (new := drop(bare, Line(python, make, goes_on))) is not None:
            yield "drop", number, 0, line, new


def area_of(file):
    if LEFT_OUT.search(file):
        return None
    return "steps" if STEPS.fullmatch(file) else "rest" if REST.fullmatch(file) else None


def drawn(seed, files):
    """Mutants without end, the same for the same seed: first an area, then a rule, then a place, none of them twice."""
    sites = collections.defaultdict(list)
    for file in sorted(files):
        if area := area_of(file):
            for rule, *place in places(file, files[file][0].decode()):
                sites[area, rule].append((file, *place))
    draw = random.Random(int(seed, 16))
    number = 0
    while any(sites.values()):
        area = draw.choice(("steps", "steps", "steps", "rest"))
        rule = draw.choice(("bound", "operator", "constant", "drop", "swap"))
        if sites[area, rule]:
            file, line, column, old, new = sites[area, rule].pop(draw.randrange(len(sites[area, rule])))
            number += 1
            yield number, area, rule, file, line, column, old, new


def changed(content, line, column, old, new):
    lines = content.decode().splitlines(keepends=True)
    text = lines[line - 1]
    assert text[column:column + len(old)] == old
    lines[line - 1] = text[:column] + new + text[column + len(old):]
    return "".join(lines).encode()


def tree_at(commit):
    """{file: (its bytes, its mode)} of a commit."""
    packed = subprocess.check_output(["git", "-c", "safe.directory=*", "archive", commit], cwd=ROOT)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return {member.name: (archive.extractfile(member).read(), member.mode) for member in archive if member.isfile()}


def known():
    """The mutants of the file, all runs."""
    return [Mutant(**row) for row in csv.DictReader(RESULTS.read_text().splitlines())] if RESULTS.exists() else []


def add(mutant):
    """At once: a line, before the first of which is the header."""
    with RESULTS.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([Mutant._fields, mutant] if file.tell() == 0 else [mutant])
    print(f"{mutant.number} {mutant.file}:{mutant.line} {mutant.rule} '{mutant.old.strip()}' -> '{mutant.new.strip()}': "
          f"{mutant.result} {mutant.by} ({mutant.seconds} s)", flush=True)


# Tests of what is not compiled, by the file; all others are found by what their programs become.
INTERPRETED = [
    (r"tools/cachegrind\.py", r"house\.cachegrind_tool|02_loop_order\.misses|01_naive\.checks|03_tiling\.one_tile"),
    (r"tools/.*", r"report\..*|house\.notes_tool|06_mpi\..*|rivals\..*"),
    (r"rivals/.*\.py", r"rivals\..*"),
    (r"0\d_\w+/.*\.py", r"0\d_.*|report\..*"),
    (r"Makefile\.report", r"report\..*"),
]


class Tree:
    """A copy of the course with a build folder of its own."""

    def __init__(self, path, jobs):
        self.path, self.jobs = path, jobs
        self.env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        # One cache for all copies: paths are taken from the copy's folder on, and which folder it is does not count.
        self.env |= {"CCACHE_DIR": str(path.parent / "ccache"), "CCACHE_BASEDIR": str(path), "CCACHE_NOHASHDIR": "1"}

    def run(self, *command):
        """What was printed, and the exit status."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:  # no pipe: a grandchild that lives on might hold it
            status = subprocess.run(command, cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT).returncode
            said.seek(0)
            return said.read(), status

    def write(self, file, content):
        """Newer than what was built from the old content: the kernel's stamps lag behind the clock, ours does not."""
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ns=(time.time_ns(),) * 2)

    def fill(self, files):
        """Makes it these files, {file: (its bytes, its mode)}, and nothing else. A repository, for what shows the commit."""
        shutil.rmtree(self.path, ignore_errors=True)
        for file, (content, mode) in files.items():
            self.write(file, content)
            (self.path / file).chmod(mode & 0o777)
        # Nothing ever changes in it, or each change would be a commit of its own and what shows the commit compiled anew.
        said, status = self.run("sh", "-c", "git init -q . && git add -A && git -c user.name=x -c user.email=x commit -qm x && "
                                "git ls-files -z | git update-index --assume-unchanged -z --stdin")
        if status != 0:
            sys.exit(said)

    def clone(self, other):
        """Becomes a copy of another tree, with all that is built there, so that a change costs no building but its own. The
        other's path stands in many files, programs and libraries among them: this one's, which is as long, takes its place."""
        there, here = bytes(other.path), bytes(self.path)
        assert len(there) == len(here)
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(other.path, self.path, symlinks=True)
        for path in self.path.rglob("*"):
            if path.is_file() and not path.is_symlink() and there in (content := path.read_bytes()):
                dates = path.stat().st_atime_ns, path.stat().st_mtime_ns
                path.write_bytes(content.replace(there, here))
                os.utime(path, ns=dates)

    def configure(self):
        launcher = "ccache" if shutil.which("ccache") else ""
        said, status = self.run("cmake", "-B", "build", "-DCOURSE_USE_NVCC=OFF", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}")
        if status != 0:
            sys.exit(said)

    def tests(self):
        """{test: what must be built for it}, once all is built."""
        said = self.run("ctest", "--test-dir", "build", "--show-only=json-v1")[0]
        return {test["name"]: targets_of(test["command"], self.path / "build") for test in json.loads(said)["tests"]}

    def build(self, targets):
        """What the compiler said if it failed, with paths from the copy on, which is nowhere else. None: everything."""
        if targets == ():
            return ""
        said, status = self.run("cmake", "--build", "build", "--parallel", str(self.jobs), *(["--target", *targets] if targets else []))
        return "" if status == 0 else said.replace(f"{self.path}/", "") or "the compiler said nothing"

    def test(self, names, patience=600):
        """{test: (Passed, Skipped, Not Run or Failed, seconds)}; one that takes longer than `patience` has failed."""
        said, _ = self.run("ctest", "--test-dir", "build", "--parallel", str(self.jobs), "--timeout", f"{patience:.0f}", "-R",
                           "^(" + "|".join(map(re.escape, names)) + ")$")
        answers = re.findall(r"Test +#\d+: (\S+) \.*(.*?) +([\d.]+) sec$", said, re.M)
        words = ("Passed", "Skipped", "Not Run")
        return {test: (next((word for word in words if word in answer), "Failed"), float(seconds)) for test, answer, seconds in answers}


def targets_of(command, build):
    """What must be built for a test, by its command: the programs, libraries and objects that it names, or, where it is given a
    folder of the build, everything (None)."""
    targets = set()
    for path in (Path(word) for word in command if word.startswith(str(build))):
        if path.is_dir():
            return None
        of_object = re.search(r"CMakeFiles/([^/]+)\.dir/", str(path))
        targets.add(of_object[1] if of_object else re.sub(r"^lib(.*)\.so$", r"\1", path.name))
    return tuple(sorted(targets))


class Run:
    """The course as it was at a commit, built and tested whole on all cores, and copies that are changed, one a worker."""

    def __init__(self, seed, jobs):
        self.seed, self.files = seed, tree_at(seed)
        FOLDER.mkdir(exist_ok=True)
        self.whole = Tree(FOLDER / "00", jobs)
        self.copies = [Tree(FOLDER / f"{number:02}", 1) for number in range(1, jobs + 1)]
        self.sound, self.targets = {}, {}  # {test that passes: its seconds}, {test: what must be built for it}

    def look(self):
        """Builds and tests the course as it is, on all cores; returns the tests that are red."""
        stamp = self.whole.path / "build" / f"{self.seed}.json"
        if not stamp.exists():
            self.whole.fill(self.files)
            self.whole.configure()
            if said := self.whole.build(None):
                sys.exit(f"before any change:\n{said[-3000:]}")
        self.targets = self.whole.tests()
        if not stamp.exists():
            answers = self.whole.test([test for test in self.targets if not TEXTUAL.fullmatch(test)])
            answers |= self.whole.test([test for test, (answer, _) in answers.items() if answer == "Failed"])  # a busy moment
            stamp.write_text(json.dumps(answers))
        answers = json.loads(stamp.read_text())
        self.sound = {test: seconds for test, (answer, seconds) in answers.items() if answer == "Passed"}
        return [test for test, (answer, _) in answers.items() if answer not in ("Passed", "Skipped")]

    def programs(self, copy):
        """{target: when it was linked} of what is executable in a copy."""
        return {path: path.stat().st_mtime_ns for path in (copy.path / "build").rglob("*")
                if path.is_file() and "CMakeFiles" not in path.parts and (os.access(path, os.X_OK) or path.suffix in (".so", ".a"))
                or path.suffix == ".o"}

    def groups(self, file):
        """(targets, tests that need them), the cheapest first."""
        for pattern, tests in INTERPRETED:
            if re.fullmatch(pattern, file):
                chosen = [test for test in self.sound if re.fullmatch(tests, test)]
                own = file.split("/")[0] if file[0].isdigit() else "report"
                return [((), sorted(chosen, key=lambda test: (not test.startswith(f"{own}."), self.sound[test])))]
        of_targets = collections.defaultdict(list)
        for test in self.sound:
            of_targets[self.targets[test]].append(test)
        own = file.split("/")[0]
        def cost(entry):
            targets, tests = entry
            unit = any(target.endswith("_tests") for target in targets or ())
            return (not any(test.split(".")[0].split("-")[0] == own for test in tests), targets is None, not unit,
                    sum(map(self.sound.get, tests)))
        return [(targets, sorted(tests, key=self.sound.get)) for targets, tests in sorted(of_targets.items(), key=cost)]

    def answer(self, copy, file, content):
        """(result, by)"""
        if file.endswith(".py"):
            try:
                compile(content, file, "exec")
            except SyntaxError as error:
                return "stillborn", str(error)
        seen, interpreted = False, file.endswith(".py") or file.startswith("Makefile")
        copy.clone(self.whole)
        copy.write(file, content)
        before = {} if interpreted else self.programs(copy)
        for targets, tests in self.groups(file):
            if said := copy.build(targets):
                if checked := re.search(r"tests/[\w/]+\.cpp(?=:\d+:\d+: error: static assertion)", said):
                    return "killed", checked[0]
                return "stillborn", next((text for text in said.splitlines() if "error" in text.lower()), said)[:200]
            if not interpreted:
                now = self.programs(copy)
                if now == before:
                    continue  # the change is in nothing that these tests run
                before = now
            seen = True
            for at in range(0, len(tests), copy.jobs):
                several = tests[at:at + copy.jobs]
                answers = copy.test(several, 60 + 5 * sum(map(self.sound.get, several)))
                if red := [test for test in several if answers.get(test, ("Failed",))[0] == "Failed"]:
                    return "killed", " ".join(red)
        return ("survived", "") if seen else ("stillborn", "is in nothing that a test runs")

    def judge(self, copy, place):
        """The mutant, judged."""
        number, area, rule, file, line, column, old, new = place
        started = time.monotonic()
        result, by = self.answer(copy, file, changed(self.files[file][0], line, column, old, new))
        return Mutant(self.seed, number, area, file, line, rule, old, new, result, by, f"{time.monotonic() - started:.0f}", "")

    def judge_all(self, places, wanted):
        """So many that are not stillborn, each written down as soon as it is judged."""
        free, at_work = list(self.copies), {}
        with concurrent.futures.ThreadPoolExecutor(len(free)) as pool:
            while True:
                while free and len(at_work) < wanted and (place := next(places, None)):
                    copy = free.pop()
                    at_work[pool.submit(self.judge, copy, place)] = copy
                if not at_work:
                    return
                for ended in concurrent.futures.wait(at_work, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    free.append(at_work.pop(ended))
                    mutant = ended.result()
                    wanted -= mutant.result != "stillborn"
                    add(mutant)


def report(mutants):
    """By area and rule; then what survived, with the line as it was before."""
    if not mutants:
        return
    last = mutants[-1].seed
    mutants = [mutant for mutant in mutants if mutant.seed == last and mutant.result != "stillborn"]
    for area in ("steps", "rest"):
        mine = [mutant for mutant in mutants if mutant.area == area]
        for rule in (None, "bound", "operator", "constant", "drop", "swap"):
            some = [mutant for mutant in mine if rule in (None, mutant.rule)]
            counts = collections.Counter(mutant.result for mutant in some)
            if judged := len(some) - counts["equivalent"]:
                print(f"{area:6} {rule or 'all':9} {judged:4} mutants, {counts['killed']} killed ({counts['killed'] / judged:.0%}), "
                      f"{counts['equivalent']} equivalent")
    files = tree_at(last)
    for mutant in mutants:
        if mutant.result != "killed":
            text = files[mutant.file][0].decode().splitlines()[int(mutant.line) - 1].strip()
            print(f"{mutant.result}: {mutant.file}:{mutant.line} {mutant.rule} '{mutant.old.strip()}' -> '{mutant.new.strip()}' "
                  f"{mutant.reason}\n    {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--jobs", type=int, choices=range(1, 100), metavar="N", default=min(len(os.sched_getaffinity(0)), 99))
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    mutants = known()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `mutate.py --report | head` ends quietly
    if given.report:
        return report(mutants)
    head = subprocess.check_output(["git", "-c", "safe.directory=*", "rev-parse", "HEAD"], cwd=ROOT, text=True)[:8]
    seed = head if given.fresh or not mutants else mutants[-1].seed
    done = {int(mutant.number): mutant for mutant in mutants if mutant.seed == seed}
    wanted = given.count - sum(mutant.result != "stillborn" for mutant in done.values())
    if wanted <= 0:
        return report(mutants)
    run = Run(seed, given.jobs)
    for signum in signal.SIGTERM, signal.SIGHUP:
        signal.signal(signum, lambda number, _: sys.exit(128 + number))  # when the commands at work have ended
    if red := run.look():
        sys.exit(print(f"red before any change: {' '.join(red)}", file=sys.stderr) or 1)
    run.judge_all((place for place in drawn(seed, run.files) if place[0] not in done), wanted)
    report(known())


if __name__ == "__main__":
    sys.exit(main())
