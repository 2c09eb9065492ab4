"""Test playlists that are made from a list of files instead of folders."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support.processes import strace
from tests.support.program import DATA, library, listed, make, own_player, ran, refused, run

pytestmark = pytest.mark.process

NAMES = ("a/1.mp3", "a/2.ogg", "b/3.flac", "b/Ä.wv")


MUSIC = [*NAMES, "c/other.mp3"]


@pytest.mark.parametrize(
    "form",
    [
        lambda paths: b"\n".join(paths) + b"\n",
        lambda paths: b"\0".join(paths) + b"\0",
        lambda paths: b"#EXTM3U\n#EXTINF:1,x\n" + b"\n".join(paths),
    ],
    ids=["lines", "nul", "m3u"],
)
@pytest.mark.parametrize("is_relative", [True, False])
def test_a_playlist_is_made_from_the_files_of_a_list(
    music: Path, form: Callable[[list[bytes]], bytes], is_relative: bool
) -> None:
    paths = [os.fsencode(name if is_relative else music / name) for name in NAMES]
    list_file = music.with_name("list")
    list_file.write_bytes(form(paths))
    ran("make", "--from", "-", "-o", "list.m3u", cwd=music, stdin=list_file)
    assert sorted(listed(music / "list.m3u")) == sorted(NAMES)


def test_missing_files_of_a_source_list_are_named_with_the_reason(music: Path) -> None:
    lines = [*NAMES, "gone.mp3", "cover.jpg", "a"]
    (music / "list.txt").write_text("\n".join(lines))
    (music / "cover.jpg").write_bytes(b"x")
    said = make("--from", music / "list.txt", "-o", music / "list.m3u", "-v")

    assert f"{music}/gone.mp3: no such file" in said
    assert f"{music}/cover.jpg: not audio by name" in said
    assert f"{music}/a: a folder" in said
    assert sorted(listed(music / "list.m3u")) == sorted(NAMES)


def test_if_most_files_of_a_source_list_are_missing_the_playlist_is_not_changed(music: Path) -> None:
    make("--from", *_list(music, NAMES))
    (music / "a/1.mp3").unlink()
    make("--from", *_list(music, NAMES))
    for name in NAMES[1:3]:
        (music / name).unlink()
    before = (music / "list.m3u").read_bytes()

    assert "3 of 4 files in --from cannot be found" in refused(75, "make", "--from", *_list(music, NAMES))
    assert (music / "list.m3u").read_bytes() == before


def _list(music: Path, names: Sequence[str]) -> list[str | Path]:
    (music / "list.txt").write_text("\n".join(names))
    return [music / "list.txt", "-o", music / "list.m3u"]


def test_a_playlist_made_from_itself_is_refused_if_files_of_its_entries_are_missing(music: Path) -> None:
    """It is shuffled if all entries are there, and else refused: the entries are in no other file."""
    playlist = music / "own.m3u"
    make("--from", _list(music, NAMES)[0], "-o", playlist)
    make("--from", playlist, "-o", playlist)
    assert sorted(listed(playlist)) == sorted(NAMES)

    (music / "a/1.mp3").rename(music / "hidden")
    before = playlist.read_bytes()
    for output in (playlist, music / "a/../own.m3u"):
        said = refused(75, "make", "--from", playlist, "-o", output)
        assert "lose 1 entry," in said
        assert "a/1.mp3 (no such file)" in said
    piped = run("make", "--from", "-", "-o", playlist, cwd=music, stdin=playlist)
    assert piped.code == 75, piped.err
    assert playlist.read_bytes() == before

    make("--from", playlist, "-o", music / "other.m3u")
    make("--from", playlist, "-o", playlist, "--accept-missing")
    assert sorted(listed(playlist)) == sorted(NAMES[1:])


def test_a_playlist_made_from_itself_is_refused_if_it_has_a_radio_station(music: Path) -> None:
    playlist = music / "own.m3u"
    playlist.write_text("\n".join(["#EXTM3U", *NAMES, "http://radio.example/stream"]))
    before = playlist.read_bytes()
    said = refused(75, "make", "--from", playlist, "-o", playlist, "--force")

    assert "http://radio.example/stream (not a file)" in said
    assert playlist.read_bytes() == before


@pytest.mark.parametrize(
    "options", [["-n", "2"], ["--where", "-path:c"], ["--without", "skip.m3u"], ["--most", "1:folder"], []]
)
def test_a_playlist_made_from_itself_is_refused_if_options_leave_tracks_out(
    music: Path, options: list[str]
) -> None:
    """Spoken word is left out without any option."""
    (music / "c/told.m4b").write_bytes((DATA / "tone.m4a").read_bytes())
    (music / "skip.m3u").write_text("#EXTM3U\na/1.mp3\n")
    playlist = music / "own.m3u"
    make("--from", *_list(music, [*NAMES, "c/told.m4b"]), "--spoken")
    (music / "list.m3u").rename(playlist)
    before = playlist.read_bytes()
    more = [*options, *(["--spoken"] if options else [])]
    words: list[str | Path] = ["--from", playlist, "-o", playlist, *more, "--force"]

    assert "left out by an option or a default" in refused(75, "make", *words, cwd=music)
    assert playlist.read_bytes() == before

    make(*words, "--accept-missing", cwd=music)
    assert len(listed(playlist)) < len(NAMES) + 1


def test_a_split_playlist_does_not_replace_the_one_of_its_files_that_it_is_made_from(music: Path) -> None:
    player = own_player(max_per_file=1)
    make(music, "-o", music / "car.m3u", "--for", player)
    parts = {path: path.read_bytes() for path in music.glob("car-*.m3u")}
    assert len(parts) > 1

    refused(75, "make", "--from", music / "car-1.m3u", "-o", music / "car.m3u", "--for", player)

    assert {path: path.read_bytes() for path in music.glob("car*.m3u")} == parts


def test_a_deal_does_not_replace_the_list_that_it_deals_from(music: Path) -> None:
    playlist = music / "own.m3u"
    make("--from", _list(music, NAMES)[0], "-o", playlist)
    before = playlist.read_bytes()
    said = refused(2, "deal", "--from", playlist, "-n", "2", "-o", playlist)

    assert "would leave only the dealt tracks in it" in said
    assert playlist.read_bytes() == before


def test_make_from_a_list_of_some_files_keeps_the_cached_tags_of_the_others(music: Path) -> None:
    make(music)
    make("--from", *_list(music, NAMES[:1]))
    ran("make", music, before=strace(music / "log", "trace=openat"))

    assert b".ogg" not in (music / "log").read_bytes()


def test_queries_and_deals_work_with_a_list_of_files_in_place_of_folders(music: Path) -> None:
    make("--from", *_list(music, NAMES), "--where", "path:a")
    assert sorted(listed(music / "list.m3u")) == ["a/1.mp3", "a/2.ogg"]

    ran("deal", "--from", music / "list.txt", "-n", "3", "-o", music / "today.m3u")
    assert len(listed(music / "today.m3u")) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("make", ".", "--from", "list.txt", "-o", "x.m3u"), "Remove either."),
        (("make", "--from", "list.txt"), "Give it with -o"),
        (("make",), "No music folder was named"),
        (("watch", "--from", "list.txt", "-o", "x.m3u"), "Write playshuffle make --from. See"),
    ],
)
def test_commands_that_misuse_or_lack_the_option_from_are_refused(
    music: Path, words: tuple[str, ...], message: str
) -> None:
    _list(music, NAMES)

    assert message in refused(2, *words, cwd=music)


def test_a_list_of_files_is_read_from_a_fifo_that_another_process_writes(music: Path) -> None:
    script = 'exec "$@" --from <(printf "%s\\n" a/1.mp3 b/3.flac) -o l.m3u'
    ran("make", cwd=music, before=["bash", "-c", script, "bash"])
    assert sorted(listed(music / "l.m3u")) == ["a/1.mp3", "b/3.flac"]


def test_make_from_an_unreadable_list_fails_at_once(music: Path) -> None:
    os.mkfifo(music / "fifo")  # nobody writes it
    sources: dict[str | Path, int] = {"/dev/zero": 66, music / "fifo": 3, music: 66, "-": 3, 300 * "x": 66}
    for source, code in sources.items():
        refused(code, "make", "--from", source, "-o", music / "x.m3u")
    assert not (music / "x.m3u").exists()


def test_an_endless_list_of_files_is_refused(music: Path) -> None:
    done = run("make", "--from", "-", "-o", "x.m3u", cwd=music, stdin=Path("/dev/zero"))

    assert (done.code, "larger than 256 MB" in done.err) == (66, True)


def test_dot_dot_in_a_list_in_a_linked_folder_starts_at_the_target_of_the_link(
    music: Path, tmp_path: Path
) -> None:
    """As it does for the system, and so for players."""
    disk = library(tmp_path / "disk", ["Album/1.mp3"])
    (disk / "Playlists").mkdir()
    (music / "Playlists").symlink_to(disk / "Playlists")
    playlist = music / "Playlists" / "list.m3u"
    playlist.write_text("../Album/1.mp3\n")
    (music / "Playlists" / "names").write_bytes(b"../Album/1.mp3\0")

    ran("check", playlist)
    for source in (playlist, playlist.with_name("names")):
        make("--from", source, "-o", tmp_path / "new.m3u")
        assert listed(tmp_path / "new.m3u") == ["disk/Album/1.mp3"]
    make(music, disk, "--without", playlist, "-o", tmp_path / "rest.m3u")
    assert sorted(listed(tmp_path / "rest.m3u")) == [f"Music/{name}" for name in [*NAMES, "c/other.mp3"]]


@pytest.mark.parametrize("words", [(), ("--paths", "relative")])
def test_entries_of_a_playlist_in_a_linked_folder_lead_to_the_tracks(
    music: Path, tmp_path: Path, words: Sequence[str]
) -> None:
    (tmp_path / "disk" / "Playlists").mkdir(parents=True)
    (music / "Playlists").symlink_to(tmp_path / "disk" / "Playlists")
    playlist = music / "Playlists" / "list.m3u"

    make(music, "-o", playlist, *words)

    tracks = [playlist.resolve().parent / entry for entry in listed(playlist)]
    assert sorted(tracks) == sorted(track for track in tracks if track.is_file())
    assert len(tracks) == len(NAMES) + 1
    before = listed(playlist)
    assert run("check", playlist).code == 0
    make(music, "-o", playlist, "--order", "sattolo", *words)  # it reads its own entries back
    assert sorted(before) == sorted(listed(playlist))


def test_entries_are_relative_if_tracks_and_playlist_are_below_the_same_link(
    music: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(music)
    (music / "lists").mkdir()

    make(tmp_path / "link", "-o", tmp_path / "link" / "lists" / "list.m3u")

    assert sorted(listed(music / "lists" / "list.m3u")) == sorted(
        f"../{name}" for name in [*NAMES, "c/other.mp3"]
    )
