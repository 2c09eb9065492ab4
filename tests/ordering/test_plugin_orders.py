"""Use and audit orders that other packages define, the example package of the documentation among them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from playshuffle.ordering.orders import ORDERS
from tests.support.program import CHECKOUT, entries, environment, numbered, run

pytestmark = pytest.mark.process

EXAMPLE = CHECKOUT / "docs" / "examples" / "playshuffle-tempo"
BAD = """
def twice(tracks, randbelow):
    return [0] * len(tracks)

def short(tracks, randbelow):
    return range(len(tracks) - 1)

def broken(tracks, randbelow):
    raise RuntimeError("no luck")

def words(tracks, randbelow):
    return ["a"] * len(tracks)

constant = 7
"""


def installed(folder: Path, name: str, module: str, points: dict[str, str]) -> dict[str, str]:
    """Install a package as pip does; return the environment in which it is found."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{point} = {module}:{function}" for point, function in points.items()]
    (info / "entry_points.txt").write_text("[playshuffle.orders]\n" + "\n".join(lines) + "\n")
    return {"PYTHONPATH": f"{CHECKOUT}:{folder}"}


@pytest.fixture
def example(tmp_path: Path) -> dict[str, str]:
    shutil.copy(EXAMPLE / "playshuffle_tempo.py", tmp_path)
    text = (EXAMPLE / "pyproject.toml").read_text()
    assert 'tempo = "playshuffle_tempo:tempo"' in text
    assert 'riffle = "playshuffle_tempo:riffle"' in text
    return installed(
        tmp_path, "playshuffle-tempo", "playshuffle_tempo", {"tempo": "tempo", "riffle": "riffle"}
    )


@pytest.fixture
def bad(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bad_orders.py").write_text(BAD)
    names = ("twice", "short", "broken", "words", "constant", "absent")
    return installed(tmp_path, "bad-orders", "bad_orders", {name: name for name in names})


def test_make_uses_an_order_of_another_package(example: dict[str, str], tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 9)

    done = run("make", music, "--order", "tempo", "--seed", "1", "--json", env=example)

    assert done.code == 0, done.err
    assert json.loads(done.out)["order"] == "tempo"
    content = (music / "playshuffle.m3u").read_bytes()
    assert sorted(entries(content)) == [f"{number:03}.mp3" for number in range(9)]
    assert run("make", music, "--order", "tempo", "--seed", "1", env=example).code == 0
    assert (music / "playshuffle.m3u").read_bytes() == content


def test_deal_uses_an_order_of_another_package(example: dict[str, str], tmp_path: Path) -> None:
    music = numbered(tmp_path / "Music", 9)
    dealt = []

    for _ in range(3):
        done = run("deal", music, "-n", "3", "--every", "run", "--order", "riffle", env=example)
        assert done.code == 0, done.err
        dealt += entries((music / "today.m3u").read_bytes())

    assert len(set(dealt)) == 9


def test_the_audit_sees_through_a_riffle(example: dict[str, str]) -> None:
    done = run("audit", "--order", "riffle", "--tracks", "12", "--rounds", "5000", "--seed", "1", env=example)

    assert done.code == 1, done.err
    assert b"riffle" in done.out


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("twice", "returned 4 positions for 4 tracks, not each track once"),
        ("short", "returned 3 positions for 4 tracks, not each track once"),
        ("words", "returned 4 positions for 4 tracks, not each track once"),
        ("broken", "failed: RuntimeError: no luck"),
        ("constant", "is not a function"),
        ("absent", "can't be loaded: AttributeError"),
    ],
)
def test_a_bad_order_of_another_package_writes_nothing(
    bad: dict[str, str], tmp_path: Path, name: str, what: str
) -> None:
    music = numbered(tmp_path / "Music", 4)

    done = run("make", music, "--order", name, env=bad)

    assert done.code == 1
    assert f"The order '{name}' of the package bad-orders {what}" in done.err
    assert "Traceback" not in done.err
    assert not (music / "playshuffle.m3u").exists()


@pytest.mark.parametrize("option", [["--gap", "3"], ["--pin", "000.mp3"], ["--group-by", "genre"]])
def test_options_that_need_a_guarantee_are_refused(
    example: dict[str, str], tmp_path: Path, option: list[str]
) -> None:
    done = run("make", numbered(tmp_path / "Music", 4), "--order", "tempo", *option, env=example)

    assert done.code == 2
    assert option[0] in done.err


def test_packages_are_searched_only_for_unknown_names(example: dict[str, str], tmp_path: Path) -> None:
    """A search that fails shows that nothing looks for orders; typer looks for packages of its own."""
    music = numbered(tmp_path / "Music", 4)
    script = (
        "import sys, importlib.metadata as packages; sys.argv[0] = 'playshuffle'\n"
        "search = packages.entry_points\n"
        "def fail(**words): assert 'playshuffle' not in str(words); return search(**words)\n"
        "packages.entry_points = fail\n"
        "from playshuffle.__main__ import main; main()"
    )

    for order, code in (("random", 0), ("uniform", 0), ("spread", 0), ("tempo", 1)):
        done = subprocess.run(
            [sys.executable, "-c", script, "make", music, "--order", order],
            env=environment(**example),
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == code, done.stderr


def test_an_unknown_order_is_still_an_error(example: dict[str, str], tmp_path: Path) -> None:
    done = run("make", numbered(tmp_path / "Music", 4), "--order", "temppo", env=example)

    assert done.code == 2
    assert "Unknown order 'temppo'" in done.err


def test_help_lists_the_orders_of_other_packages_last(example: dict[str, str]) -> None:
    listed = run("help", "orders", env=example).out.decode().split("\n\n")[1]
    names = [line.split()[0] for line in listed.splitlines() if line[2] != " "]

    assert names == [*ORDERS, "riffle", "tempo"]


def test_help_explains_an_order_of_another_package(example: dict[str, str]) -> None:
    shown = run("help", "tempo", env=example).out.decode()

    assert "Slow tracks come first" in shown
    assert "it is from the package playshuffle-tempo" in shown


def test_an_order_that_cannot_be_loaded_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "lost.py").write_text("")
    env = installed(tmp_path, "playshuffle-lost", "lost", {"lost": "nothing"})

    done = run("help", "orders", env=env)

    assert done.code == 0
    assert b"spread" in done.out
    assert "The order 'lost' of the package playshuffle-lost can't be loaded" in done.err


@pytest.mark.parametrize("words", ["make --order te", "watch --order te", "help te"])
def test_orders_of_other_packages_are_completed(example: dict[str, str], words: str) -> None:
    line = f"playshuffle {words}"
    shell = {"_PLAYSHUFFLE_COMPLETE": "complete_bash", "COMP_WORDS": line}

    done = run(env={**os.environ, **example, **shell, "COMP_CWORD": str(len(line.split()) - 1)})

    assert done.out.decode().split() == ["tempo"]
