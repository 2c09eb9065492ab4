"""Draw the picture of a playlist for docs/make.md: `python -m scripts.draw_playlist`."""

import re
from pathlib import Path

from playshuffle.audit import playlist_picture
from playshuffle.shuffle import Seeded, spread

PICTURE = Path(__file__).parents[1] / "docs/pictures/playlist.svg"
# A rectangle as Matplotlib writes it: left top, right top, right bottom, left bottom, and back.
_CELL = rb"M (\S+) (\S+) L (\S+) \2 L \3 (\S+) L \1 \4 L \1 \2 "
ARTISTS = {
    "Anna Sine": 60,
    "Saw Tooth": 48,
    "The Squares": 40,
    "Tri & Angle": 32,
    "Night Bus": 26,
    "Low Tide": 20,
    "Half Moon": 14,
    "Lanterns": 12,
    "Driftwood": 10,
}


def drawn() -> bytes:
    """Return the picture of a spread playlist of 300 tracks."""
    names = [name for name, count in ARTISTS.items() for _ in range(count)]
    names += [f"Guest {number}" for number in range(300 - len(names))]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    keys = [numbers[name] for name in names]
    order = spread(range(len(names)), keys, Seeded("picture"))
    paths = [b"/music/%03d.ogg" % index for index in order]
    by = [(keys[index], names[index]) for index in order]
    picture = playlist_picture.draw(str(PICTURE), "No artist twice in a row", paths, by)
    # No background, and text in a colour of the page.
    picture = picture.replace(b"fill: #ffffff", b"fill: none").replace(b"stroke: #000000", b"stroke: #7a7a7a")
    style = (
        b"<style>svg{fill:#59636e}@media (prefers-color-scheme:dark){svg{fill:#b0b8c0}}</style>\n<metadata"
    )
    return _small(picture.replace(b"<metadata", style, 1))


def _small(picture: bytes) -> bytes:
    """Return the same picture in less than half of the bytes: fewer digits, and cells as rectangles."""

    def cell(corners: re.Match[bytes]) -> bytes:
        left, top, right, bottom = map(float, corners.groups())
        width, height = right - left, bottom - top
        return b"M%.1f %.1fh%.1fv%.1fh%.1fz" % (left, top, width, height, -width)

    def rounded(number: re.Match[bytes]) -> bytes:
        return number[0] if number[0].startswith(b"scale") else b"%.9g" % round(float(number[0]), 2)

    picture = re.sub(rb' *\n(?=[MLQCz"]|[0-9-])', b" ", picture)
    picture = re.sub(_CELL, cell, picture)
    picture = re.sub(rb"scale\([^)]*\)|-?\d+\.\d\d+", rounded, picture)
    picture = re.sub(rb"(?<=[0-9]) (?=[MLQC])|(?<=[MLQC]) (?=[0-9-])", b"", picture)
    return re.sub(rb"\n +", b"\n", picture.replace(b"DejaVuSans-", b"g").replace(b"xlink:href", b"href"))


if __name__ == "__main__":
    PICTURE.write_bytes(drawn())
