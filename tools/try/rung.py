"""A rung: what rungs.ini says of it, the learner's file, and the programs that are made of it."""
import configparser, contextlib, fcntl, filecmp, os, re, shutil, subprocess
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

from process import ROOT, run
from measured import Refusal
from notes.fragments import fragment

MINE = Path(os.environ.get("COURSE_MINE", ROOT / "mine")).resolve()  # tests have one of their own
STUB = "// your code"
SOURCES = ".cpp", ".hpp", ".cu", ".cuh", ".inc"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


@contextlib.contextmanager
def alone(folder):
    """Nobody else is in this folder meanwhile: another terminal's rungs.py waits here."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def configured(build, like, *options):
    """Configures one more build folder, once, with the compiler and the flags of the folder `like`,
    but for these options."""
    if (build / "build.ninja").exists():
        return
    cache = (like / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    cache = dict(re.findall(r"(?m)^(\w+):\w+=(.*)$", cache))
    names = "BUILD_TYPE CXX_COMPILER CXX_FLAGS CUDA_ARCHITECTURES".split()
    names = [f"CMAKE_{name}" for name in names] + ["COURSE_USE_NVCC", "FETCHCONTENT_BASE_DIR"]
    words = [f"-D{name}={cache[name]}" for name in names if name in cache]
    words += ["-DBUILD_TESTING=OFF", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", *options]
    build.mkdir(parents=True, exist_ok=True)
    done = run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *words], 600, writes=build)
    if done.status != 0:
        raise Refusal(f"cmake: {done.err.strip()}")


def load_rungs(build):
    """{name: rung}, in reading order."""
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(Path(__file__).with_name("rungs.ini"), encoding="utf-8")
    rungs = {}
    for name in ini.sections():
        step, _, short = name.partition("/")
        of = dict.fromkeys("declaration options include solution call hint".split(), "")
        of |= {"step": step, "variant": short, "n": "512"} | dict(ini[name])
        short = of["variant"] if of["call"] else short  # it takes the variant's place
        of = {"fragment": short, "function": short} | of
        of["declaration"] = re.sub(r"(?m)^\|", "", of["declaration"])  # the | keeps an indentation
        rungs[name] = Rung(name=name, build=build, warnings=set(), **of)
    return rungs


def body_of(lines, function):
    """(first, last): the lines of the function's braces."""
    called = re.compile(rf"( *)(?!//)\S.*\b{function}\(")
    head = next(i for i, line in enumerate(lines) if called.match(line))
    end = called.match(lines[head])[1] + "}"
    first = next(i for i in range(head, len(lines)) if lines[i].endswith("{"))
    return first, next(i for i in range(first, len(lines)) if lines[i] == end)


