"""Start the program: check the system, and answer `--version` before other imports."""

import gc
import os
import sys

from playshuffle import __version__


def main() -> None:
    """Run the command line.

    Raises:
        SystemExit: with the exit code, or a message if the system is not Linux.
    """
    if sys.platform != "linux":
        sys.exit(
            f"error: playshuffle runs on Linux only. This system ({sys.platform}) lacks the file locks,"
            " mount table and folder events that it needs."
        )
    if sys.argv[1:] == ["--version"]:
        try:
            os.write(1, f"playshuffle {__version__}\n".encode())
        except BrokenPipeError:
            pass
        except OSError as error:
            sys.exit(f"error: Cannot write to standard output: {error.strerror}.")
        return
    gc.disable()  # the garbage collector takes a sixth of a short run
    try:
        from playshuffle import cli

        code = cli.main()
    except KeyboardInterrupt:  # so early that nothing has started
        if sys.stderr is not None:
            sys.stderr.write("error: Interrupted.\n")
        code = 130
    finally:
        gc.freeze()  # freeing all modules at the end would take another sixth
    sys.exit(code)


if __name__ == "__main__":
    main()
