"""A rung: what rungs.ini says of it, the learner's file, and the programs that are made of it."""
import configparser, os, re
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

from process import ROOT, run
from measured import Refusal
from notes.fragments import fragment
from started import locked

MINE = Path(os.environ.get("COURSE_MINE", ROOT / "mine")).resolve()  # tests have one of their own
STUB = "// your code"
SOURCES = ".cpp", ".hpp", ".cu", ".cuh", ".inc"


def alone(folder):
    """While this is open, nobody else is in the folder: another terminal's rungs.py waits here."""
    return locked(folder / "lock", lambda: None)


def configured(build, like, *options):
    """Configures one more build folder, once, with the compiler and the flags of the folder `like`,
    but for these options."""
    if (build / "build.ninja").exists():
        return
    names = "CMAKE_(BUILD_TYPE|CXX_COMPILER|CXX_FLAGS|CUDA_ARCHITECTURES)|COURSE_USE_NVCC"
    names += "|FETCHCONTENT_BASE_DIR"
    cache = (like / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    words = ["BUILD_TESTING=OFF", "FETCHCONTENT_FULLY_DISCONNECTED=ON"]
    words += [line[0] for line in re.finditer(rf"(?m)^({names}):.*", cache)]
    words = [f"-D{word}" for word in [*words, *options]]
    build.mkdir(parents=True, exist_ok=True)
    done = run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *words], 600, writes=build)
    if done.status != 0:
        raise Refusal(f"cmake: {done.err.strip()}")


def load_rungs(build):
    """{name: rung}, in reading order."""
    defaults = dict.fromkeys("declaration options include solution functions call hint".split(), "")
    ini = configparser.ConfigParser(defaults | {"n": "512"}, interpolation=None)
    ini.read(Path(__file__).with_name("rungs.ini"), encoding="utf-8")
    rungs = {}
    for name in ini.sections():
        step, _, short = name.partition("/")
        of = {"step": step, "variant": short} | dict(ini[name])
        short = of["variant"] if of["call"] else short  # it takes the variant's place
        of = {"fragment": short, "function": short} | of
        of["declaration"] = re.sub(r"(?m)^\|", "", of["declaration"])  # the | keeps an indentation
        place = Path(of["step"], of["file"])
        place = place if (ROOT / place).exists() else Path(of["file"])
        rungs[name] = Rung(name=name, build=build, place=place, warnings=set(), **of)
    return rungs


def around_body(text, function):
    """What stands before the lines of a function's body, and after them."""
    begins = rf"( *)(?!//)\S[^\n]*\b{function}\(.*?\{{\n"
    body = re.search(rf"(?ms)^{begins}(.*?)^\1\}}$", text)
    return text[: body.start(2)], text[body.end(2) :]


