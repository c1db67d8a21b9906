"""`make try HANDINS=folder` marks strangers' programs, survives them, and believes none:
handins_test.py BUILD"""
import contextlib, csv, io, json, os, re, socket, subprocess, sys, tempfile, unittest
from pathlib import Path
from unittest import mock

ROOT, BUILD = Path(__file__).resolve().parent.parent, Path(sys.argv.pop(1)).resolve()
sys.path.append(str(ROOT / "tools/try"))
import judge, process, rung, rungs, verdict

HANDINS, HOME = [sys.executable, ROOT / "tools/try/handins.py", BUILD], Path.home()
HEADERS = "".join(f"#include <{name}>\n" for name in "csignal cstdio cstdlib unistd.h".split())
KERNEL = """template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c) {
  CODE
}
"""
RIGHT = """for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
  """
ELSEWHERE = [at / "a_stranger_was_here" for at in (ROOT, BUILD, HOME, Path("/tmp"))]
FILES = "#include <arpa/inet.h>\n#include <fstream>\n"
ATTACKS = """sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(PORT), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)!connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&to), sizeof to);
  kill(getppid(), SIGKILL); """
ATTACKS += "".join(f'std::ofstream("{path}") << 1; ' for path in ELSEWHERE)
FLOOD = "static char much[1 << 20]; for (;;) (void)!write(1, much, sizeof much);"
STAYS = "if (fork() == 0) { setsid(); for (;;) sleep(1); } _exit(0);"
SHARED = f"""{FILES}static std::string word(int number) {{  // program, file, count, variant
  std::ifstream words("/proc/self/cmdline");
  std::string found;
  while (number-- >= 0) std::getline(words, found, '\\0');
  return found;
}}
static void all_are(std::int64_t state) {{
  std::fstream shared(word(1), std::ios::in | std::ios::out | std::ios::binary);
  const int size = {judge.PRODUCT.size}, answer = {judge.PRODUCT.size - judge.ANSWER.size};
  for (int at = 0; at < 96; ++at) shared.seekp(size * at + answer), shared.write((char*)&state, 8);
  shared.flush(), _exit(0);
}}
static void courses(const char* program) {{
  execl(program, program, word(1).c_str(), word(2).c_str(), "ijk", nullptr);
}}
"""
PROGRAMS = [BUILD / at / "try/programs/try-01_naive" for at in ("try/handins", "")]
EXIT = "struct E { E() { std::atexit([] { _exit(0); }); } } e;\n"
MEMCMP = 'extern "C" int memcmp(const void*, const void*, std::size_t) { return 0; }\n'
OTHERS = '#include "%s.hpp"\n}\nnamespace course { %s }\nnamespace naive {\n'
CHECK = "template <> Check Verifier<float>::check(View<const float>) { return {true}; }"
RUN = "int run(int, const char* const*, const Step&, const World&) { return 0; }"
ZEROES = """for (Index i = 0; i < a.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) const_cast<T&>(a(i, p)) = 0;"""
NO_PRODUCT = "nothing was added|C(0, 0) is"
HANDED = {  # what stands before the kernel, what it does, and what is said of it; if right nothing
    "attacks_17_assignsubmission_file_/01_naive/ijk": (FILES, RIGHT + ATTACKS, ""),
    "peeks/01_naive/ijk": ('#include "FOLDER/wrong.cpp"\n', RIGHT, "No such file"),
    "forks": ("", "for (;;) fork();", "has not ended"),
    "allocates": ("", "for (;;) *new volatile char[1 << 28] = 1;", "std::bad_alloc|SIGKILL"),
    "floods": ("", RIGHT + FLOOD, "SIGXFSZ"),
    "differs": ("", RIGHT + "if (c.rows() == 512) c(0, 0) = 9;", "wrong at n = 512"),
    "wrong": ("", RIGHT + "c(0, 0) = 99;", "C(0, 0) is 99, should be"),
    "broken": ("", "c(x, 0) = 1;", "‘x’ was not declared"),
    "fewer": ("static int calls = 0;\n", RIGHT + "if (++calls == 20) _exit(0);", "ended the pro"),
    "prints": ("", 'std::puts("✔ right"), std::fflush(stdout); ' + STAYS, "ended the program"),
    "exits": (EXIT, "", NO_PRODUCT),
    "compares": (MEMCMP, RIGHT + "c.data()[c.cols()] = 1;", "wrote outside"),
    "answers": (SHARED, f"all_are({judge.ANSWERED});", NO_PRODUCT),
    "refuses": (SHARED, f"all_are({judge.REFUSED});", "C is wrong"),
    "executes": (SHARED, "".join(f'courses("{path}"); ' for path in PROGRAMS), NO_PRODUCT),
    "truncates": (SHARED, "(void)!truncate(word(1).c_str(), 0);", "cannot be read|SIGBUS"),
    "zeroes": ("", ZEROES, "wrote to A or B|C(0, 0) is"),
    "judges": (OTHERS % ("common/verify", CHECK), "", NO_PRODUCT),
    "runs": (OTHERS % ("runner/run", RUN), "", "ld returned"),
}
# Of a rung with another signature.
CLEARS = """template <class T>
void rows_of_rows(const Vectors<T>&, const Vectors<T>&, Vectors<T>& c) { c.clear(); }
"""


