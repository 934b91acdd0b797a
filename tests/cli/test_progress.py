"""Progress on stderr: what a terminal shows of running transfers, and what a log does not."""

import io
import sys

import pytest

from release.cli.progress import Bar, Lines
from release.domain.transfer import Transfer


def test_a_terminal_shows_each_file_that_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads and downloads have bars of their own, also with two at once; a name is shown harmlessly."""
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    bar = Bar()
    for done in (1, 5):
        bar.transfer(Transfer(verb="upload", name="a\x1b[31m.tar.gz", done=done, total=10))
        bar.transfer(Transfer(verb="download", name="b.zip", done=10, total=10))
    tasks = {task.description: task for task in bar._bars.tasks}
    assert tasks["download b.zip"].visible is False
    (upload,) = (task for name, task in tasks.items() if name.startswith("upload"))
    assert (upload.completed, upload.total, upload.visible) == (5, 10, True)
    assert "\x1b" not in upload.description


def test_a_log_gets_no_line_for_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    """Elsewhere than on a terminal, only finished subjects make lines."""
    Lines().transfer(Transfer(verb="upload", name="a", done=1, total=2))
    assert capsys.readouterr().err == ""
