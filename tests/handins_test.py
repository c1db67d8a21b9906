"""`make try HANDINS=folder` marks strangers' programs, survives them, and believes none:
handins_test.py BUILD"""
import csv, json, os, socket, subprocess, sys, tempfile, unittest
from pathlib import Path

ROOT, BUILD = Path(__file__).resolve().parent.parent, Path(sys.argv.pop(1)).resolve()
sys.path.append(str(ROOT / "tools/try"))
from judge import ANSWER, ANSWERED, PRODUCT, REFUSED

HANDINS, HOME = [sys.executable, ROOT / "tools/try/handins.py", BUILD], Path.home()
HEADERS = "arpa/inet.h csignal cstdio fstream string unistd.h".split()
EMPTY = """template <class T>
void ijk(View<const T> a, View<const T> b, View<T> c) {
  CODE
}
"""
RIGHT = EMPTY.replace(
    "  CODE",
    """  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
  CODE""",
)
ELSEWHERE = [at / "a_stranger_was_here" for at in (ROOT, BUILD, HOME, Path("/tmp"))]
ATTACKS = """sockaddr_in to{};
  to.sin_family = AF_INET, to.sin_port = htons(PORT), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)!connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&to), sizeof to);
  kill(getppid(), SIGKILL); """
ATTACKS += "".join(f'std::ofstream("{path}") << 1; ' for path in ELSEWHERE)
LOST = 'std::fputs("ORTE_ERROR_LOG", stderr); '  # as mpirun says it
FAULTS = {  # what a right product does besides, and what is said of it
    "attacks": (ATTACKS, ""),
    "forks": ("for (;;) fork();", "has not ended"),
    "loops": ("for (volatile int x = 1; x;) {}", "has not ended"),
    "allocates": ("for (;;) *new volatile char[1 << 28] = 1;", "it threw: std::bad_alloc|SIGKILL"),
    "ends": (
        "if (fork() == 0) { setsid(); for (;;) sleep(1); } std::_Exit(0);",
        "ended the program",
    ),
    "floods": ("for (;;) std::puts(R);".replace("R", "__FILE__ __FILE__"), "has not ended|SIGXFSZ"),
    "differs": (LOST + "if (c.rows() == 512) c(0, 0) = 9;", "wrong at n = 512"),
    "wrong": ("c(0, 0) = 99;", "C(0, 0) is 99, should be"),
    "broken": ("c(x, 0) = 1;", "‘x’ was not declared"),
    "fewer": ("static int calls = 0; if (++calls == 20) std::_Exit(0);", "ended the program"),
}
SHARED = f"""static std::string word(int number) {{  // of its command line: program, file, count, variant
  std::ifstream words("/proc/self/cmdline");
  std::string found;
  while (number-- >= 0) std::getline(words, found, '\\0');
  return found;
}}
static void all_are(std::int64_t state) {{
  std::fstream shared(word(1), std::ios::in | std::ios::out | std::ios::binary);
  for (int at = 0; at < 96; ++at)
    shared.seekp({PRODUCT.size} * at + {PRODUCT.size - ANSWER.size}), shared.write((char*)&state, 8);
  shared.flush(), _exit(0);
}}
static void courses(const char* program) {{
  execl(program, program, word(1).c_str(), word(2).c_str(), "ijk", nullptr);
}}
"""
PROGRAMS = [BUILD / at / "try/programs" for at in ("try/handins", "")]
EXEC = [f'courses("{at}/try-01_naive"); ' for at in PROGRAMS]
MEMCMP = 'extern "C" int memcmp(const void*, const void*, std::size_t) { return 0; }\n'
WRITE = 'extern "C" ssize_t write(int, const void*, std::size_t bytes) { return ssize_t(bytes); }\n'
OTHERS = "}\nnamespace course { %s }\nnamespace naive {\n"
CHECK = "template <> Check Verifier<float>::check(View<const float>) { return {true}; }"
RUN = "int run(int, const char* const*, const Step&, const World&) { return 0; }"
ZEROES = """for (Index i = 0; i < a.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p) const_cast<T&>(a(i, p)) = 0;"""
FORGERIES = {  # what stands before a product that is none, what it does, and what is said of it
    "prints": ("", 'std::puts("✔ right"), std::fflush(stdout), _exit(0);', "ended the program"),
    "exits": (
        "struct E { E() { std::atexit([] { _exit(0); }); } } e;\n",
        "",
        "nothing was added|C(0,",
    ),
    "compares": (MEMCMP + WRITE, "", "C(0, 0) is"),
    "answers": (SHARED, f"all_are({ANSWERED});", "C(0, 0) is"),
    "refuses": (SHARED, f"all_are({REFUSED});", "C is wrong"),
    "executes": (SHARED, "".join(EXEC), "nothing was added|C(0, 0) is"),
    "truncates": (SHARED, "(void)!truncate(word(1).c_str(), 0);", "cannot be read|SIGBUS"),
    "zeroes": ("", ZEROES, "C(0, 0) is"),
    "judges": (OTHERS % CHECK, "", "C(0, 0) is"),
    "runs": (OTHERS % RUN, "", "ld returned"),
}
OF_OTHERS = {  # forgeries of rungs with another signature
    "01_naive/rows_of_rows": f"""#include <cstdio>
template <class T>
void rows_of_rows(const Vectors<T>&, const Vectors<T>&, Vectors<T>& c) {{
  {LOST}c.clear();
}}
""",
    "06_mpi/scatter_blocking": f"""#include <cstdio>
#include <unistd.h>
template <class T>
void scatter_blocking(const Shared<T>&, MPI_Comm) {{
  {LOST}_exit(0);
}}
""",
}


