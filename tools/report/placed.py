"""The processors there are for this process, printed if this is the program; and how a command line
is put on them: threads and ranks, each on cores of its own."""

import ctypes, os, re, subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

# A core for each thread: a kernel may leave two short-lived ones on one core. One that waits spins
# for some 100 µs only (libgomp takes 10^5 spins for 1 ms): in turns a row of one thread is next,
# perhaps on the core's other hardware thread.
OF_THREADS = {"OMP_PROC_BIND": "true", "GOMP_SPINCOUNT": "10000", "KMP_BLOCKTIME": "1"}
# As root, with more ranks than cores, and without ~/.openmpi.
OPEN_MPI = {
    "HOME": os.devnull,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_use_hwthreads_as_cpus": "1",
    "OMPI_MCA_plm_rsh_agent": "false",  # nor ssh, which a container may lack
    "OMPI_MCA_btl": "^tcp",  # of one host: without a network, Open MPI 5 says so for each pair
}
# Where one process may not read another's memory (Docker of 2021 and before, or on an old kernel),
# Open MPI would say so for each message.
BY_TWO_COPIES = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_smsc": "^cma"}


def processors(groups="/proc/self/cgroup", root="/sys/fs/cgroup"):
    """The least of those that it may run on and of what its cgroups (version 2) leave it of their
    time (docker --cpus); at least one. runner/machine.cpp counts alike."""
    asked = getattr(os, "sched_getaffinity", None)
    least = len(asked(0)) if asked else os.cpu_count() or 1
    lines = Path(groups).read_text().splitlines() if os.path.exists(groups) else []
    for group in (line[3:] for line in lines if line.startswith("0::/")):
        for folder in Path(group, "_").parents:  # the group's own, and those above it
            with suppress(OSError, ValueError):  # none is here, or "max"
                quota, period = map(int, Path(f"{root}{folder}", "cpu.max").read_text().split())
                least = min(least, quota / period)
    return max(1, int(least))


CORES = processors()


@cache
def copies_at_once():
    """Whether process_vm_readv is allowed, tried on this process."""
    here = ctypes.create_string_buffer(8)
    part = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    read = getattr(ctypes.CDLL(None), "process_vm_readv", None)
    return read is None or read(os.getpid(), part, 1, part, 1, 0) == 8


@cache
def open_mpi_5():
    with suppress(OSError):
        said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        return re.search(r"\(Open MPI\) ([5-9]|\d\d)", said) is not None


def ranks_of(words):
    number = words[words.index("-n") + 1] if "mpirun" in words else ""
    return int(number) if number.isdecimal() else 0  # mpirun refuses it


def placed(words):
    """The words, and the variables that bind threads to cores and ranks to their share of them.
    Unbound, two may lie on one core; and OpenMP, which then counts all cores as its own, lets
    threads that wait keep a core from another rank's that work: 33 instead of 410 GFLOP/s with 2
    ranks of 2 threads on two cores. Open MPI 5 reads such variables no more."""
    if "mpirun" not in words:
        # libraries.py's programs would count the core alone that their first thread is bound to.
        own = any(word.endswith("libraries.py") for word in words)
        return words, OF_THREADS if "--threads" in words and not own else {}
    ranks, around = ranks_of(words), OPEN_MPI | ({} if copies_at_once() else BY_TWO_COPIES)
    share, bind = f"slot:PE={CORES // max(1, ranks)}", "hwthread" if ranks <= CORES else "none"
    if open_mpi_5():
        at = words.index("mpirun") + 1
        by = share + ":hwtcpus" if ranks <= CORES else ":oversubscribe"
        words = [*words[:at], "--map-by", by, "--bind-to", bind, *words[at:]]
    around["OMPI_MCA_hwloc_base_binding_policy"] = bind
    if ranks > CORES:
        return words, around | {"OMP_WAIT_POLICY": "passive"}
    return words, around | {"OMPI_MCA_rmaps_base_mapping_policy": share}


if __name__ == "__main__":
    print(CORES)
