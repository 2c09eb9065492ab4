"""Write the status as one static HTML page, for browsers and lynx.

It has no script and loads nothing. Times are absolute, so the same state gives the same bytes.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from itertools import groupby

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.service.status_json import NOT_WATCHED, PlaylistStatus, RootStatus, Status, failures
from playshuffle.system import atomic_file
from playshuffle.system.regular_file import read_regular
from playshuffle.text import composed, counted

_MARK = b"<!doctype html>\n<!-- playshuffle -->\n"
_HEAD_BYTES = 64 << 10  # bytes to read from a playlist
_STRIPES = 200  # tracks of a playlist to draw
_LONGEST = 60  # characters of a name in the legend

# Paul Tol's "bright" colours, which colour-blind people can distinguish (personal.sron.nl/~pault).
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377")

_STYLE = """
:root{color-scheme:light dark;--ink:#1b1b1b;--soft:#595959;--paper:#fff;--line:#d0d0d0;--bad:#a8001c}
@media(prefers-color-scheme:dark){
:root{--ink:#e8e8e8;--soft:#a8a8a8;--paper:#161616;--line:#444;--bad:#ff9a90}}
body{font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:auto;padding:1rem;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.2;margin:1.5rem 0 .5rem}p,ul{margin:.25rem 0}
section{border-top:1px solid var(--line)}small{color:var(--soft)}
.bad{color:var(--bad);font-weight:bold}progress{width:100%;max-width:20rem}
svg{display:block;width:100%;height:2.5rem;margin:.5rem 0}li{margin-right:1rem}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap}
.legend i{display:inline-block;width:.8em;height:.8em;margin-right:.3em;border:1px solid var(--line)}
.x{fill:#9a9a9a;background:#9a9a9a}
""" + "".join(f".c{number}{{fill:{colour};background:{colour}}}" for number, colour in enumerate(_COLOURS))

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class _Html(str):
    """Markup, which is not escaped; other text is."""

    __slots__ = ()


def write_page(path: bytes, status: Status, now_s: float) -> bool:
    """Write the status page, dated `now_s` (Unix seconds); return whether the file has changed.

    Raises:
        PlayshuffleError: the file is from another program.
    """
    try:
        is_ours = read_regular(path, len(_MARK)) == _MARK
    except OSError:
        is_ours = not os.path.lexists(path)
    if not is_ours:
        raise PlayshuffleError(
            f"{shown(path)} is from another program, and was not replaced. Choose another name.",
            Exit.CANNOT_CREATE,
        )
    return atomic_file.write(path, [page(status, now_s)])


def page(status: Status, now_s: float) -> bytes:
    """Return the status page, dated `now_s`. Playlists that cannot be updated come first."""
    head = _Html(
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>playshuffle</title><style>{_STYLE}</style>"
    )
    written = _tag("p", _tag("small", f"Written {_time(now_s)}."))
    body = [_tag("h1", "playshuffle"), *_verdict(status), written, _tag("h2", "Playlists")]
    playlists = sorted(status.playlists, key=lambda playlist: playlist.last_error is None)
    body += [_section(playlist) for playlist in playlists] or [_tag("p", "None.")]
    body += [_tag("h2", "Folders"), *map(_folder, status.roots)]
    document = _tag("html", _tag("head", head), _tag("body", *body), lang="en")
    return _MARK + document.encode(errors="replace") + b"\n"


def _tag(name: str, *content: str, **attributes: object) -> _Html:
    text = "".join(part if isinstance(part, _Html) else escape(shown(part)) for part in content)
    words = "".join(f' {key.rstrip("_")}="{escape(str(value))}"' for key, value in attributes.items())
    return _Html(f"<{name}{words}>{text}</{name}>\n")


def _verdict(status: Status) -> Iterator[_Html]:
    for service in status.services:
        yield _tag("p", f"The service runs since {_time(service.since)}.")
        if service.note is not None:
            yield _tag("p", service.note, class_="bad")
    if not status.services:
        yield _tag("p", "The service is stopped.")
    if problems := failures(status.playlists):
        yield _tag("p", f"{problems}.", class_="bad")


def _section(playlist: PlaylistStatus) -> _Html:
    facts = [playlist.state]
    facts += [counted(playlist.tracks, "track")] if playlist.tracks is not None else []
    facts += [playlist.order] if playlist.order else []
    facts += [f"written {_time(playlist.last_write)}"] if playlist.last_write is not None else []
    name = playlist.name or os.path.basename(playlist.output)
    parts = [_tag("h3", name), _tag("p", ", ".join(facts))]
    parts += [_tag("p", _tag("small", playlist.output))] if playlist.output else []
    parts += [_tag("p", problem, class_="bad") for problem in playlist.problems]
    parts += _deck(playlist)
    if playlist.left_out:
        counts = ", ".join(f"{count:,} {words}" for words, count in playlist.left_out.items())
        parts.append(_tag("p", f"Left out: {counts}."))
    return _tag("section", *parts, *_stripes(_artists(os.fsencode(playlist.output))))


def _deck(playlist: PlaylistStatus) -> Iterator[_Html]:
    facts = playlist.deck or {}
    if playlist.summary is not None:
        yield _tag("p", playlist.summary)
    if facts.get("tracks"):
        yield _tag("progress", max=facts["tracks"], value=facts.get("dealt", 0))
    if facts.get("next_deal"):
        after = ", if some of the last one was heard by then" if facts.get("unheard_since") else ""
        yield _tag("p", f"Next deal: {facts['next_deal']} 00:00{after}")


def _folder(root: RootStatus) -> _Html:
    facts = [root.state]
    facts += [counted(root.tracks, "track")] if root.tracks is not None else []
    facts += [root.watched] if root.watched != NOT_WATCHED else []
    kind = {"class_": "bad"} if root.state == "missing" else {}
    return _tag("p", f"{root.root}: {', '.join(facts)}", **kind)


def _artists(output: bytes) -> list[str]:
    try:
        head = read_regular(output, _HEAD_BYTES)
    except OSError:
        return []
    lines = head.decode(errors="replace").splitlines()[:-1]
    titles = [composed(line).partition(",")[2] for line in lines if line.startswith("#EXTINF:")]
    return [title.partition(" - ")[0] if " - " in title else "" for title in titles[:_STRIPES]]


def _stripes(artists: Sequence[str]) -> list[_Html]:
    most = [name for name, count in Counter(filter(None, artists)).most_common(len(_COLOURS)) if count > 1]
    if not most:
        return []
    colours = {name: f"c{number}" for number, name in enumerate(most)}
    rows, start = [], 0
    for colour, run in groupby(colours.get(name, "x") for name in artists):
        width = len(list(run))
        rows.append(_tag("rect", x=start, width=width, height=1, class_=colour))
        start += width
    label = f"The first {counted(len(artists), 'track')} by artist"
    picture = _tag("svg", *rows, viewBox=f"0 0 {len(artists)} 1", preserveAspectRatio="none", role="img")
    names = [
        _tag("li", _tag("i", class_=colour), f"{name[:_LONGEST]} ({artists.count(name):,})")
        for name, colour in colours.items()
    ]
    others = sum(name not in colours for name in artists)
    names += [_tag("li", _tag("i", class_="x"), f"others ({others:,})")] if others else []
    return [_tag("p", _tag("small", label)), picture, _tag("ul", *names, class_="legend")]


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"
