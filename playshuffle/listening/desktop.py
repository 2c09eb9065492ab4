"""Read the announcements of desktop players on the session bus, by MPRIS.

`busctl` of systemd prints a line for each signal. Players are not polled.
"""

import atexit
import contextlib
import json
import os
import re
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playshuffle.listening.passes import News, Track

_PREFIX = "org.mpris.MediaPlayer2."
_PATH, _PLAYER = "/org/mpris/MediaPlayer2", _PREFIX + "Player"
_BUSCTL = ("busctl", "--user", "--json=short")
_SIGNALS = f"--match=type='signal',path='{_PATH}'"
_NAMES = f"--match=type='signal',member='NameOwnerChanged',arg0namespace='{_PREFIX[:-1]}'"
# playerctld repeats the signals of other players. MPD is read directly, without a bridge.
_BRIDGES = re.compile("playerctld|mpd|mopidy")
_ANSWER_S = 5
TITLE = "players of the desktop"


@contextlib.contextmanager
def opened() -> Iterator[tuple[str, Iterator[News]]]:
    """Listen to the session bus; yield the name of the source, and its news.

    Raises:
        OSError: the session bus or busctl does not exist, or ends.
    """
    with subprocess.Popen(
        [*_BUSCTL, "monitor", _SIGNALS, _NAMES], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        atexit.register(process.kill)
        try:
            yield TITLE, _all_news(process, _present())
        finally:
            atexit.unregister(process.kill)
            process.kill()


def _present() -> dict[str, str]:
    """Return the names of the present players, by their connections."""
    names = json.loads(_ask("--acquired", "list"))
    return {
        each["connection"]: each["name"].removeprefix(_PREFIX)
        for each in names
        if each["name"].startswith(_PREFIX) and each["connection"]
    }


def _all_news(process: subprocess.Popen[bytes], present: Mapping[str, str]) -> Iterator[News]:
    assert process.stdout is not None
    assert process.stderr is not None
    for sender, name in present.items():
        yield from _asked(sender, name, is_late=True)
    yield from read_signals(process.stdout, names := dict(present))
    yield from (News(sender, _title(name), time.monotonic(), is_gone=True) for sender, name in names.items())
    raise ConnectionError(os.fsdecode(process.stderr.read()).strip() or "busctl has ended")


def read_signals(lines: Iterable[bytes], names: dict[str, str], *, is_live: bool = True) -> Iterator[News]:
    """Yield the news in lines of busctl.

    Args:
        lines: one JSON object each.
        names: names of players, by their connections; it is updated.
        is_live: players can be asked, and the news arrive now.
    """
    asked = set(names)
    for line in lines:
        message = json.loads(line)
        sender, member, data = message["sender"], message["member"], message["payload"]["data"]
        now_s = time.monotonic() if is_live else message["timestamp-realtime"] / 1e6
        if member == "NameOwnerChanged":
            name, before, after = data
            if after:
                names[after] = name.removeprefix(_PREFIX)
            elif before in names:
                yield News(before, _title(names.pop(before)), now_s, is_gone=True)
            continue
        name = names.get(sender, sender)
        if _BRIDGES.match(name):
            continue
        if member == "Seeked":
            yield News(sender, _title(name), now_s, position_s=data[0] / 1e6)
        elif member == "PropertiesChanged" and data[0] == _PLAYER:
            if is_live and sender not in asked:  # its first signals may be lost
                asked.add(sender)
                yield from _asked(sender, name, is_late=False)
            yield _news(sender, name, now_s, data[1])


def _asked(sender: str, name: str, *, is_late: bool) -> Iterator[News]:
    """Ask a player for its track: it does not announce a track that was playing before."""
    keys = ("PlaybackStatus", "Metadata")
    with contextlib.suppress(OSError, ValueError):
        lines = _ask("get-property", sender, _PATH, _PLAYER, *keys).splitlines()
        properties = dict(zip(keys, map(json.loads, lines), strict=True))
        if not _BRIDGES.match(name):
            yield _news(sender, name, time.monotonic(), properties)._replace(is_late=is_late)


def _ask(*words: str) -> bytes:
    try:
        return subprocess.run([*_BUSCTL, *words], capture_output=True, check=True, timeout=_ANSWER_S).stdout
    except subprocess.SubprocessError as error:
        text = os.fsdecode(getattr(error, "stderr", None) or b"").strip()
        raise ConnectionError(text or "the session bus does not answer") from error


def _news(sender: str, name: str, now_s: float, properties: Mapping[str, Any]) -> News:
    values = _plain(properties)
    tags = values.get("Metadata") or {}
    artist = tags.get("xesam:artist") or ""
    texts = [
        tags.get("xesam:url"),
        artist[0] if isinstance(artist, list) else artist,
        *(tags.get(f"xesam:{each}") for each in ("title", "album")),
    ]
    track = Track(*(each if isinstance(each, str) else "" for each in texts))
    length_us = tags.get("mpris:length")
    return News(
        sender,
        _title(name),
        now_s,
        values.get("PlaybackStatus", ""),
        track if track.uri or track.title else None,
        max(0, length_us) / 1e6 if isinstance(length_us, int) else 0.0,
    )


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return values without their types."""
    return {
        key: _plain(each["data"]) if isinstance(each["data"], dict) else each["data"]
        for key, each in properties.items()
    }


def _title(name: str) -> str:
    return re.sub(r"\.instance.*", "", name)
