"""The real players open the same entries of a playlist as their models in `readers`."""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote_from_bytes

import pytest

from tests.players import names
from tests.players.conftest import read
from tests.players.drivers import Opened

pytestmark = [pytest.mark.process, pytest.mark.players]

_SLOW = ("liquidsoap", "strawberry")
_STYLES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "bare": lambda _, name: name,
    "dotted": lambda _, name: b"./" + name,
    "absolute": lambda music, name: music + b"/" + name,
    "uri": lambda music, name: b"file://" + quote_from_bytes(music + b"/" + name).encode(),
}


@pytest.mark.parametrize("style", _STYLES)
def test_a_real_player_opens_the_same_odd_file_names_as_its_model(
    player: str, opened: Opened, difference: str | None, music: Path, style: str
) -> None:
    if difference:
        pytest.skip(difference)
    if player in _SLOW and style not in ("dotted", "uri"):
        pytest.skip("each start takes seconds, and the other styles show the same")
    playlist = music / f"{style}{'.m3u8' if player == 'mopidy' else '.m3u'}"
    written = []
    for name in [*names.ALL, *names.UNSUFFIXED]:
        if name.startswith(b"\n") and style != "uri":
            continue  # its first line names a folder, from which some players queue all files
        entry = _STYLES[style](os.fsencode(music), name)
        playlist.write_bytes(b"#EXTM3U\n" + entry + b"\n")
        if player != "quodlibet" or read(player, playlist, music):  # it rejects the list for one lost entry
            written.append(entry)
    playlist.write_bytes(b"#EXTM3U\n" + b"".join(entry + b"\n" for entry in written))

    assert opened(playlist) == read(player, playlist, music)


_A, _B, _C = b"plain.mp3", "ÄÖÜ nfc.mp3".encode(), "音楽.ogg".encode()
_BOM = b"\xef\xbb\xbf"
_FILES = {
    "as it should be": b"#EXTM3U\n" + _A + b"\n" + _B + b"\n" + _C + b"\n",
    "no header": _A + b"\n" + _B + b"\n" + _C + b"\n",
    "a mark and a header": _BOM + b"#EXTM3U\n" + _A + b"\n" + _B + b"\n" + _C + b"\n",
    "a mark and no header": _BOM + _A + b"\n" + _B + b"\n" + _C + b"\n",
    "CRLF": b"#EXTM3U\r\n" + _A + b"\r\n" + _B + b"\r\n" + _C + b"\r\n",
    "no last newline": b"#EXTM3U\n" + _A + b"\n" + _B + b"\n" + _C,
    "blank lines": b"#EXTM3U\n\n" + _A + b"\n\n\n" + _B + b"\n" + _C + b"\n\n",
    "a missing file": b"#EXTM3U\n" + _A + b"\nmissing.mp3\n" + _C + b"\n",
    "one twice": b"#EXTM3U\n" + _A + b"\n" + _B + b"\n" + _A + b"\n",
    "comments": b"#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n# x\n#KEY:x\n" + _A + b"\n#PLAYLIST:x\n" + _B + b"\n",
    "lengths and titles": b"#EXTM3U\n#EXTINF:12,A - T\n" + _A + b"\n#EXTINF:7,T, x - y - z\n" + _B + b"\n",
    "a title that is not UTF-8": b"#EXTM3U\n#EXTINF:12,caf\xe9\n" + _A + b"\n" + _B + b"\n",
    "a name that is not UTF-8": b"#EXTM3U\n" + _A + b"\ncaf\xe9.mp3\n" + _B + b"\n",
    "dot segments": b"#EXTM3U\n./" + _A + b"\n-/../" + _B + b"\n././" + _C + b"\n",
    "percent escapes": b"#EXTM3U\nplai%6E.mp3\n" + _C + b"\n",
    "a stream": b"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:9\n" + _A + b"\n" + _B + b"\n",
}


@pytest.mark.parametrize("suffix", [".m3u", ".m3u8"])
def test_a_real_player_reads_playlists_in_each_dialect_of_m3u_as_its_model_does(
    player: str, opened: Opened, difference: str | None, music: Path, suffix: str
) -> None:
    if difference:
        pytest.skip(difference)
    if player in _SLOW and suffix == ".m3u8":
        pytest.skip("each start takes seconds, and it does not look at the suffix")
    differences = {}
    for number, (name, content) in enumerate(_FILES.items()):
        if player in _SLOW and name not in ("a mark and no header", "CRLF", "percent escapes"):
            continue
        playlist = music / f"file{number}{suffix}"
        playlist.write_bytes(content)
        real, expected = opened(playlist), read(player, playlist, music)
        if real != expected:
            differences[name] = (real, expected)

    assert differences == {}
