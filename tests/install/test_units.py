"""The texts of installed units: as shipped, except for the program and the folders."""

import os
import re
import sys
from pathlib import Path

import pytest

from playshuffle.config.load import load
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.install import installer, systemctl, units
from playshuffle.install.units import Program, WritableFolders
from playshuffle.install.writable_folders import open_lists
from tests.support.needs import need
from tests.support.processes import finished
from tests.support.refusals import refusal

ROOT = Path(__file__).parents[2]
PIPX = Program(
    ("/home/ann/.local/bin/playshuffle",), ("/home/ann/.local/share/pipx/venvs/playshuffle", "/usr")
)
PLAIN = WritableFolders(b"/home/ann/.local/state/playshuffle", (b"/srv/music",))
ODD = '/srv/a "b" %h \\x $HOME;\'#\u00e9 [c]'


def unit(
    program: Program = PIPX, folders: WritableFolders = PLAIN, environment: dict[str, str] | None = None
) -> str:
    text = units.rendered(program, folders, environment or {}, sandboxed=True)[units.SERVICE]
    assert text is not None
    return text


def every_unit(*, sandboxed: bool) -> dict[str, str | None]:
    plays = units.WritableFolders(b"/home/ann/plays", ())
    listener = units.rendered_service(units.LISTEN, PIPX, plays, {}, sandboxed=sandboxed)
    feeder = units.rendered_endless("today", PIPX, PLAIN, {}, sandboxed=sandboxed)
    return units.rendered(PIPX, PLAIN, {}, sandboxed=sandboxed) | listener | feeder


def values(text: str, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)


