"""Draw the picture of a playlist for docs/make.md: `python -m scripts.draw_playlist`."""

from pathlib import Path

from playshuffle.audit import playlist_picture
from playshuffle.shuffle import Seeded, spread

PICTURE = Path(__file__).parents[1] / "docs/pictures/playlist.svg"
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
    return picture.replace(b"<metadata", style, 1)


if __name__ == "__main__":
    PICTURE.write_bytes(drawn())
