"""Compare the head reader with the reference reader on whole folders of test files.

    python -m benchmarks.comparing FOLDER... [--mutants 100000]

Reads every file below the folders with both readers, and N damaged copies of files in the first
folder. A reading that is neither identical nor declined is printed, and makes the exit code 1. The
source packages of mutagen, tinytag and TagLib have suitable files.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.tag_reader import read
from tests.support.bad_audio import mutants


def main() -> None:
    """Compare, and print how many files were accepted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for folder in options.folders:
        counts.update(map(judge, filter(os.path.isfile, map(os.fsencode, folder.rglob("*")))))
    print(dict(counts))
    damaged = Counter(map(judge, damaged_files(options.folders[0], options.mutants, options.seed)))
    print("damaged:", dict(damaged))
    sys.exit(1 if counts["different"] or damaged["different"] else 0)


def judge(path: bytes) -> str:
    """Return 'declined', 'identical' or 'different'."""
    head = read_head(path)
    if head is None:
        return "declined"
    reference = read(path)
    if head == reference:
        return "identical"
    print(path, head, reference, sep="\n    ")
    return "different"


def damaged_files(folder: Path, count: int, seed: int) -> Iterator[bytes]:
    """Write damaged copies of the files in a folder, one at a time, and yield the path of each."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in mutants(folder, count, seed) if count else ():
            path = Path(scratch, name)
            path.write_bytes(data)
            yield os.fsencode(path)
            path.unlink()


if __name__ == "__main__":
    main()
