"""Audit a playlist file: how its artists and albums are mixed."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from playshuffle import __version__
from playshuffle.audit.mix import Guesses, Mix, guesses, mix, successors
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.groups import ALBUM, artist_keys, group_keys, known_count
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tag_rows import cached_rows
from playshuffle.pipeline.tools import Tools
from playshuffle.playlist.playlist_reader import read
from playshuffle.text import shell_word


class PlaylistAudit(NamedTuple):
    """The figures of an audited playlist.

    Attributes:
        foreign: number of entries without an audio file here. The other figures ignore them.
        by: number and name of each track's artist; a negative number without an artist.
    """

    playlist: bytes
    entries: int
    foreign: int
    tracks: int
    artists: int
    untagged: int
    by_artist: Mix
    by_album: Mix
    successors_in_path_order: int
    predictable: Guesses
    paths: Sequence[bytes]
    by: Sequence[tuple[int, str]]

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON. Bytes that are not UTF-8 become U+DC80 to U+DCFF."""
        facts = self._asdict() | {
            "playlist": os.fsdecode(self.playlist),
            "by_artist": self.by_artist._asdict(),
            "by_album": self.by_album._asdict(),
            "predictable": self.predictable._asdict(),
        }
        del facts["paths"], facts["by"]
        return {"playshuffle": __version__, **facts}


def look_into(playlist: bytes, tools: Tools) -> PlaylistAudit:
    """Audit a playlist. Tags of its tracks are read from the cache if they are in it.

    Raises:
        PlayshuffleError: the playlist names no audio file.
    """
    entries, files = _files(playlist)
    request = Request((), None, files=tuple(dict.fromkeys(files)))
    with open_library([request], tools) as opened:
        tracks = opened.library(request).tracks
        index_of = {path: index for index, path in enumerate(tracks.paths)}
        paths = [path for path in files if path in index_of]
        if not paths:
            raise PlayshuffleError(
                f"{shown(playlist)} has no entry with an audio file, so there is nothing to audit. See:"
                f" playshuffle check {shell_word(playlist)}",
                Exit.NOTHING_TO_PLAY,
            )
        assert opened.cache is not None, "tags are read"
        order = [index_of[path] for path in paths]
        chosen = Chosen(tracks, range(len(tracks)), cached_rows(opened.cache, tools.read_all))
        artist, album = artist_keys(tracks), group_keys(chosen, ALBUM)
    return PlaylistAudit(
        playlist,
        entries,
        entries - len(paths),
        len(paths),
        known_count(artist),
        sum(not tracks.artists[index] for index in order),
        mix(paths, [artist[index] for index in order]),
        mix(paths, [album[index] for index in order]),
        successors(paths),
        guesses([artist[index] for index in order]),
        paths,
        [(artist[index], tracks.artists[index].decode(errors="replace")) for index in order],
    )


def _files(playlist: bytes) -> tuple[int, list[bytes]]:
    """Return the number of entries of a playlist, and the paths of its local files.

    A function of its own, so that the entries of a large playlist are freed before the scan.
    """
    entries = read(playlist).entries
    return len(entries), [os.path.normpath(entry.path) for entry in entries if entry.path]
