"""What the tests of audit and trace get."""

import pytest

from tests.audit.run import Program


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Program:
    return Program(monkeypatch, capsysbinary)
