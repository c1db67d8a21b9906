"""`make try HANDINS=folder` marks strangers' programs, and survives them: handins_test.py BUILD"""
import csv, os, socket, subprocess, sys, tempfile, unittest
from pathlib import Path

ROOT, BUILD = Path(__file__).resolve().parent.parent, Path(sys.argv.pop(1)).resolve()
HANDINS, HOME = [sys.executable, ROOT / "tools/try/handins.py", BUILD], Path.home()
IKJ = """{}
template <class T>
void ikj(View<const T> a, View<const T> b, View<T> c) {{
  for (Index i = 0; i < c.rows(); ++i)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index j = 0; j < c.cols(); ++j) c(i, j) += a(i, p) * b(p, j);
  {}
}}
"""
EMPTY = "{}\ntemplate <class T>\nvoid ikj(View<const T> a, View<const T> b, View<T> c) {{ }}\n{}\n"
CONNECT = """sockaddr_in to{{}};
  to.sin_family = AF_INET, to.sin_port = htons({}), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)!connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&to), sizeof to);"""
ELSEWHERE = [at / "a_stranger_was_here" for at in (ROOT, BUILD, HOME, Path("/tmp"))]


def marked(folder, *words, **around):
    os.environ["COURSE_PATIENCE"] = "3"
    return subprocess.run(
        [*HANDINS, folder, *words], capture_output=True, text=True, env=os.environ | around
    )


class HandIns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.room.name) / "class"
        cls.listener = socket.create_server(("127.0.0.1", 0))
        cls.listener.settimeout(0)
        headers = "arpa/inet.h csignal cstdio fstream string unistd.h".split()
        top = "".join(f"#include <{header}>\n" for header in headers)
        top += 'static const char posix[4096] = "x";'
        write = "".join(f'std::ofstream("{path}") << 1; ' for path in ELSEWHERE)
        for name, code in {
            "kills": "kill(getppid(), SIGKILL);",
            "writes": write,
            "connects": CONNECT.format(cls.listener.getsockname()[1]),
            "forks": "for (;;) fork();",
            "loops": "for (volatile int x = 1; x;) {}",
            "allocates": "for (;;) *new volatile char[1 << 28] = 1;",
            "forges": """std::ifstream words("/proc/self/cmdline");
              for (std::string word; std::getline(words, word, '\\0');)
                if (word.ends_with("0.csv")) {
                  std::ofstream(word) << "gflops,quiet\\nmany,yes\\n";
                  std::_Exit(0);
                }""",
            "ends": "if (fork() == 0) { setsid(); for (;;) sleep(1); } std::_Exit(0);",
            "prints": "for (;;) std::fwrite(posix, 1, sizeof posix, stdout);",
            "differs": "if (c.rows() == 512) c(0, 0) = 9;",
            "wrong": "c(0, 0) = 99;",
            "broken": "c(x, 0) = 1;",
        }.items():
            cls.write(f"{name}.cpp", IKJ.format(top, code))
        cls.write("right_17_assignsubmission_file_/02_loop_order/ikj.cpp", IKJ.format("", ""))
        cls.write("peeks/ikj.cpp", IKJ.format(f'#include "{cls.folder}/wrong.cpp"', ""))
        cls.write("=nothing/read.me", "")
        cls.write("capitals.CPP", "")
        cls.write("flat.txt", "")
        exits = "namespace { struct E { E() { std::atexit([] { _exit(0); }); } } e; }\n"
        cls.write("exits.cc", EMPTY.format("#include <cstdlib>\n#include <unistd.h>\n" + exits, ""))
        always = "template <> Check Verifier<{0}>::check(View<const {0}>) {{ return {{true}}; }}\n"
        judge = "".join(always.format(kind) for kind in ("float", "double", "int"))
        judge = f"}}\nnamespace course {{\n{judge}}}\nnamespace loop_order {{"
        cls.write("judges.cxx", EMPTY.format('#include "common/verify.hpp"', judge))
        rows = "Session&, CheckedProblem<float>&, const std::vector<Series<float>*>&"
        judge = f"}}\nnamespace course {{\ntemplate <> void run_rows({rows}) {{}}\n}}\n"
        judge += "namespace loop_order {"
        cls.write("runs.cxx", EMPTY.format('#include "runner/session.hpp"', judge))
        (cls.folder / "links.cpp").symlink_to("/etc/passwd")
        (cls.folder / "pipes").mkdir()
        os.mkfifo(cls.folder / "pipes/ikj.cpp")
        cls.done = marked(cls.folder, "02_loop_order/ikj")
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
        for student, message in {
            "right": "",
            "kills": "",
            "writes": "",
            "connects": "",
            "wrong": "C(0, 0) is 99, should be",
            "broken": "‘x’ was not declared",
            "forges": "cannot be read",
            "differs": "wrong at n = 512",
            "ends": "ended the program",
            "loops": "has not ended",
            "forks": "has not ended",
            "prints": "has not ended|SIGXFSZ",
            "allocates": "out of memory",
            "peeks": "No such file",
            "links": "it is a link",
            "pipes": "no file",
            "nothing": "no .cpp or .cu",
            "flat": "no .cpp or .cu",
            "capitals": "there is no ikj as the course calls it",
            "exits": "C(0, 0) is",
            "judges": "defines what is not its own: course::Verifier",
            "runs": "defines what is not its own: void course::run_rows",
        }.items():
            with self.subTest(student):
                row = self.table[student]
                self.assertEqual(row["right"], "no" if message else "yes", row)
                self.assertTrue(any(some in row["message"] for some in message.split("|")), row)
                self.assertEqual(float(row["share"] or 0) > 0, not message, row)

    def test_nothing_is_left(self):
        self.assertEqual([path for path in ELSEWHERE if path.exists()], [])
        self.assertRaises(BlockingIOError, self.listener.accept)
        there = Path("/proc").glob("[0-9]*/cmdline")
        theirs = [file for file in there if b"try/handins/build" in file.read_bytes()]
        self.assertEqual(theirs, [])


class Refused(unittest.TestCase):
    def says(self, words, path):
        done = marked(ROOT / "tests", PATH=path)
        self.assertEqual(done.returncode, 77, done.stdout)
        self.assertRegex(done.stderr, f"^try: .*{words}.*UNSAFE=yes.*\n$")

    def test_without_a_sandbox(self):
        self.says("setup.sh teach", "/nowhere")
        with tempfile.TemporaryDirectory() as folder:
            bwrap = Path(folder) / "bwrap"
            bwrap.write_text("#!/bin/sh\necho bwrap: No permissions >&2\nexit 1\n")
            bwrap.chmod(0o755)
            self.says("hand-ins here: bwrap: No permissions", f"{folder}:{os.environ['PATH']}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        (nothing := Path(folder) / "class").mkdir()
        if (done := marked(nothing)).returncode == 77:
            sys.exit(print(done.stderr) or 77)
    unittest.main()
