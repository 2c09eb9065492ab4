"""Test the option --from: playlists of the files that a list names, instead of all files in folders."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.processes import strace
from tests.support.program import DATA, library, listed, make, ran, refused, run
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

NAMES = ("a/1.mp3", "a/2.ogg", "b/3.flac", "b/Ä.wv")


MUSIC = [*NAMES, "c/other.mp3"]


@pytest.fixture(autouse=True)
def list_file(music: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a list of four files, list.txt in the music folder, which is the current folder."""
    monkeypatch.chdir(music)
    (music / "list.txt").write_text("\n".join(NAMES))
    return music / "list.txt"


@pytest.mark.parametrize(
    "form", [b"%s\n%s\n%s\n%s\n", b"%s\0%s\0%s\0%s\0", b"#EXTM3U\n#EXTINF:1,x\n%s\n%s\n%s\n%s"]
)
@pytest.mark.parametrize("folder", ["", "{music}/"])
def test_a_playlist_is_made_from_a_list_of_files_in_standard_input(
    music: Path, list_file: Path, form: bytes, folder: str
) -> None:
    list_file.write_bytes(form % tuple(os.fsencode(folder.format(music=music) + name) for name in NAMES))
    ran("make", "--from", "-", "-o", "x.m3u", stdin=list_file)
    assert sorted(listed(music / "x.m3u")) == sorted(NAMES)


def test_in_a_list_of_files_each_entry_that_is_not_an_audio_file_is_reported_with_the_reason(
    music: Path, list_file: Path
) -> None:
    list_file.write_text("\n".join([*NAMES, "gone.mp3", "cover.jpg", "a"]))
    (music / "cover.jpg").write_bytes(b"x")
    said = make("--from", list_file, "-o", "x.m3u", "-v")

    assert f"{music}/gone.mp3: no such file" in said
    assert f"{music}/cover.jpg: not audio by name" in said
    assert f"{music}/a: a folder" in said
    assert sorted(listed(music / "x.m3u")) == sorted(NAMES)


def test_streams_in_a_list_of_files_are_reported(music: Path, list_file: Path) -> None:
    list_file.write_text("\n".join([*NAMES, "http://radio.example/", "https://radio.example/"]))
    said = make("--from", list_file, "-o", "x.m3u")

    reason = "Not in the list, since they are not local files"
    assert f"{reason}: 2 entries of --from, such as http://radio.example/" in said


def test_if_most_files_of_a_list_of_files_are_missing_the_playlist_is_not_changed(music: Path) -> None:
    words = ("make", "--from", "list.txt", "-o", "x.m3u")
    for missing in NAMES[:2]:
        ran(*words)
        (music / missing).unlink()
    (music / NAMES[2]).unlink()
    before = (music / "x.m3u").read_bytes()

    error = refused(75, *words)
    assert "3 of 4 files in --from cannot be found" in error
    assert "it needs the path of a file in each line" in error
    assert (music / "x.m3u").read_bytes() == before


def test_a_playlist_made_from_itself_is_refused_if_files_of_its_entries_are_missing(
    music: Path, list_file: Path
) -> None:
    """Its entries are in no other file. If all their files exist, it is shuffled."""
    playlist = music / "own.m3u"
    make("--from", list_file, "-o", playlist)
    make("--from", playlist, "-o", playlist)
    assert sorted(listed(playlist)) == sorted(NAMES)

    (music / "a/1.mp3").rename(music / "hidden")
    before = playlist.read_bytes()
    for output in (playlist, music / "a/../own.m3u"):
        said = refused(75, "make", "--from", playlist, "-o", output)
        assert "lose 1 entry," in said
        assert "a/1.mp3 (no such file)" in said
    assert run("make", "--from", "-", "-o", playlist, stdin=playlist).code == 75
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
    "options",
    [
        "-n 2 --spoken",
        "--where -path:c --spoken",
        "--without skip.m3u --spoken",
        "--most 1:folder --spoken",
        "",
    ],
)
def test_a_playlist_made_from_itself_is_refused_if_options_leave_tracks_out(
    music: Path, list_file: Path, options: str
) -> None:
    """Without the option --spoken, spoken word is left out."""
    (music / "c/told.m4b").write_bytes((DATA / "tone.m4a").read_bytes())
    (music / "skip.m3u").write_text("#EXTM3U\na/1.mp3\n")
    list_file.write_text("\n".join([*NAMES, "c/told.m4b"]))
    playlist = list_file.rename(music / "own.m3u")
    words: list[str | Path] = ["make", "--from", playlist, "-o", playlist, *options.split(), "--force"]

    assert "left out by an option or a default" in refused(75, *words)
    assert playlist.read_text().splitlines() == [*NAMES, "c/told.m4b"]

    ran(*words, "--accept-missing")
    assert len(listed(playlist)) < len(NAMES) + 1


