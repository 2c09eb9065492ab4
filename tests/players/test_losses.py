import pytest

from playshuffle.players.losses import Loss, losses
from playshuffle.playlist.m3u import PathStyle, entries, unwritable
from tests.support.hostile import PATHS

RELATIVE, ABSOLUTE, URI = PathStyle.RELATIVE, PathStyle.ABSOLUTE, PathStyle.URI
MPD = "MPD from 0.24.16 on"
PLAIN = [b"/m/a b.mp3", "/m/Ä/音楽 (1) [x] 'y' & z; *|+~.mp3".encode(), b"/m/100% pure.mp3", b"/m/co:lon.mp3"]


def lost(name: bytes, style: PathStyle) -> set[str]:
    """Return the players that lose the track of this name; no player may lose a track of a plain name."""
    found = losses([*PLAIN, b"/m/" + name], 1, style, b"/m")

    assert all(list(loss.indices) == [len(PLAIN)] for loss in found)
    return {player for loss in found for player in loss.players}


@pytest.mark.parametrize(
    ("name", "path", "uri"),
    [
        (b"plain.mp3", "", ""),
        (b"#1.mp3", "VLC", ""),
        (b"a%20b.mp3", "VLC, Jellyfin, Music Assistant", ""),
        (b"a%2fb/%41.mp3", "VLC, Jellyfin", ""),
        (b"a%20b 100%.mp3", "Jellyfin, Music Assistant", ""),
        (b"%zz.mp3", "", ""),
        (b" x.mp3", "MPD before 0.24", ""),
        (b"dir /x.mp3", "MPD before 0.24", ""),
        (b"tab\tinside.mp3", "", ""),
        (b"a\\b.mp3", "LMS, OwnTone, Rockbox, Music Assistant, Strawberry 1.0", "Strawberry 1.0"),
        (b"vt\x0bx.mp3", "Music Assistant", ""),
        (b"nel\xc2\x85x.mp3", "Music Assistant", ""),
        (b"us\x1fx.mp3", "", ""),
        (b"a\xef\xbf\xbeb.mp3", "Strawberry", "Strawberry"),
        (b"new\nline.mp3", "", "MPD, cmus, MPlayer, MOC"),
        (b"cr\r.mp3", "", "MPD, cmus, MPlayer, MOC"),
        (
            b"caf\xe9.mp3",
            f"VLC, Mopidy, Rhythmbox, Strawberry, Audacious, Rockbox, {MPD}, mpv from 0.37 on, every server",
            f"{MPD}, cmus, Strawberry, Navidrome",
        ),
        (b"x" * 256 + b".mp3", "", ""),
        (b"x" * 257 + b".mp3", "Rockbox", ""),
        (b"-" + b"x" * 255 + b".mp3", "Rockbox", ""),  # with './' in front
        (b"x/" * 2048 + b".mp3", "Rockbox, Kodi, MPD", ""),
    ],
)
def test_a_track_is_reported_as_lost_for_exactly_the_players_measured_to_lose_its_odd_name(
    name: bytes, path: str, uri: str
) -> None:
    assert lost(name, RELATIVE) == set(path.split(", ")) - {""}
    assert lost(name, URI) == set(uri.split(", ")) - {""}


def test_a_relative_entry_without_the_odd_name_of_a_folder_above_it_is_not_reported_as_lost() -> None:
    paths = [b"/#\xff\\/m/x.mp3", b"/#\xff\\/y.mp3"]

    assert losses(paths, 1, RELATIVE, b"/#\xff\\/m") == []
    assert [list(loss.indices) for loss in losses(paths, 1, ABSOLUTE, b"/#\xff\\/m")] == [[0, 1]] * 3
    assert [list(loss.indices) for loss in losses([*paths, b"/z#.mp3"], 1, RELATIVE, b"/#\xff\\")] == [[2]]


def test_a_file_name_with_both_a_hash_and_a_question_mark_is_reported_once() -> None:
    found = losses([b"/#?#", b"/a", b"/?"], 1, ABSOLUTE, b"/")

    assert found == [Loss("'#' or '?' in the name", ("VLC",), "use --paths uri for VLC", [0, 2])]


def test_tracks_after_the_last_one_that_a_player_with_a_limit_loads_are_reported_as_lost() -> None:
    assert losses([], 10_000, RELATIVE, b"/") == []
    found = losses([], 10_002, RELATIVE, b"/")
    assert [loss.players for loss in found] == [("Mopidy",), ("Rockbox",)]
    assert [list(loss.indices) for loss in found] == [[10_000, 10_001]] * 2
    (loss,) = losses([], 16_386, RELATIVE, b"/", "mpd")
    assert (loss.players, list(loss.indices)) == (("MPD",), [16_384, 16_385])


@pytest.mark.parametrize("style", PathStyle)
def test_all_file_names_checked_at_once_are_reported_as_if_each_was_checked_alone(style: PathStyle) -> None:
    paths = [b"/m/" + path for path in sorted(PATHS)]
    writable = set(range(len(paths))).difference(unwritable(entries(paths, style, b"/m")))
    paths = [paths[index] for index in sorted(writable)]

    together = {(loss.what, index) for loss in losses(paths, 1, style, b"/m") for index in loss.indices}

    alone = {
        (loss.what, index) for index, path in enumerate(paths) for loss in losses([path], 1, style, b"/m")
    }
    assert together == alone
