"""If the state cannot be written, no playlist is dealt or updated: the new order could not be saved."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.processes import injected
from tests.support.program import DATA, listed, numbered, run
from tests.support.service import Service, aged, config, wait_for

pytestmark = pytest.mark.process

_LESS = "-dac_override,-dac_read_search"
# Starts a program that obeys the modes of files, even as root.
OBEYING = ["setpriv", "--bounding-set", _LESS, "--inh-caps", _LESS] if os.geteuid() == 0 else []


@pytest.fixture
def music(tmp_path: Path) -> Path:
    need("setpriv")
    return aged(numbered(tmp_path / "Music", 60))


@pytest.fixture
def state(home: Path) -> Iterator[Path]:
    folder = home / ".local/state/playshuffle"
    yield folder
    open_up(folder)


def close(state: Path, how: str) -> None:
    if how == "read-only":
        for path in state.glob("state.*"):
            path.chmod(0o400)
    state.chmod(0o500 if how == "read-only" else 0)


def open_up(state: Path) -> None:
    if state.exists():
        state.chmod(0o700)
        for path in state.glob("state.*"):
            path.chmod(0o600)


@pytest.mark.parametrize("how", ["unreadable", "read-only"])
def test_the_service_changes_no_playlist_until_the_state_can_be_written_again(
    music: Path, tmp_path: Path, state: Path, how: str
) -> None:
    text = config(music) + "[playlist.today]\nlimit = 5\nevery = 'day'\n"
    with Service(tmp_path, text, before=OBEYING) as service:
        wait_for((music / "today.m3u").exists)
        wait_for((music / "all.m3u").exists)
        wait_for(lambda: len(service.processes()) == 2)  # the first update has ended
        before = [(music / name).read_bytes() for name in ("all.m3u", "today.m3u")]
        close(state, how)
        shutil.copyfile(DATA / "tone.ogg", music / "new.ogg")
        wait_for(lambda: service.log.count("Nothing can be saved") == 2)
        assert [(music / name).read_bytes() for name in ("all.m3u", "today.m3u")] == before

        def are_errors() -> bool:
            status = run("status", "--json", env=service.env, before=OBEYING)
            states = {one["state"] for one in json.loads(status.out)["playlists"]}
            return (status.code, states) == (1, {"error"})

        wait_for(are_errors)

        open_up(state)
        wait_for(lambda: "new.ogg" in listed(music / "all.m3u"))
        assert (music / "today.m3u").read_bytes() == before[1]


@pytest.mark.parametrize("how", ["unreadable", "read-only"])
def test_without_a_writable_state_a_deal_and_a_make_of_known_lists_fail_and_change_no_playlist(
    music: Path, tmp_path: Path, state: Path, how: str
) -> None:
    (tmp_path / "config.toml").write_text(config(music) + "[playlist.today]\nlimit = 5\nevery = 'week'\n")
    env = {"PLAYSHUFFLE_CONFIG": str(tmp_path / "config.toml")}
    assert run("make", env=env).code == 0
    assert run("deal", "--due", env=env).code == 0
    before = [(music / name).read_bytes() for name in ("all.m3u", "today.m3u")]
    close(state, how)

    for words in (("make",), ("deal", "--due"), ("deal", str(music), "-n", "3")):
        done = run(*words, env=env, before=OBEYING)
        assert done.code == 73, done.err
        assert "Nothing can be saved" in done.err
    assert [(music / name).read_bytes() for name in ("all.m3u", "today.m3u")] == before


def test_the_command_make_with_a_folder_writes_its_playlist_though_the_state_is_read_only(
    music: Path, state: Path
) -> None:
    """It reads the state: tracks that seem to be missing stay in the playlist."""
    assert run("make", music).code == 0
    close(state, "read-only")

    done = run("make", music, before=OBEYING)
    assert done.code == 0, done.err
    assert "Nothing can be saved for the next run" in done.err

    for path in sorted(music.glob("*.mp3"))[:50]:
        path.unlink()
    done = run("make", music, before=OBEYING)
    assert done.code == 0
    assert f"50 of 60 tracks wait for {music}: " in done.err
    assert len(listed(music / "playshuffle.m3u")) == 60


@pytest.mark.parametrize("error", ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EIO"])
def test_without_file_locks_a_deal_fails_at_once_and_advises_a_folder_on_a_local_disk(
    music: Path, state: Path, error: str
) -> None:
    """SQLite takes the missing locks for those of another process, and waits."""
    before = [*injected("fcntl", f"error={error}"), "-P", str(state / "state.db")]

    done = run("deal", music, "-n", "3", before=before)

    assert done.code == 73
    assert "its file system cannot lock files" in done.err
    assert "Set XDG_STATE_HOME to a folder on a local disk." in done.err
    assert run("make", music, before=before).code == 0


def test_the_command_deal_fails_if_home_is_not_set(music: Path) -> None:
    names = ["HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]
    without = ["env", *(word for name in names for word in ("-u", name))]
    # The program and its libraries may be in a folder that only root can read.
    reading = ["--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search"]
    unknown = ["setpriv", "--reuid=54321", "--clear-groups", *reading] if os.geteuid() == 0 else []
    music.chmod(0o777)

    done = run("deal", str(music), "-n", "3", before=[*without, *unknown])

    assert done.code == 73, done.err
    assert "HOME is not set" in done.err
    assert not (music / "today.m3u").exists()
