"""Run all benchmarks at one size, one after the other.

    python -m benchmarks [TRACKS]

TRACKS (100,000) is the number of tiny files; a tenth as many are made as real music has them.
"""

import subprocess
import sys


def main() -> None:
    """Run them; each prints its own tables."""
    tracks = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for module, arguments in {
        "making": ["--tiny", str(tracks), "--real", str(max(10, tracks // 10))],
        "updating": ["--tracks", str(tracks)],
        "shuffling": [],
        "watching": ["--tracks", str(tracks), "--burst", str(max(10, tracks // 10))],
    }.items():
        print(f"\n## {module}\n", flush=True)
        subprocess.run([sys.executable, "-m", f"benchmarks.{module}", *arguments], check=True)


if __name__ == "__main__":
    main()