def marked(folder, *words, **around):
    around = os.environ | {"COURSE_PATIENCE": "3"} | around
    return subprocess.run([*HANDINS, folder, *words], capture_output=True, text=True, env=around)


class HandIns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "class"
        cls.listener = cls.enterClassContext(socket.create_server(("127.0.0.1", 0)))
        cls.listener.settimeout(0)
        port = str(cls.listener.getsockname()[1])
        for name, (before, code, _) in HANDED.items():
            text = HEADERS + before + KERNEL.replace("CODE", code)
            text = text.replace("PORT", port).replace("FOLDER", str(cls.folder))
            cls.write(f"{name}.cpp", text)
        cls.write("rows_of_rows/01_naive/rows_of_rows.cpp", CLEARS)
        cls.write("=nothing/read.me", "")
        (cls.folder / "links.cpp").symlink_to("/etc/passwd")
        (cls.folder / "pipes").mkdir()
        os.mkfifo(cls.folder / "pipes/ijk.cpp")
        cls.done = marked(cls.folder, "01_naive/ijk")
        with open(f"{cls.folder}-checked.csv", encoding="utf-8") as file:
            cls.table = {row["student"]: row for row in csv.DictReader(file)}

    @classmethod
    def write(cls, name, text):
        path = cls.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_a_line_each(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (1, ""))
        said = {re.match("[a-z]*", name)[0]: what[-1] for name, what in HANDED.items()}
        said |= {"links": "it is a link", "pipes": "no file", "nothing": "no .cpp or .cu"}
        said["rows_of_rows"] = "C(0, 0) is"
        self.assertEqual(said.keys(), self.table.keys())
        self.assertEqual(len(self.done.stdout.splitlines()), 1 + len(said))
        for student, message in said.items():
            with self.subTest(student):
                row = self.table[student]
                self.assertEqual(row["right"], "no" if message else "yes", row)
                self.assertTrue(any(some in row["message"] for some in message.split("|")), row)
                self.assertEqual(float(row["share"] or 0) > 0, not message, row)
        rows = json.loads(Path(f"{self.folder}-checked.json").read_text(encoding="utf-8"))
        self.assertEqual({row["student"]: row for row in rows}, self.table)

    def test_nothing_is_left(self):
        self.assertEqual([path for path in ELSEWHERE if path.exists()], [])
        self.assertRaises(BlockingIOError, self.listener.accept)
        there = Path("/proc").glob("[0-9]*/cmdline")
        theirs = [file for file in there if b"try/handins/try" in file.read_bytes()]
        self.assertEqual(theirs, [])


class Refused(unittest.TestCase):
    def test_without_a_sandbox(self):
        with tempfile.TemporaryDirectory() as folder:
            bwrap = Path(folder) / "bwrap"
            bwrap.write_text("#!/bin/sh\necho bwrap: No permissions >&2\nexit 1\n")
            bwrap.chmod(0o755)
            refused = f"{folder}:{os.environ['PATH']}"
            says = {"/nowhere": "setup.sh teach", refused: "hand-ins here: bwrap: No permissions"}
            for path, words in says.items():
                done = marked(ROOT / "tests", PATH=path)
                self.assertEqual(done.returncode, 77, done.stdout)
                self.assertRegex(done.stderr, f"^try: .*{words}.*UNSAFE=yes.*\n$")

    def test_what_mpirun_says_excuses_nobody(self):
        of = rung.load_rungs(BUILD)["06_mpi/scatter_blocking"].but(compiled=lambda twin: (None, ""))
        lost = judge.Found(process.Run(1, "", "ORTE_ERROR_LOG"), [], 1)
        for judged in (verdict.verdict, rungs.raced):
            with mock.patch.object(verdict, "ask", return_value=lost):
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertIs(judged(of, of.course), False)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        (nothing := Path(folder) / "class").mkdir()
        if (done := marked(nothing)).returncode == 77:
            sys.exit(print(done.stderr) or 77)
    unittest.main()