class Rung(SimpleNamespace):
    """Its members are rungs.ini's, and `build`, the course's build folder."""

    @property
    def on_gpu(self):
        return self.file.endswith(".cuh")

    @property
    def on_ranks(self):
        return self.step == "06_mpi"

    @property
    def threaded(self):
        return "--threads" in self.options

    def option(self, name):
        """What rungs.ini says of it, or nothing."""
        words = self.options.split()
        return words[words.index(name) + 1] if name in words else ""

    # ---- the learner's file ----

    @property
    def path(self):
        return MINE / f"{self.name}.{'cu' if self.on_gpu else 'cpp'}"

    @property
    def place(self):
        """The course's file in which the kernel stands, from its root: the step's, or another."""
        in_step = Path(self.step) / self.file
        return in_step if (ROOT / in_step).exists() else Path(self.file)

    @property
    def shown(self):
        return f"mine/{self.path.relative_to(MINE)}"

    @property
    def text(self):
        """What the learner has written; a byte that is not UTF-8 is the compiler's to judge."""
        return self.path.read_text(encoding="utf-8", errors="replace")

    def model(self):
        """The course's own lines: what the learner writes."""
        name, _, part = self.solution.partition("#")
        file = Path(self.step) / name if name else self.place
        return fragment(ROOT / file, part or self.fragment)

    @property
    def written(self):
        """The name of the function that the learner writes."""
        return "mine" if self.declaration else self.solution.partition("#")[2] or self.function

    def includes(self):
        return [f"#include {header}" for header in self.include.split("\n") if header]

    def stub(self):
        """The learner's file before anything is written: declaration and comment stay, the body
        goes."""
        about = f"// {self.name}: {self.idea}\n"
        about += f"// Save, and `make try RUNG={self.name}` says whether it is right.\n"
        if self.declaration:
            return f"{about}\n{self.declaration}\n"
        lines = self.model()
        first, last = body_of(lines, self.written)
        text = [f"// Stuck? `make hint RUNG={self.name}`", "", *self.includes()]
        text += [*[""] * bool(self.include), *lines[: first + 1], f"  {STUB}", *lines[last:], ""]
        return about + "\n".join(text)

    # ---- its programs ----

    @property
    def program(self):
        """The name of the step's program for this processor, if there is one; else the plain."""
        plan = (self.build / "programs.txt").read_text(encoding="utf-8")
        return self.step + "-native" * (f"\n{self.step}-native " in plan)

    @property
    def course(self):
        """The step's own program, which child.cpp runs."""
        return self.build / "try/programs" / f"try-{self.program}"

    @property
    def target(self):
        return f"try-{self.name.replace('/', '-')}"

    @property
    def folder(self):
        """Where the learner's file stands, among the course's."""
        return self.build / "try" / self.name

    def has_gpu(self):
        if os.environ.get("CUDA_VISIBLE_DEVICES") == "" or not shutil.which("nvidia-smi"):
            return False
        built = (self.build / "build.ninja").read_text(encoding="utf-8", errors="replace")
        return f"/{self.step}-gpu.dir/" in built and output_of("nvidia-smi", "-L").returncode == 0

    @cached_property
    def emulated(self):
        return self.on_gpu and not self.has_gpu()

    def overlay(self):
        """Writes the course's file in which the fragment is the learner's, among copies of the rest of
        its folder and of the step's. Of links ccache with a base_dir compiles the course's own."""
        for source in {*(ROOT / self.step).rglob("*.*"), *(ROOT / self.place).parent.rglob("*.*")}:
            copy = self.folder / source.relative_to(ROOT)
            if source.suffix not in SOURCES or source == ROOT / self.place:
                continue
            if not (copy.exists() and filecmp.cmp(source, copy)):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)
        lines = (ROOT / self.place).read_text(encoding="utf-8").split("\n")
        marks = [f"// [{slash}{self.fragment}]" for slash in ("", "/")]
        first, last = ([line.strip() for line in lines].index(mark) for mark in marks)
        headers = re.findall(r"^#include .*", self.text, re.M)  # outside of the namespace
        own = [f'#include "{self.path}"']
        if self.call:  # an exercise: its function is called in the place of the variant's body
            part = lines[first + 1 : last]
            head, end = body_of(part, self.function)
            own += [*part[: head + 1], f"  {self.call};", *part[end:]]
        text = "\n".join([*headers, *lines[:first], *own, *lines[last + 1 :]])
        file = self.folder / self.place
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")

    def raced_by(self, clang):
        """The same rung in a build folder of clang's, watched by the thread sanitizer; gcc's OpenMP
        does not tell it of barriers."""
        build, flags = self.build / "try/races", "-O1 -gline-tables-only -fsanitize=thread"
        options = f"-DCMAKE_CXX_COMPILER={clang}", f"-DCMAKE_CXX_FLAGS={flags}"
        plain = "-DCMAKE_BUILD_TYPE=Sanitize", "-DCOURSE_USE_NVCC=OFF"
        configured(build, self.build, *options, *plain)
        return Rung(**vars(self) | {"build": build})

    def compiled(self, twin=""):
        """A program, or nothing and what the compiler says of the learner's file. The twins are
        `-debug`, with the address sanitizer, and `-report`, the step's own with the learner's
        kernel."""
        self.overlay()
        name = self.target + twin
        with alone(self.build):
            words = ["env", "LC_ALL=C.UTF-8", "ninja", "-C", self.build, name]
            done = run(words, patience=600, writes=self.build)
        if done.status != 0:
            return None, self.first_error(done.out + done.err)
        at = rf"{re.escape(str(self.path))}:(\d+):\d+: warning: (.*?)( \[-W|$)"
        self.warnings |= {f"line {line}: {what}" for line, what, _ in re.findall(at, done.out)}
        return self.build / "try/programs" / name, ""

    def first_error(self, text):
        """The first error in the learner's file, with the lines that show it; else the first one."""
        lines, at = text.split("\n"), f"{self.path}:"
        errors = [i for i, line in enumerate(lines) if re.search("error|undefined reference", line)]
        own = [i for i in errors if lines[i].startswith(at)]
        first = next(iter(own or errors), 0)
        said = "\n".join(lines[first : first + 3])
        for folder, shown in ((MINE, "mine/"), (self.folder, ""), (ROOT, "")):
            said = said.replace(f"{folder}/", shown)
        return said
