"""A temporary folder that takes with it whoever still works inside."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil


@contextmanager
def scratch(prefix: str) -> Iterator[Path]:
    """Yield a new folder; at the end, end every process whose working directory lies in it, and remove it."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield folder
    finally:
        _end_those_inside(folder)
        shutil.rmtree(folder)


def _end_those_inside(folder: Path) -> None:
    found = [process for process in psutil.process_iter() if _is_inside(process, folder)]
    for process in found:
        try:
            process.kill()
        except psutil.Error:
            continue
    psutil.wait_procs(found, timeout=5)


def _is_inside(process: psutil.Process, folder: Path) -> bool:
    try:
        return Path(process.cwd()).is_relative_to(folder)
    except (psutil.Error, OSError):
        return False
