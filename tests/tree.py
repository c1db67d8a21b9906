"""Copies of the course, each with a build folder of its own, for mutate.py."""
import json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, threading, time


class Stopped(Exception):
    """The user has had enough."""


class Commands:
    """Runs commands for several threads; ends them all when told to."""

    def __init__(self):
        self.lock, self.running, self.stopped = threading.RLock(), set(), False  # a signal may come while it is held

    def run(self, *command, cwd, env, patience=None):
        """What was printed, and the exit status; None if it took too long."""
        with tempfile.TemporaryFile("w+", errors="replace") as said:  # no pipe: a grandchild that lives on might hold it
            with self.lock:
                if self.stopped:
                    raise Stopped
                process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=said,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                self.running.add(process)
            try:
                status = process.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
            self.running.remove(process)
            if self.stopped:
                raise Stopped
            said.seek(0)
            return said.read(), status

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in list(self.running):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)


class Tree:
    """A copy of the course with a build folder of its own."""

    def __init__(self, path, jobs, commands):
        self.path, self.jobs, self.commands = path, jobs, commands
        self.env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        # One cache for all copies: paths are taken from the copy's folder on, and which folder it is does not count.
        self.env |= {"CCACHE_DIR": str(path.parent / "ccache"), "CCACHE_BASEDIR": str(path), "CCACHE_NOHASHDIR": "1"}

    def run(self, *command, patience=None):
        return self.commands.run(*command, cwd=self.path, env=self.env, patience=patience)

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

    def test(self, names, patience=None):
        """{test: (Passed, Skipped, Not Run or Failed, seconds)}; empty when patience ended."""
        said, status = self.run("ctest", "--test-dir", "build", "--parallel", str(self.jobs), "-R",
                                "^(" + "|".join(map(re.escape, names)) + ")$", patience=patience)
        answers = re.findall(r"Test +#\d+: (\S+) \.*(.*?) +([\d.]+) sec$", said, re.M)
        words = ("Passed", "Skipped", "Not Run")
        return {} if status is None else {
            test: (next((word for word in words if word in answer), "Failed"), float(seconds)) for test, answer, seconds in answers}


def targets_of(command, build):
    """What must be built for a test, by its command: the programs, libraries and objects that it names, or, where it is given a
    folder of the build, everything (None)."""
    targets = set()
    for path in (pathlib.Path(word) for word in command if word.startswith(str(build))):
        if path.is_dir():
            return None
        of_object = re.search(r"CMakeFiles/([^/]+)\.dir/", str(path))
        targets.add(of_object[1] if of_object else re.sub(r"^lib(.*)\.so$", r"\1", path.name))
    return tuple(sorted(targets))
