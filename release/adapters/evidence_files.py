"""Files of the evidence store: read without following links, written aside and renamed into place."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from release.domain.errors import InputError

_PLAIN = "evidence is plain files: copy the file itself here"
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_regular(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes; raise ``InputError`` otherwise."""
    with open_regular(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise InputError(f"larger than {limit} bytes", file=str(path), fix="a record holds no artifacts")
    return content


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, never through a symbolic link; raise ``InputError``."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise InputError("not a regular file", file=str(path), fix=_PLAIN)
        return os.fdopen(os.open(path, os.O_RDONLY | _NOFOLLOW), "rb")
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """Return the error for a file or directory that the operating system does not let us use."""
    words = (error.strerror or "unknown error").lower()
    return InputError(f"cannot be used: {words}", file=str(path), fix="check the path and its permissions")


@contextmanager
def written_aside(root: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a new file under ``root/temporary`` and its path; it is gone afterwards unless it was moved.

    Raises ``InputError`` where the operating system refuses.
    """
    try:
        folder = root / "temporary"
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder)
    except OSError as error:
        raise unreadable(root, error) from error
    path = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, path
    except OSError as error:
        raise unreadable(root, error) from error
    finally:
        path.unlink(missing_ok=True)


def promote(file: BinaryIO, temporary: Path, target: Path) -> None:
    """Make the file durable, rename it to ``target`` in one step, and make the rename durable."""
    file.flush()
    os.fsync(file.fileno())
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary.chmod(0o644)
    temporary.replace(target)
    descriptor = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