def called(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a script, by which this program seems to have been started."""
    script.parent.mkdir(parents=True, exist_ok=True)
    script.touch(0o755)
    monkeypatch.setattr(sys, "argv", [str(script), "service"])


def test_an_installed_unit_differs_from_the_shipped_unit_only_in_program_and_folders() -> None:
    shipped = (ROOT / "systemd" / units.SERVICE).read_text()
    changed = ("ConditionFileIsExecutable=", "ExecStart=", "ReadWritePaths=", "NoExecPaths=")

    def kept(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith(changed)]

    assert kept(unit().removeprefix(units.MARK)) == kept(shipped)


def test_the_unit_allows_the_service_to_write_to_the_folders_of_the_playlists() -> None:
    """It starts although such a folder is missing, but not without the folder of the state."""
    assert values(unit(), "ReadWritePaths") == ['"/home/ann/.local/state/playshuffle"', '"-/srv/music"']
    assert values(unit(), "NoExecPaths") == [
        '"-/home/ann/.local/state/playshuffle"',
        '"-/srv/music"',
        "-/tmp -/var/tmp -/dev/shm",
    ]


def test_the_unit_lets_the_program_run_even_if_the_program_is_below_a_playlist_folder() -> None:
    beside = Program(("/srv/music/venv/bin/playshuffle",), ("/srv/music/venv/bin", "/srv/music/venv"))

    assert '"-/srv/music"' not in values(unit(beside), "NoExecPaths")
    assert '"-/srv/music"' in values(unit(beside), "ReadWritePaths")


def test_the_unit_hides_private_files_except_those_that_the_configuration_names() -> None:
    home = os.path.expanduser("~")
    needed = [f"{home}/.var/app/org.kde.elisa/data/elisa.db", f"{home}/.viminfo"]
    read = PLAIN._replace(read=tuple(map(os.fsencode, needed)))
    hidden, fewer = (" ".join(values(unit(folders=each), "InaccessiblePaths")) for each in (PLAIN, read))

    for name in (
        ".netrc",
        ".docker",
        ".config/gh",
        ".config/rclone",
        ".bash_history",
        ".var/app",
        ".viminfo",
    ):
        assert f"-%h/{name} " in f"{hidden} "
    assert set(hidden.split()) - set(fewer.split()) == {"-%h/.var/app", "-%h/.viminfo"}


def test_a_folder_that_is_closed_although_a_playlist_is_beside_it_is_open_if_a_playlist_is_in_it() -> None:
    inside = PLAIN._replace(others=(os.path.expandvars(b"$HOME/.config"),))

    assert "-%h/.config" in values(unit(), "ReadOnlyPaths")[0].split()
    assert "-%h/.config" not in values(unit(folders=inside), "ReadOnlyPaths")[0].split()


def test_no_unit_of_a_user_claims_a_limit_of_the_network_that_its_systemd_ignores() -> None:
    for text in every_unit(sandboxed=True).values():
        assert values(text or "", "IPAddress(?:Deny|Allow)") == []


@pytest.mark.parametrize(
    ("output", "is_open"),
    [
        ("~/all.m3u", True),
        ("/all.m3u", True),
        ("~/.config/all.m3u", True),
        ("~/.local/bin/all.m3u", True),
        ("~/.config/systemd/user/all.m3u", True),
        ("~/venv/all.m3u", True),
        ("~/link/all.m3u", True),
        ("~/Music/all.m3u", False),
        ("~/.config/mpd/playlists/all.m3u", False),
        ("/srv/all.m3u", False),
    ],
)
def test_a_list_beside_programs_or_settings_is_recognised(home: Path, output: str, is_open: bool) -> None:
    (home / "link").symlink_to(home)
    (home / "Music").mkdir()
    text = f'[playlist.x]\nfolders = ["~/Music"]\noutput = "{output}"\n'
    program = Program((f"{home}/venv/bin/playshuffle",), (f"{home}/venv/bin", f"{home}/venv"))
    (home / "config.toml").write_text(text)

    config = load(bytes(home / "config.toml"))

    assert bool(open_lists(config, program)) == is_open


def test_each_service_unit_runs_its_command_of_playshuffle() -> None:
    starts = {
        name: values(text or "", "ExecStart")
        for name, text in every_unit(sandboxed=True).items()
        if name.endswith(".service")
    }

    assert starts == {
        "playshuffle.service": [':"/home/ann/.local/bin/playshuffle" watch'],
        "playshuffle-tell.service": [':"/home/ann/.local/bin/playshuffle" tell --written'],
        "playshuffle-listen.service": [':"/home/ann/.local/bin/playshuffle" listen'],
        "playshuffle-endless.service": [':"/home/ann/.local/bin/playshuffle" tell mpd "today" --endless'],
    }


@pytest.mark.process
def test_systemd_accepts_units_with_names_that_have_quotes_and_other_special_characters(
    tmp_path: Path,
) -> None:
    """`systemd-analyze verify` accepts such names of the program, its folders and in the environment."""
    need("systemd-analyze")
    program = tmp_path / ODD.removeprefix("/srv/") / "python"
    program.parent.mkdir(parents=True)
    program.symlink_to(sys.executable)
    text = unit(
        Program((str(program), "-m", "playshuffle"), ("/usr",)),
        WritableFolders(os.fsencode(ODD), (os.fsencode(f"{ODD}/x"),)),
        {"XDG_STATE_HOME": ODD},
    )
    assert 'ExecStart=:"env" "/' in text
    path = tmp_path / units.SERVICE
    path.write_text(text)
    said = finished(
        ["systemd-analyze", "--user", "verify", "--man=no", "--recursive-errors=no", path],
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )

    assert (said.returncode, said.stdout + said.stderr) == (0, "")


def test_the_units_set_the_environment_variables_that_name_other_folders_than_the_defaults() -> None:
    """So that it uses the same configuration and state as commands in a shell."""
    environment = {"XDG_STATE_HOME": "/srv/a state", "XDG_CACHE_HOME": "relative", "HOME": "/home/ann"}

    assert values(unit(environment=environment), "Environment") == ['"XDG_STATE_HOME=/srv/a state"']
    histories = {"XDG_DATA_HOME": "/srv/data", "BEETSDIR": "/srv/beets"}
    assert values(unit(environment=histories), "Environment") == [
        f'"{name}={path}"' for name, path in histories.items()
    ]
    assert values(unit(), "Environment") == []


@pytest.mark.parametrize("name", ["new\nline", "esc\x1b", "caf\udce9"])
def test_a_folder_whose_name_systemd_cannot_read_is_omitted_from_the_unit(name: str) -> None:
    """The folder of the state or the program cannot be omitted: there it is an error."""
    odd = os.fsencode(f"/srv/{name}")

    assert unit(folders=PLAIN._replace(others=(odd, b"/srv/music"))) == unit()
    with pytest.raises(PlayshuffleError, match="characters that a systemd unit cannot contain"):
        unit(folders=PLAIN._replace(state=odd))
    with pytest.raises(PlayshuffleError, match="characters that a systemd unit cannot contain"):
        unit(PIPX._replace(words=(f"/srv/{name}/playshuffle",)))


def test_without_namespaces_each_service_unit_gets_a_drop_in_file_that_switches_the_sandbox_off() -> None:
    without = every_unit(sandboxed=False)
    drop_ins = {name: text for name, text in without.items() if name.endswith(".conf")}

    assert drop_ins == {
        f"{name}.d/playshuffle-sandbox-off.conf": units.MARK + units.shipped("playshuffle-sandbox-off.conf")
        for name in without
        if name.endswith(".service")
    }
    assert set(without) == set(units.NAMES)


def test_the_unit_of_the_command_tell_may_write_only_to_the_state_folder() -> None:
    units_ = units.rendered(PIPX, PLAIN._replace(state=b"/srv/50% state"), {}, sandboxed=True)

    assert values(units_["playshuffle-tell.service"] or "", "ReadWritePaths") == ['"/srv/50%% state"']
    assert values(units_[units.TELL_PATH] or "", "DirectoryNotEmpty") == [
        "/srv/50%% state/written",
        "/srv/50%% state/written.taken",
    ]


def test_a_unit_starts_the_program_by_the_link_by_which_the_user_started_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by its real path, which pipx may change in an upgrade."""
    monkeypatch.setattr(units, "HIDDEN", ())
    real, link = tmp_path / "venv/bin/playshuffle", tmp_path / "bin/playshuffle"
    called(real, monkeypatch)
    link.parent.mkdir()
    link.symlink_to(real)
    monkeypatch.setattr(sys, "argv", [str(link), "service"])
    program = units.program()

    assert program.words == (str(link),)
    assert {str(link.parent), str(real.parent), sys.prefix, sys.base_prefix} <= set(program.folders)


def test_a_unit_runs_python_with_the_module_playshuffle_if_the_program_has_no_script(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["/srv/checkout/playshuffle/__main__.py", "service"])
    monkeypatch.setattr("sysconfig.get_path", lambda _: "/nowhere")
    monkeypatch.setattr(units, "HIDDEN", ())  # the interpreter of the tests may lie below /tmp

    assert units.program().words == (sys.executable, "-P", "-m", "playshuffle")


def test_no_unit_is_made_for_a_program_below_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service has another /tmp."""
    monkeypatch.setattr(units, "HIDDEN", (str(tmp_path),))
    called(tmp_path / "playshuffle", monkeypatch)

    assert "Install it in another folder" in refusal(Exit.CONFIG, units.program)


@pytest.mark.parametrize("variable", ["UV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_no_unit_is_made_for_a_program_in_a_cache_and_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """`uvx` and `pipx run` start it there; the service would fail when the cache is emptied."""
    monkeypatch.setattr(units, "HIDDEN", ())
    monkeypatch.setenv(variable, str(tmp_path))
    script = tmp_path / (".cache" if variable == "HOME" else "uv") / "archive-v0/x/bin/playshuffle"
    called(script, monkeypatch)

    assert re.search("in a cache, .* uv tool install", refusal(Exit.CONFIG, units.program))


def test_systemd_does_not_start_the_system_unit_if_its_program_is_missing() -> None:
    """It would fail again and again. The program may be in either of two folders."""
    text = (ROOT / "systemd" / "playshuffle@.service").read_text()

    assert values(text, "ConditionFileIsExecutable") == [
        "|/usr/local/bin/playshuffle",
        "|/usr/bin/playshuffle",
    ]


@pytest.mark.parametrize(
    ("state", "verb"),
    [("active", "restart"), ("activating", "restart"), ("inactive", "start"), ("failed", "start")],
)
def test_an_install_of_changed_units_restarts_a_service_that_runs_or_is_still_starting(
    monkeypatch: pytest.MonkeyPatch, state: str, verb: str
) -> None:
    """A service that starts has the old units."""
    asked: list[tuple[str, ...]] = []

    def ask(*words: str) -> systemctl.Answer:
        asked.append(words)
        return systemctl.Answer(0, f"ActiveState={state}")

    monkeypatch.setattr(systemctl, "ask", ask)
    list(installer._run("x.service", is_changed=True))

    assert asked[-1] == (verb, "x.service")