def test_a_deal_from_a_list_of_files_does_not_replace_that_list(music: Path) -> None:
    make("--from", "list.txt", "-o", "own.m3u")
    before = (music / "own.m3u").read_bytes()
    said = refused(2, "deal", "--from", "own.m3u", "-n", "3", "-o", "own.m3u")

    assert "would leave only the dealt tracks in it" in said
    ran("deal", "--from", "own.m3u", "-n", "3", "-o", "today.m3u")
    assert len(listed(music / "today.m3u")) == 3
    assert (music / "own.m3u").read_bytes() == before


def test_make_from_a_list_of_files_keeps_the_cached_tags_of_files_that_the_list_lacks(
    music: Path, list_file: Path
) -> None:
    make(music)
    list_file.write_text(NAMES[0])
    make("--from", list_file, "-o", "x.m3u")
    ran("make", music, before=strace(music / "log", "trace=openat"))

    assert b".ogg" not in (music / "log").read_bytes()


def test_tags_of_a_missing_drive_stay_cached_when_its_list_or_the_folder_that_has_it_is_read(
    music: Path,
) -> None:
    drive = tagged_library(music / "drive", {"1.mp3": {"title": "So What"}, "2.mp3": {"title": "Naima"}})
    make(music)
    make(drive, "-o", "drive.m3u")
    drive.rename(music.parent / "unplugged")

    refused(3, "audit", "drive.m3u")
    make(music)

    assert f"{drive}/1.mp3 is in no playlist any more" in ran("never", "So What").err


def test_the_command_watch_refuses_the_option_from() -> None:
    said = refused(2, "watch", "--from", "list.txt", "-o", "x.m3u")
    assert "Write playshuffle make --from. See" in said


def test_make_without_arguments_is_refused_if_no_music_folder_is_known() -> None:
    assert "No music folder was named" in refused(2, "make")


def test_a_list_of_files_is_read_from_a_fifo_that_another_process_writes(music: Path) -> None:
    script = 'exec "$@" --from <(printf "%s\\n" a/1.mp3 b/3.flac) -o l.m3u'
    ran("make", before=["bash", "-c", script, "bash"])
    assert sorted(listed(music / "l.m3u")) == ["a/1.mp3", "b/3.flac"]


def test_make_fails_at_once_if_the_list_of_files_is_unreadable_or_endless(music: Path) -> None:
    os.mkfifo("fifo")  # nobody writes it
    sources: dict[str | Path, int] = {"/dev/zero": 66, "fifo": 3, music: 66, "-": 3, 300 * "x": 66}
    for source, code in sources.items():
        refused(code, "make", "--from", source, "-o", "x.m3u")
    endless = run("make", "--from", "-", "-o", "x.m3u", stdin=Path("/dev/zero"))
    assert (endless.code, "larger than 256 MB" in endless.err) == (66, True)
    assert not (music / "x.m3u").exists()


def test_two_dots_in_an_entry_of_a_list_in_a_linked_folder_lead_up_from_the_target_of_the_link(
    music: Path, tmp_path: Path
) -> None:
    """The system and players resolve a path in this way, too."""
    disk = library(tmp_path / "disk", ["Album/1.mp3"])
    (disk / "Playlists").mkdir()
    (music / "Playlists").symlink_to(disk / "Playlists")
    (music / "Playlists/list.m3u").write_text("../Album/1.mp3\n")
    (music / "Playlists/names").write_bytes(b"../Album/1.mp3\0")

    ran("check", "Playlists/list.m3u")
    for source in ("Playlists/list.m3u", "Playlists/names"):
        make("--from", source, "-o", tmp_path / "new.m3u")
        assert listed(tmp_path / "new.m3u") == ["disk/Album/1.mp3"]
    make(music, disk, "--without", "Playlists/list.m3u", "-o", tmp_path / "rest.m3u")
    assert sorted(listed(tmp_path / "rest.m3u")) == [f"Music/{name}" for name in MUSIC]


@pytest.mark.parametrize("words", [(), ("--paths", "relative")])
def test_entries_of_a_playlist_in_a_linked_folder_lead_to_the_tracks(
    music: Path, tmp_path: Path, words: Sequence[str]
) -> None:
    (tmp_path / "disk" / "Playlists").mkdir(parents=True)
    (music / "Playlists").symlink_to(tmp_path / "disk" / "Playlists")
    playlist = music / "Playlists" / "list.m3u"

    make(music, "-o", playlist, *words)

    tracks = [playlist.resolve().parent / entry for entry in listed(playlist)]
    assert all(track.is_file() for track in tracks)
    assert len(set(tracks)) == len(MUSIC)
    before = listed(playlist)
    ran("check", playlist)
    make(music, "-o", playlist, "--order", "sattolo", *words)  # it reads its own entries back
    assert sorted(before) == sorted(listed(playlist))


def test_entries_are_relative_if_tracks_and_playlist_are_below_the_same_link(
    music: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(music)
    (music / "lists").mkdir()

    make(tmp_path / "link", "-o", tmp_path / "link/lists/list.m3u")

    assert sorted(listed(music / "lists/list.m3u")) == [f"../{name}" for name in MUSIC]
