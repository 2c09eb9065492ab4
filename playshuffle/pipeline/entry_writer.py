"""Decide how playlist entries are written: path style, base folder, format and EXTINF."""

import contextlib
import os
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from playshuffle.errors import Exit, Note, OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Folder
from playshuffle.library.suspect_names import is_plain
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.request import Request
from playshuffle.players.losses import Loss, left_out, losses, twins
from playshuffle.players.player import Player
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.players.quirks import LIST_QUIRKS
from playshuffle.playlist.formats import M3U, Format, format_of
from playshuffle.playlist.m3u import PathStyle, Text, escaped
from playshuffle.playlist.path_map import Base
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.system import mpd_conf, mpd_server
from playshuffle.tags.cause import NAME, TWIN, Cause
from playshuffle.text import any_of


class EntryWriter(NamedTuple):
    """How to write the entries of one playlist."""

    player: str
    style: PathStyle
    base: Base
    output: bytes
    folder: bytes
    format: Format
    extinf: bool

    @property
    def _written(self) -> PathStyle:
        return PathStyle.URI if self.format.is_uri else self.style

    def lines(self, folder: Folder) -> list[bytes]:
        mapped_folder = folder._replace(path=self.base.for_player(folder.path)) if self.base.swaps else folder
        entries = self.format.text.lines(mapped_folder, self.style, self.base.folder, with_extinf=self.extinf)
        is_odd = self._escapes and not {*b"%+"}.isdisjoint(mapped_folder.path + mapped_folder.names)
        return list(map(escaped, entries)) if is_odd else entries

    @property
    def _escapes(self) -> bool:
        return PLAYERS[self.player].escapes and self.format is M3U and self.style is not PathStyle.URI

    def comments(self) -> list[tuple[str, str]]:
        comments = []
        if base_comment := self.base.comment(self.folder):
            comments.append(("BASE", base_comment))
        if self._escapes:
            comments.append(("ESCAPES", "%XX"))
        return comments

    def text(self, tracks: Tracks, order: Sequence[int], comments: Sequence[tuple[str, str]]) -> Text:
        """Return the text of the playlist with these tracks in this order."""
        # The lines do not depend on where the playlist is, so several playlists of a style share them.
        style = self._replace(output=b"", folder=b"")
        return self.format.text(_lines_of(tracks, style), order, comments)

    def suspects(self, tracks: Tracks, indices: Sequence[int]) -> list[bytes]:
        """Return the paths of these tracks if any folder has unusual names, else none.

        If they are the whole library, return only the paths in such folders.
        """
        base = self.base
        odd_folders = [
            folder
            for folder in (tracks.folders if base.swaps else tracks.odd_folders)
            if folder.has_odd_names or not is_plain(base.shape(folder.path), folder.names)
        ]
        if tracks.rows is None and len(indices) == len(tracks):
            return Tracks(odd_folders).paths
        return tracks.paths_of(sorted(indices)) if odd_folders else []

    def losses(self, suspects: Sequence[bytes], count: int) -> list[Loss]:
        """Return the tracks that the player cannot open; for the generic player, that some player cannot."""
        all_losses = losses(self._seen(suspects), count, self._written, self.base.folder, self.player)
        return [*self._refused(count), *all_losses]

    def _refused(self, count: int) -> list[Loss]:
        """Return all tracks as lost if the player cannot read lists of this form, such as lists of URIs."""
        player = PLAYERS[self.player]
        everything = []
        if self.player == GENERIC:
            return []
        if self._written is PathStyle.URI and "uri" in player.loses:
            everything.append("uri")
        if self._written is PathStyle.RELATIVE and "music" in player.loses:
            everything.append("music")
        if self._written is PathStyle.ABSOLUTE and "device" in player.loses and not self.base.swaps:
            everything.append("device")
        suffix = os.path.splitext(self.output)[1].lower()
        if suffix not in player.loads and self.format is M3U:
            everything.append("suffix")
        quirks = [LIST_QUIRKS[key] for key in everything]
        return [Loss(quirk.what, (player.title,), quirk.cure, range(count)) for quirk in quirks]

    def unwritable(self, tracks: Tracks, indices: Sequence[int]) -> dict[bytes, Cause]:
        reason_of: dict[bytes, Cause] = {}
        if self.base.within:
            where = any_of(list(map(shown, self.base.within)))
            reason_of |= {
                path: Cause(NAME, f"outside of {where}")
                for folder in tracks.folders
                if not self.base.is_seen(folder.path)
                for path in Tracks([folder]).paths
            }
        suspects = self.suspects(tracks, indices)
        reasons = (
            left_out(self._seen(suspects), self._written, self.base.folder, self.player) if suspects else {}
        )
        reason_of |= {suspects[index]: Cause(NAME, reason) for index, reason in reasons.items()}
        backslash = Cause(NAME, "a backslash in the name")
        reason_of |= {path: backslash for path in suspects if not self.base.is_nameable(path)}
        if PLAYERS[self.player].has_twins:
            paths = tracks.paths_of(indices)
            reason_of |= {paths[row]: Cause(TWIN, shown(twin)) for row, twin in twins(paths).items()}
        return reason_of

    def _seen(self, paths: Sequence[bytes]) -> Sequence[bytes]:
        return list(map(self.base.shape, paths)) if self.base.swaps else paths


