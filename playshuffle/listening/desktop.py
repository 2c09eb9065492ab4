"""Read the announcements of desktop players on the session bus, by MPRIS.

`busctl` of systemd prints a line for each signal.
"""

import atexit
import contextlib
import json
import os
import re
import select
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playshuffle.listening.passes import News, Track

_PREFIX = "org.mpris.MediaPlayer2."
_PATH, _PLAYER = "/org/mpris/MediaPlayer2", _PREFIX + "Player"
_BUS = "org.freedesktop.DBus"
_BUSCTL = ("busctl", "--user", "--json=short")
_SIGNALS = f"--match=type='signal',path='{_PATH}'"
_NAMES = f"--match=type='signal',member='NameOwnerChanged',arg0namespace='{_PREFIX[:-1]}'"
# playerctld repeats the signals of other players. MPD is read directly, without a bridge.
_BRIDGES = re.compile("playerctld|mpd|mopidy")
_ANSWER_S = 5
_OURS = "PlayshuffleListens"  # a signal that no player sends
_TRIES, _TRY_S = 100, 0.1
TITLE = "players of the desktop"


@contextlib.contextmanager
def opened() -> Iterator[tuple[str, Iterator[News]]]:
    """Listen to the session bus; yield a name for messages, and the announcements.

    Raises:
        OSError: the session bus or busctl does not exist, or ends.
    """
    if os.environ.keys().isdisjoint(("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")):
        raise ConnectionError("this login has no session bus")
    with subprocess.Popen(
        [*_BUSCTL, "monitor", _SIGNALS, _NAMES], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        atexit.register(process.kill)
        try:
            _wait_until_ready(process)
            yield TITLE, _all_news(process, _present())
        finally:
            atexit.unregister(process.kill)
            process.kill()


def _wait_until_ready(process: subprocess.Popen[bytes]) -> None:
    """Send signals of our own until the monitor shows one: some versions of busctl do not say it begins."""
    assert process.stdout is not None
    for _ in range(_TRIES):
        _ask("emit", _PATH, "org.playshuffle", _OURS)
        if select.select([process.stdout], [], [], _TRY_S)[0]:
            return


def _present() -> dict[str, str]:
    names = json.loads(_ask("--acquired", "list"))
    return {row["connection"]: _title(row["name"]) for row in names if row["name"].startswith(_PREFIX)}


def _all_news(process: subprocess.Popen[bytes], names: dict[str, str]) -> Iterator[News]:
    assert process.stdout is not None
    assert process.stderr is not None
    for sender in names:  # it does not announce a track that was playing before
        yield from _asked(sender, names, is_late=True)
    yield from read_signals(process.stdout, names)
    yield from (News(sender, name, time.monotonic(), is_gone=True) for sender, name in names.items())
    raise ConnectionError(os.fsdecode(process.stderr.read()).strip() or "busctl has ended")


def read_signals(lines: Iterable[bytes], names: dict[str, str], *, is_live: bool = True) -> Iterator[News]:
    """Yield the announcements in lines of busctl; other lines are ignored.

    Args:
        names: maps connections to names of players; new ones are added.
        is_live: the lines arrive now, and players can be asked.
    """
    for line in lines:
        with contextlib.suppress(AttributeError, LookupError, TypeError, ValueError):
            message = json.loads(line)
            if message["member"] == _OURS:
                continue
            now_s = time.monotonic() if is_live else message["timestamp-realtime"] / 1e6
            names_before = frozenset(names)
            if (sender := message["sender"]) != _BUS:
                names.setdefault(sender, sender)
            news = [*_read(message, names, now_s)]
            if is_live:  # it may play already: its first signals came before its name, or were lost
                for new in names.keys() - names_before:
                    yield from _asked(new, names, is_late=False)
            yield from news


def _read(message: Mapping[str, Any], names: dict[str, str], now_s: float) -> Iterator[News]:
    sender, data = message["sender"], message["payload"]["data"]
    match message["member"], data:
        case "NameOwnerChanged", [name, _, after] if after:
            names[after] = _title(name)
        case "NameOwnerChanged", [_, before, _] if before in names:
            yield News(before, names.pop(before), now_s, is_gone=True)
        case "Seeked", [position_us] if not _BRIDGES.match(names[sender]):
            yield News(sender, names[sender], now_s, position_s=position_us / 1e6)
        case "PropertiesChanged", [interface, properties, *_] if interface == _PLAYER:
            yield from _news(sender, names, now_s, properties)


def _asked(sender: str, names: dict[str, str], *, is_late: bool) -> Iterator[News]:
    keys = ("PlaybackStatus", "Metadata")
    with contextlib.suppress(AttributeError, OSError, TypeError, ValueError):
        lines = _ask("get-property", sender, _PATH, _PLAYER, *keys).splitlines()
        properties = dict(zip(keys, map(json.loads, lines), strict=True))
        for news in _news(sender, names, time.monotonic(), properties):
            yield news._replace(is_late=is_late)


def _ask(*words: str) -> bytes:
    try:
        return subprocess.run([*_BUSCTL, *words], capture_output=True, check=True, timeout=_ANSWER_S).stdout
    except subprocess.SubprocessError as error:
        text = os.fsdecode(getattr(error, "stderr", None) or b"").strip()
        raise ConnectionError(text or "the session bus does not answer") from error


def _news(sender: str, names: dict[str, str], now_s: float, properties: Mapping[str, Any]) -> Iterator[News]:
    values = {key: value["data"] for key, value in properties.items()}
    tags = {key: value["data"] for key, value in values.get("Metadata", {}).items()}
    texts = [tags.get(f"xesam:{key}") or "" for key in ("url", "artist", "title", "album")]
    track = Track(*(str(text[0] if isinstance(text, list) else text) for text in texts))
    named = track if track.uri or track.title else None
    length_us = tags.get("mpris:length")
    length_s = max(0, length_us) / 1e6 if isinstance(length_us, int | float) else 0.0
    if not _BRIDGES.match(names[sender]):
        yield News(sender, names[sender], now_s, values.get("PlaybackStatus", ""), named, length_s)


def _title(name: str) -> str:
    return re.sub(r"\.instance.*", "", name.removeprefix(_PREFIX))
