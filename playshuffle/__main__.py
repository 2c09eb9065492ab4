"""The way in: what needs no other module is answered before any is imported."""

import gc
import os
import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        from playshuffle import __version__

        try:
            os.write(1, f"playshuffle {__version__}\n".encode())
        except BrokenPipeError:
            pass
        except OSError as error:
            sys.exit(f"playshuffle: Standard output cannot be written: {error.strerror}.")
        return
    # What a run makes, modules included, lives to its end: to look for garbage takes a fifth of the start.
    gc.disable()
    try:
        from playshuffle.cli import main as cli

        code = cli()
    except KeyboardInterrupt:  # so early that nothing was begun
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
