"""Sessions of the app that leave nothing behind."""

import pytest

from tests.app import reading


@pytest.fixture
def open_app():
    """Open the app: ``open_app(tensor="teaching::relu", bits="4")``; its files go at the end.

    It opens on Observers; ``page="9_Learn.py"`` names another one, ``page=""`` is Home.
    """
    sessions = []

    def opening(**query):
        sessions.append(reading.started(**query))
        return reading.well(sessions[-1])

    yield opening
    for at in sessions:
        folder = at.session_state.get("folder")
        if folder is not None:
            folder.cleanup()