def marked(folder, *words, **around):
    around = os.environ | {"COURSE_PATIENCE": "3"} | around
    return subprocess.run([*HANDINS, folder, *words], capture_output=True, text=True, env=around)


class HandIns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.room.name) / "class"
        cls.listener = socket.create_server(("127.0.0.1", 0))
        cls.listener.settimeout(0)
        top = "".join(f"#include <{header}>\n" for header in HEADERS)
        port = str(cls.listener.getsockname()[1])
        for name, (code, _) in FAULTS.items():
            cls.write(f"{name}.cpp", top + RIGHT.replace("CODE", code.replace("PORT", port)))
        top += '#include "common/verify.hpp"\n#include "runner/run.hpp"\n'
        for name, (before, code, _) in FORGERIES.items():
            cls.write(f"{name}.cpp", top + before + EMPTY.replace("CODE", code))
        cls.write("right_17_assignsubmission_file_/01_naive/ijk.cpp", RIGHT.replace("CODE", ""))
        peeks = f'#include "{cls.folder}/wrong.cpp"\n'
        cls.write("peeks/01_naive/ijk.cpp", peeks + RIGHT.replace("CODE", ""))
        cls.write("=nothing/read.me", "")
        for rung, text in OF_OTHERS.items():
            cls.write(f"{Path(rung).name}/{rung}.cpp", text)
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

    @classmethod
    def tearDownClass(cls):
        cls.listener.close()
        cls.room.cleanup()

    def test_a_line_each(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (1, ""))
        self.assertEqual(len(self.done.stdout.splitlines()), 1 + len(self.table))
        said = {name: what[-1] for name, what in (FAULTS | FORGERIES).items()}
        said |= {"right": "", "peeks": "No such file", "links": "it is a link", "pipes": "no file"}
        said |= {"nothing": "no .cpp or .cu", "rows_of_rows": "C(0, 0) is"}
        said |= {"scatter_blocking": "It ended the program|It crashed"}
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
                self.assertRegex(done.stderr, f"^try: .*{words}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        (nothing := Path(folder) / "class").mkdir()
        if (done := marked(nothing)).returncode == 77:
            sys.exit(print(done.stderr) or 77)
    unittest.main()
