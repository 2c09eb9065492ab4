from pathlib import Path

import pytest

from playshuffle.service import update
from tests.support.managed import Managed


@pytest.fixture
def managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Managed:
    """Playlists that are updated in this process, tags included."""
    managed = Managed(tmp_path)
    monkeypatch.setattr(update, "read_all", managed.read_all)
    return managed