@lru_cache(1)  # the playlists of an update have the same library, and mostly the same style
def _lines_of(tracks: Tracks, writer: EntryWriter) -> list[bytes]:
    """Return the playlist lines of each track."""
    return tracks.of_tracks([line for folder in tracks.folders for line in writer.lines(folder)])


def entry_writer(request: Request, file: PlaylistFile | None, folders: Sequence[Folder]) -> EntryWriter:
    """Decide how to write the tracks of these folders.

    Raises:
        PlayshuffleError: the options of the request contradict each other.
    """
    player = PLAYERS[request.options.player]
    format_ = format_of(file.path) if file is not None else M3U
    style, base = _style_and_base(request, file, folders, format_)
    return EntryWriter(
        request.options.player,
        style,
        base,
        request.output or b"-.m3u",
        file.folder if file is not None else b"/",
        format_,
        request.options.extinf and player.extinf,
    )


def _style_and_base(
    request: Request, file: PlaylistFile | None, folders: Sequence[Folder], format_: Format
) -> tuple[PathStyle, Base]:
    player = PLAYERS[request.options.player]
    folder = file.folder if file is not None else b"/"
    base = Base(folder)
    style = request.style
    if request.swaps:
        foreign = any(not path.startswith(b"/") for _, path in request.swaps)  # a drive, a share, a URL
        if foreign and (style is PathStyle.URI or format_.is_uri):
            raise OptionError(
                "A path of another system, such as one with a drive letter, cannot be written as a URI."
                " Remove {}, or replace the prefix with a Unix path.",
                'paths = "uri"',
            )
        base = Base(folder, request.swaps, tuple(local for local, _ in request.swaps))
        style = style or (
            PathStyle.URI if player.style is PathStyle.URI and not foreign else PathStyle.ABSOLUTE
        )
    elif request.relative_to is not None:
        base = Base(request.relative_to)
        style = PathStyle.RELATIVE
    elif player.uses_mpd_conf and (style or player.style) is not PathStyle.URI and file is not None:
        is_absolute = (style or player.style) is PathStyle.ABSOLUTE
        if (mpd_base := _base_of_mpd(request.roots, file, is_absolute=is_absolute)) is not None:
            base, style = mpd_base, style or player.style or PathStyle.RELATIVE
    if style is None:
        style = _style(request.roots, file, folders, player, format_)
    if style is PathStyle.RELATIVE and base == Base(folder) and not _climbs_as_written(folder, folders):
        base = Base(os.path.realpath(folder))
    return style, base


def _climbs_as_written(folder: bytes, folders: Sequence[Folder]) -> bool:
    """Return whether `..` leads from the playlist to these folders despite symbolic links."""
    top = os.path.commonpath([folder, *(other.path for other in folders)])
    return os.path.realpath(folder) == os.path.normpath(
        os.path.join(os.path.realpath(top), os.path.relpath(folder, top))
    )