class Rung(SimpleNamespace):
    """Its members are rungs.ini's, `build`, the course's build folder, and `place`, the file
    in which the kernel stands: one of the step's, or another."""

    on_gpu = property(lambda rung: rung.file.endswith(".cuh"))
    on_ranks = property(lambda rung: rung.step == "06_mpi")
    threaded = property(lambda rung: "--threads" in rung.options)
    # The learner's file, what it is called and has (bytes that are no UTF-8 are the compiler's to
    # judge), and where it stands among the course's.
    path = property(lambda rung: MINE / f"{rung.name}.{'cu' if rung.on_gpu else 'cpp'}")
    text = property(lambda rung: rung.path.read_text(encoding="utf-8", errors="replace"))
    shown = property(lambda rung: f"mine/{rung.path.relative_to(MINE)}")
    folder = property(lambda rung: rung.build / "try" / rung.name)
    # The programs of it, and the step's own, which child.cpp runs.
    target = property(lambda rung: f"try-{rung.name.replace('/', '-')}")
    course = property(lambda rung: rung.build / "try/programs" / f"try-{rung.step}")

    def option(self, name):
        """What rungs.ini says of it, or nothing."""
        words = self.options.split()
        return words[words.index(name) + 1] if name in words else ""

    def model(self):
        """The course's own lines: what the learner writes."""
        name, _, part = self.solution.partition("#")
        file = Path(self.step) / name if name else self.place
        return fragment(ROOT / file, part or self.fragment)

    def includes(self):
        return [f"#include {header}" for header in self.include.split("\n") if header]

    def stub(self):
        """The learner's file before anything is written: declaration and comment stay, the body
        goes."""
        text = f"// {self.name}: {self.idea}\n"
        text += f"// Save, and `make try RUNG={self.name}` says whether it is right.\n"
        if self.declaration:
            return f"{text}\n{self.declaration}\n"
        text += f"// Stuck? `make hint RUNG={self.name}`\n\n"
        text += "".join(f"{line}\n" for line in self.includes()) + "\n" * bool(self.include)
        code = "\n".join(self.model())
        for of in (self.functions or self.solution.partition("#")[2] or self.function).split():
            code = f"  {STUB}\n".join(around_body(code, of))
        return f"{text}{code}\n"

    @cached_property
    def emulated(self):
        """Whether its kernel is for a GPU, and none is here or the course was built for none."""
        built = (self.build / "build.ninja").read_text(encoding="utf-8", errors="replace")
        may = f"/{self.step}-gpu.dir/" in built and os.environ.get("CUDA_VISIBLE_DEVICES") != ""
        there = may and run(["sh", "-c", "nvidia-smi -L"], limited=False).status == 0
        return self.on_gpu and not there

    def overlay(self):
        """Writes the course's file in which the fragment is the learner's, among copies of the rest
        of its folder and of the step's; links would lead ccache away from it."""
        sources = {*(ROOT / self.step).rglob("*.*"), *(ROOT / self.place).parent.rglob("*.*")}
        texts = {of: of.read_text(encoding="utf-8") for of in sources if of.suffix in SOURCES}
        mark = rf"(?m)^ *// \[/?{re.escape(self.fragment)}\]\n"
        before, part, after = re.split(mark, texts[ROOT / self.place])
        headers = re.findall(r"^#include .*", self.text, re.M)  # outside of the namespace
        own = f'#include "{self.path}"\n'
        if self.call:  # an exercise: its function is called in the place of the variant's body
            own += f"  {self.call};\n".join(around_body(part, self.function))
        texts[ROOT / self.place] = "\n".join([*headers, before]) + own + after
        for source, text in texts.items():
            file = self.folder / source.relative_to(ROOT)
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")

    def but(self, **changes):
        """The same rung with other members."""
        return Rung(**vars(self) | changes)

    def raced_by(self, clang):
        """The same rung in a build folder of clang's, watched by the thread sanitizer; gcc's OpenMP
        does not tell it of barriers."""
        build, flags = self.build / "try/races", "-O1 -gline-tables-only -fsanitize=thread"
        options = f"CMAKE_CXX_COMPILER={clang}", f"CMAKE_CXX_FLAGS={flags}"
        configured(build, self.build, *options, "CMAKE_BUILD_TYPE=Sanitize", "COURSE_USE_NVCC=OFF")
        return self.but(build=build)

    def compiled(self, twin=""):
        """A program, or nothing and what the compiler says first of the learner's file. The twins
        are `-debug`, with the address sanitizer, and `-report`, the step's own with the learner's
        kernel."""
        self.overlay()
        name, at = self.target + twin, re.escape(f"{self.path}:")
        with alone(self.build):
            words = ["env", "LC_ALL=C.UTF-8", "ninja", "-C", self.build, name]
            done = run(words, patience=600, writes=self.build)
        said = done.out + done.err
        if done.status == 0:
            warnings = re.findall(rf"{at}(\d+):\d+: warning: (.*?)( \[-W|$)", done.out)
            self.warnings |= {f"line {line}: {what}" for line, what, _ in warnings}
            return self.build / "try/programs" / name, ""
        for error in (rf"{at}.*error", ".*(error|undefined reference)"):
            if found := re.search(rf"(?m)^{error}.*(\n.*){{0,2}}", said):
                said = found[0]
        for folder, shown in ((MINE, "mine/"), (self.folder, ""), (ROOT, "")):
            said = said.replace(f"{folder}/", shown)
        return None, said
