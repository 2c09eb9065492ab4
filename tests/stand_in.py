"""A service that does nothing but what systemd sees of one."""

import faulthandler
import os
import signal
import sys

from playshuffle import notify

CONFIG = os.path.expanduser("~/.config/playshuffle/config.toml")


def main() -> int:
    faulthandler.enable()
    wanted = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    every_s = notify.watchdog_s() or 60
    if not _is_sound():
        return 78
    notify.status("watching")
    notify.ready()
    while True:
        caught = signal.sigtimedwait(wanted, every_s)
        if caught is None:
            notify.keep_alive()
        elif caught.si_signo == signal.SIGHUP:
            notify.reloading()
            notify.status("watching" if _is_sound() else "watching; the configuration is broken")
            notify.ready()
        else:
            notify.stopping()
            return 0


def _is_sound() -> bool:
    with open(CONFIG) as file:
        return "nonsense" not in file.read()


if __name__ == "__main__":
    sys.exit(main())