def notes_on_mpd(request: Request) -> list[Note]:
    """Return a note for each folder outside of MPD's music folder, or one note that this is unknown."""
    own_paths = request.swaps or request.relative_to is not None or request.style is PathStyle.URI
    if not PLAYERS[request.options.player].uses_mpd_conf or own_paths:
        return []

    try:
        conf = mpd_server.settings() or mpd_conf.read()
    except PlayshuffleError as error:  # the playlist was named, so the folders of MPD were not needed
        return [Note("mpd_unknown", f"{error} Whether MPD has these tracks was not checked.")]
    if conf is None or conf.music is None or not conf.music.startswith(b"/"):
        return []
    music = os.path.join(os.path.realpath(conf.music), b"")
    return [
        Note(
            "outside_of_mpd",
            f"{shown(root)} is outside of MPD's music folder, {shown(conf.music)}."
            " MPD plays its tracks only for programs that use its local socket.",
            root,
        )
        for root in request.roots
        if _in_music(root, music) is None
    ]


def _style(
    roots: Sequence[bytes],
    file: PlaylistFile | None,
    folders: Sequence[Folder],
    player: Player,
    format_: Format,
) -> PathStyle:
    if player.style is PathStyle.URI or format_.is_uri:
        return PathStyle.URI
    if file is None or file.is_link:
        return PathStyle.ABSOLUTE  # it is unknown where it will be read
    if player.style is not None:
        return player.style
    # Relative if all tracks are below the playlist's folder or below its root.
    inside = file.folder.rstrip(b"/") + b"/"
    for top in (inside, *(root.rstrip(b"/") + b"/" for root in roots)):
        if inside.startswith(top) and all(folder.path.startswith(top) for folder in folders):
            return PathStyle.RELATIVE if _climbs_as_written(file.folder, folders) else PathStyle.ABSOLUTE
    return PathStyle.ABSOLUTE


def _base_of_mpd(roots: Sequence[bytes], file: PlaylistFile, *, is_absolute: bool) -> Base | None:
    """Return the base for paths that MPD can open; None if MPD does not read the playlist."""
    conf = mpd_server.settings()
    if conf is None or conf.music is None or conf.playlists is None or not conf.music.startswith(b"/"):
        return None
    if os.path.realpath(conf.playlists) != os.path.dirname(file.path):
        return None
    music = os.path.join(os.path.realpath(conf.music), b"")
    pairs = [pair for root in roots if (pair := _in_music(root, music)) is not None]
    if not pairs:
        raise OptionError(
            "MPD cannot play this music, since it is outside of its music folder, {folder} ({conf}). Name the"
            " playlist with {}, and the folder as MPD sees it with {}.",
            "output",
            'map = "FROM=TO"',
            code=Exit.NO_INPUT,
            folder=conf.music,
            conf=conf.path,
        )
    within = tuple(root_part for root_part, _ in pairs)
    if is_absolute:  # MPD compares them literally with its setting
        music_folder = os.path.join(conf.music, b"")
        swaps = [(root_part, music_folder + music_part[len(music) :]) for root_part, music_part in pairs]
        return Base(file.folder, tuple(pair for pair in swaps if pair[0] != pair[1]), within)
    if len(roots) == 1:  # by this name or another, the end of the path is mostly the same
        ((root_part, music_part),) = pairs
        below_music = music_part[len(music) :]
        if root_part.endswith(b"/" + below_music):
            return Base(root_part.removesuffix(below_music), (), within)
    return Base(music, tuple(pair for pair in pairs if pair[0] != pair[1]), within)


def _in_music(root: bytes, music: bytes) -> tuple[bytes, bytes] | None:
    """Return the folder that a root and MPD's music folder share: its path here, and for MPD."""
    root_path, real = os.path.join(root, b""), os.path.join(os.path.realpath(root), b"")
    if music.startswith(real):
        return root_path + music[len(real) :], music
    if real.startswith(music):
        return root_path, real
    with contextlib.suppress(OSError), os.scandir(music) as entries:  # many users link their music there
        for entry in entries:
            linked = os.path.join(os.path.realpath(entry.path), b"") if entry.is_symlink() else b""
            if linked and real.startswith(linked):
                return root_path, os.path.join(entry.path, b"") + real[len(linked) :]
    return None
