"""Test that `playshuffle service status` begins with a verdict, and that each warning has advice."""

import pytest

from playshuffle.cli.screen import Screen
from playshuffle.cli.service_report import facts
from playshuffle.install.service_state import ServiceState

STARTED = ServiceState(True, has_systemd=True, enabled="enabled", active="active", detail="running")
RUNNING = STARTED._replace(text="managed: all 668", sandbox="on", lingers=True)


def shown(**changes: object) -> list[str]:
    state = RUNNING._replace(**changes)  # type: ignore[arg-type]
    return list(Screen(80, has_unicode=True).facts(facts(state)))


def test_the_report_on_a_running_service_has_a_verdict_and_a_line_each_on_sandbox_and_logout() -> None:
    assert shown() == [
        "● The service runs: managed: all 668",
        "  Sandbox   on",
        "  Logout    it goes on after you log out",
    ]


FAILED = {"active": "failed", "text": "exit-code"}
RUNS = "The service runs: managed: all 668"
NO_SYSTEMD = "! The service is installed, but nothing starts it"


@pytest.mark.parametrize(
    ("changes", "verdict", "advice"),
    [
        ({"is_installed": False}, "! The service is not installed", "playshuffle service install"),
        (FAILED, "✗ The service does not run (failed: exit-code)", "journalctl --user"),
        ({"is_current": False}, f"! {RUNS}", "playshuffle service install"),
        ({"is_ours": False}, f"! {RUNS}", "leaves it alone"),
        ({"restarts": 3}, f"! {RUNS}", "3 after failures. Log: journalctl --user"),
        ({"lingers": False}, f"● {RUNS}", "sudo loginctl enable-linger $USER"),
        ({"enabled": "disabled"}, f"● {RUNS}", "To enable it: playshuffle service"),
        ({"has_systemd": False, "active": ""}, NO_SYSTEMD, "playshuffle watch"),
    ],
)
def test_the_report_on_the_service_has_advice_for_each_problem(
    changes: dict[str, object], verdict: str, advice: str
) -> None:
    said = shown(**changes)

    assert said[0] == verdict
    assert advice in " ".join(" ".join(said).split())
