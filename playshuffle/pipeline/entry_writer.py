"""Decide how playlist entries are written: path style, base folder, format and EXTINF."""

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

from playshuffle.errors import Exit, OptionError, shown
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.suspect_names import is_plain
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.path_style import choose_style
from playshuffle.pipeline.request import Request
from playshuffle.players.losses import Loss, left_out, losses, twins
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.players.quirks import LIST_QUIRKS
from playshuffle.playlist.formats import M3U, Format, format_of
from playshuffle.playlist.m3u import PathStyle, escaped
from playshuffle.playlist.path_map import Base
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.text import any_of

_SHOWN = 3  # names in an error


class EntryWriter(NamedTuple):
    """How the entries of one playlist are written.

    output, folder: the playlist and its folder, as the user named them.
    max_per_file: the most entries of a file; None for all in one.
    """

    player: str
    style: PathStyle
    base: Base
    output: bytes
    folder: bytes
    format: Format
    extinf: bool
    max_per_file: int | None

    @property
    def _written(self) -> PathStyle:
        return PathStyle.URI if self.format.is_uri else self.style

    def lines(self, folder: Folder) -> list[bytes]:
        """Return the lines of each file in one folder."""
        mapped_folder = folder._replace(path=self.base.for_player(folder.path)) if self.base.swaps else folder
        entries = self.format.text.lines(mapped_folder, self.style, self.base.folder, with_extinf=self.extinf)
        is_odd = self._escapes and not {*b"%+"}.isdisjoint(mapped_folder.path + mapped_folder.names)
        return list(map(escaped, entries)) if is_odd else entries

    @property
    def _escapes(self) -> bool:
        return PLAYERS[self.player].escapes and self.format is M3U and self.style is not PathStyle.URI

    @property
    def style_alone(self) -> Self:
        """Return the writer without what belongs to one playlist: others may write their lines alike."""
        return self._replace(output=b"", folder=b"", max_per_file=None)

    def comments(self) -> list[tuple[str, str]]:
        """Return the comments that are needed to read the entries back."""
        base_comment = self.base.comment(self.folder)
        return [("BASE", base_comment)] * bool(base_comment) + [("ESCAPES", "%XX")] * self._escapes

    def suspects(self, tracks: Tracks) -> list[bytes]:
        """Return the tracks of all folders that have an unusual name in them."""
        base = self.base
        odd_folders = [
            folder
            for folder in tracks.folders
            if folder.has_odd_names
            or (
                (base.swaps or folder.durations_ms is None)
                and not is_plain(base.shape(folder.path), folder.names)
            )
        ]
        if tracks.chosen is None:
            return Tracks(odd_folders).paths
        return tracks.paths if odd_folders else []

    def losses(self, suspects: Sequence[bytes], count: int) -> list[Loss]:
        """Return what the player would lose; for the generic one, what any player would."""
        all_losses = losses(self._seen(suspects), count, self._written, self.base.folder, self.player)
        return [*self._refused(count), *all_losses]

    def _refused(self, count: int) -> list[Loss]:
        """Return the losses of all entries, if the options ask for what the player does not read."""
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

    def unwritable(self, tracks: Tracks) -> dict[bytes, str]:
        """Return why tracks cannot be written for this player, by path."""
        reason_of: dict[bytes, str] = {}
        if self.base.within:
            where = any_of(list(map(shown, self.base.within)))
            reason_of |= {
                path: f"outside of {where}"
                for folder in tracks.folders
                if not self.base.is_seen(folder.path)
                for path in Tracks([folder]).paths
            }
        suspects = self.suspects(tracks)
        reasons = (
            left_out(self._seen(suspects), self._written, self.base.folder, self.player) if suspects else {}
        )
        reason_of |= {suspects[index]: reason for index, reason in reasons.items()}
        reason_of |= {path: "a backslash in the name" for path in suspects if not self.base.is_nameable(path)}
        if PLAYERS[self.player].has_twins:
            alike = twins(tracks.paths)
            reason_of |= {
                tracks.paths[index]: f"only case or Unicode form differs: {shown(twin)}"
                for index, twin in alike.items()
            }
        return reason_of

    def _seen(self, paths: Sequence[bytes]) -> Sequence[bytes]:
        return list(map(self.base.shape, paths)) if self.base.swaps else paths

    def check_strict(
        self, unwritten: Sequence[Skipped], lost: Sequence[Loss], suspects: Sequence[bytes]
    ) -> None:
        """Check that no track is skipped, and that the player that was chosen loses none.

        Raises:
            PlayshuffleError: tracks would be lost.
        """
        phrases = [f"{shown(path)} ({reason})" for path, reason in unwritten]
        if self.player != GENERIC:
            for loss in lost:
                is_all = isinstance(loss.indices, range)  # of these it is the number that matters
                phrases += (
                    [loss.what] if is_all else [f"{shown(suspects[i])} ({loss.what})" for i in loss.indices]
                )
        if phrases:
            rest = f" and {len(phrases) - _SHOWN:,} more" if len(phrases) > _SHOWN else ""
            raise OptionError(
                "{player} would lose {tracks}. Nothing was written. Rename the files, or remove {}.",
                "strict = true",
                code=Exit.LOSSES,
                player=PLAYERS[self.player].title,
                tracks=", ".join(phrases[:_SHOWN]) + rest,
            )


@lru_cache(1)  # the playlists of an update have the same library, and mostly the same style
def lines_of_all(tracks: Tracks, writer: EntryWriter) -> list[bytes]:
    """Return the lines of all files in the folders of some tracks."""
    return [line for folder in tracks.folders for line in writer.lines(folder)]


def entry_writer(request: Request, file: PlaylistFile | None, folders: Sequence[Folder]) -> EntryWriter:
    """Decide how the tracks in these folders are written.

    Raises:
        PlayshuffleError: the options of the request contradict each other.
    """
    player = PLAYERS[request.player]
    format_ = format_of(file.path) if file is not None else M3U
    style, base = choose_style(request, file, folders)
    return EntryWriter(
        request.player,
        style,
        base,
        request.output or b"-.m3u",
        file.folder if file is not None else b"/",
        format_,
        request.extinf and player.extinf,
        None if file is None else request.max_per_file or player.part,
    )
