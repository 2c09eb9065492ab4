"""One heap for all threads."""

import subprocess
import sys

import pytest

# Prints how many heaps the threads of a process have: glibc reserves 64 MB of addresses for each.
_PROGRAM = """
import sys, threading
from playshuffle.system.heap import use_one_heap
if sys.argv[1] == "one":
    use_one_heap()
done, allocated = threading.Event(), threading.Barrier(4)
def work():
    data = [bytes(1000) for _ in range(100)]
    allocated.wait()
    done.wait()
for _ in range(3):
    threading.Thread(target=work).start()
allocated.wait()
with open("/proc/self/maps") as file:
    rows = [row.split() for row in file]
done.set()
ranges = [(row[1], *(int(end, 16) for end in row[0].split("-"))) for row in rows]
print(sum(mode == "---p" and 32 << 20 < end - start < 64 << 20 for mode, start, end in ranges))
"""


@pytest.mark.process
def test_threads_that_are_started_afterwards_have_no_heaps_of_their_own() -> None:
    def heaps(mode: str) -> int:
        return int(subprocess.check_output([sys.executable, "-c", _PROGRAM, mode]))

    assert heaps("usual") > 0
    assert heaps("one") == 0
