"""The words that several verbs take: each option of a playlist, its spelling and its help, once.

A verb names its parameters as here, in lower case: an option without a spelling of its own takes
the name of the parameter.
"""

from typing import Annotated

import typer

from playshuffle.ordering.orders import ORDERS
from playshuffle.playlist.m3u import PathStyle

Folders = Annotated[list[str], typer.Argument(metavar="FOLDER...", show_default=False, help="Music folders.")]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE|-",
        help="Playlist to write (.m3u, .m3u8, .xspf, .jspf, .pls). Default: FOLDER/playshuffle.m3u.",
    ),
]
Order = Annotated[str, typer.Option(metavar="NAME", help=f"{', '.join(ORDERS)}: see `playshuffle orders`.")]
By = Annotated[
    str | None, typer.Option(metavar="TAG", help="What spread keeps apart, and blocks keeps together.")
]
BlockSize = Annotated[int | None, typer.Option("--block-size", metavar="N", help="Blocks of so many tracks.")]
Inside = Annotated[
    str | None,
    typer.Option(metavar="none|last|all", help="Which albums, folders or blocks are shuffled within, too."),
]
Part = Annotated[
    str | None,
    typer.Option(metavar="START:COUNT[:STRIDE]", help="Shuffle these places; the others stay."),
]
Gap = Annotated[
    str | None,
    typer.Option(metavar="N|N%", help="From one playing of a track to its next, at least N plays."),
]
Pins = Annotated[
    list[str] | None,
    typer.Option(
        "--pin",
        metavar="TRACK[@PLACE]",
        help="Keep a track at a place: a number from 1, first, last, here.",
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many tracks.")]
Time = Annotated[str | None, typer.Option("--time", metavar="90m", help="At most this much playing time.")]
Seed = Annotated[str | None, typer.Option(metavar="TEXT", help="Same text, same tracks: same order.")]
Paths = Annotated[
    PathStyle | None,
    typer.Option(
        "--paths", help="How tracks are named. Default: relative, where it can be.", show_default=False
    ),
]
Player = Annotated[
    str,
    typer.Option("--for", metavar="PLAYER", help="What reads it, such as mpd: see `playshuffle players`."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Write nothing if that player would lose any track.")]
RootAs = Annotated[
    str | None,
    typer.Option("--root-as", metavar="DIR", help="The music folder as the player knows it, such as /Music."),
]
RelativeTo = Annotated[
    str | None,
    typer.Option(
        "--relative-to", metavar="DIR", help="Paths relative to this folder, not to the playlist's."
    ),
]
ReplacePrefix = Annotated[
    list[str] | None,
    typer.Option("--replace-prefix", metavar="FROM=TO", help="A folder here, and what it is to the player."),
]
PartSize = Annotated[
    int | None,
    typer.Option("--part-size", metavar="N", help="At most N tracks a file; more go to NAME-1, NAME-2, …"),
]
NoExtinf = Annotated[
    bool, typer.Option("--no-extinf", help="Write no #EXTINF lines (for MPD's playlist folder).")
]
NoTags = Annotated[
    bool, typer.Option("--no-tags", help="Do not read tags: faster, without titles and lengths.")
]
NoIgnoreFiles = Annotated[
    bool, typer.Option("--no-ignore-files", help="Take what .nomedia, .ndignore and their kin exclude.")
]
AllowShrink = Annotated[
    bool, typer.Option("--allow-shrink", help="Yes, most of the tracks are gone, and it is meant.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a playlist that playshuffle did not write.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Say what was done as JSON on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Name what was left out.")]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config", metavar="FILE", help="Configuration. Default: ~/.config/playshuffle/config.toml."
    ),
]
