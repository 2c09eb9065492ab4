"""Define player profiles: the form of playlists for a player, and the entries that it loses."""

from collections.abc import Mapping
from typing import NamedTuple

from playshuffle.players.quirks import QUIRKS
from playshuffle.playlist.m3u import PathStyle

# Forms of an entry in the file: an absolute path, a relative one as it is, one that begins
# with './' or '../', a file:// URI.
FORMS = "ARDU"
FORM_OF = {PathStyle.RELATIVE: "D", PathStyle.ABSOLUTE: "A", PathStyle.URI: "U"}  # as we write it


class Lost(NamedTuple):
    """The forms of entries with which a player loses one kind of odd name.

    Attributes:
        forms: letters of `FORMS`; a small letter if the player may play another file instead.
        versions: the affected versions, in words; empty for all.
    """

    forms: str
    versions: str = ""

    def has(self, form: str) -> bool:
        return form in self.forms.upper()

    def plays_another(self, form: str) -> bool:
        return form.lower() in self.forms


class Player(NamedTuple):
    """A player profile: how playlists are written for it, and what it cannot read.

    Attributes:
        loses: maps keys of `quirks.QUIRKS` to losses.
        measured: the version that was tried with odd file names; empty if only `source` is known.
        style: path style; None is relative if possible, else absolute.
        loads: suffixes of the M3U files that it loads.
        latin1: suffixes of the M3U files that it does not read as UTF-8.
        plays: suffixes of the audio files that all its devices play; empty if it plays all.
        most: maximum entries that it reads.
        more: how to play more than these.
        longest: maximum bytes of a line.
        has_twins: names that differ only by case or Unicode form are one file to it.
        escapes: it decodes URI escapes in paths, so paths that seem to have one are escaped.
        uses_mpd_conf: its playlists are in the playlist_directory of MPD, relative to the music_directory.
        is_server: it plays on behalf of others, and reads names as text.
        play: a shell command that plays the file, if any; it may contain `{file}`, `{path}` (absolute) and
            `{mpd}` (as MPD loads it), quoted.
        use: how to load the playlist, in words, if `play` is not enough.
        like: the built-in player that a player of the configuration extends.
    """

    title: str
    loses: Mapping[str, Lost]
    measured: str = ""
    source: str = "its source"
    suffix: bytes = b".m3u"
    style: PathStyle | None = None
    extinf: bool = True
    loads: tuple[bytes, ...] = (b".m3u", b".m3u8")
    latin1: tuple[bytes, ...] = ()
    plays: tuple[bytes, ...] = ()
    most: int | None = None
    more: str = "use --limit"
    longest: int | None = None
    has_twins: bool = False
    escapes: bool = False
    uses_mpd_conf: bool = False
    is_server: bool = False
    play: str = ""
    use: str = ""
    like: str = ""

    @property
    def proof(self) -> str:
        return f"measured with {self.measured}" if self.measured else f"from {self.source}"

    def loses_written(self, key: str, form: str) -> Lost | None:
        """Return how the player loses entries of this form with this oddity; None if it reads them."""
        lost = self.loses.get(key)
        if lost is None or not lost.has(form) or (key == "decoded" and self.escapes):
            return None
        return lost

    def forms(self) -> str:
        return "AD" if self.style is None else FORM_OF[self.style]

    def writes_words(self) -> str:
        paths = {
            None: "relative paths if possible",
            PathStyle.RELATIVE: "relative paths",
            PathStyle.ABSOLUTE: "absolute paths",
            PathStyle.URI: "file:// URIs",
        }[self.style]
        if self.uses_mpd_conf and self.style in (None, PathStyle.RELATIVE):
            paths = "relative to its music_directory"
        place = "in its playlist_directory" if self.uses_mpd_conf else ""
        phrases = [self.suffix.decode(), place, paths, "" if self.extinf else "without titles"]
        return ", ".join(filter(None, phrases))

    def loses_words(self) -> list[str]:
        phrases = [
            f"{quirk.what} ({lost.versions})" if lost.versions else quirk.what
            for key, quirk in QUIRKS.items()
            if (lost := next(filter(None, (self.loses_written(key, form) for form in self.forms())), None))
        ]
        if self.style is not PathStyle.URI:
            phrases.insert(0, QUIRKS["newline"].what)
        if self.longest is not None:
            phrases.append(f"lines of more than {self.longest} bytes")
        if self.most is not None:
            phrases.append(f"more than {self.most:,} tracks")
        if self.has_twins:
            phrases.append("one of two names that differ by case or Unicode form")
        return phrases
