"""Temporary folders of calls: each has its own, and what a killed call left goes with the next."""

import subprocess
import sys
from pathlib import Path

import pytest

from release.adapters.scratch import Scratch
from release.domain.errors import ReleaseError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="NOT RUN: needs POSIX locks")

_HOLD = """
import sys
from pathlib import Path
from release.adapters.scratch import Scratch
with Scratch(Path(sys.argv[1])) as scratch:
    (scratch.path / "half").write_text("half")
    print(scratch.path, flush=True)
    sys.stdin.read()
"""


def _another(state: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start another call that stays in its folder until its stdin ends; return it and the folder."""
    command = [sys.executable, "-c", _HOLD, str(state)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def _end(process: subprocess.Popen[str]) -> None:
    process.communicate()


def test_a_folder_goes_with_its_call(tmp_path: Path) -> None:
    """The folder is there during the call, and nothing is left afterwards, also after an error."""
    with pytest.raises(KeyError, match="boom"), Scratch(tmp_path) as scratch:
        (scratch.path / "file").write_text("x")
        raise KeyError("boom")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_a_killed_call_left_goes_with_the_next(tmp_path: Path) -> None:
    """SIGKILL leaves the folder; the next call removes it (R-CONV, nothing temporary is left)."""
    process, folder = _another(tmp_path)
    process.kill()
    _end(process)
    assert (folder / "half").exists()
    with Scratch(tmp_path) as scratch:
        assert [*scratch.path.parent.iterdir()] == [scratch.path]


def test_the_folder_of_a_call_that_lives_is_left_alone(tmp_path: Path) -> None:
    """Another call at work keeps its folder, and so do half-written files that may be its own."""
    process, folder = _another(tmp_path)
    half = tmp_path / "evidence" / "temporary" / "tmp1"
    half.parent.mkdir(parents=True)
    half.write_text("half")
    with Scratch(tmp_path):
        assert (folder / "half").exists()
        assert half.exists()
    _end(process)
    assert not folder.exists()


@pytest.mark.parametrize(
    "name", ["evidence/temporary/tmp1", "http/.x.part", "git/.new-1/file", "git/0a/refs/kept/x.lock"]
)
def test_half_written_files_of_nobody_go(tmp_path: Path, name: str) -> None:
    """Where no call is alive, what was written aside and never renamed is nobody's."""
    half, whole = tmp_path / name, tmp_path / "evidence" / "records" / "a.json"
    for path in (half, whole):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    with Scratch(tmp_path):
        assert not half.exists()
        assert whole.exists()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_call(tmp_path: Path) -> None:
    """A file in the way is named, with what to do."""
    (tmp_path / "temporary").write_text("in the way")
    with pytest.raises(ReleaseError, match=r"temporary: cannot be used"), Scratch(tmp_path):
        pass
