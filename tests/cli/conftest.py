"""Whole processes: the command line over a canned composition root, and the real one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CANNED = Path(__file__).with_name("canned.py")
REAL = "import sys; from release.cli import main; sys.exit(main())"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def surroundings(**extra: str) -> dict[str, str]:
    """A small environment without anybody's credentials."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, **extra}


@pytest.fixture
def canned(tmp_path: Path) -> Run:
    """Return a function that runs the command line with a canned answer."""

    def run(answer: str, *arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, str(CANNED), *arguments],
            cwd=tmp_path,
            env=surroundings(CANNED=answer, **extra),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def real(tmp_path: Path) -> Run:
    """Return a function that runs the real command line in ``tmp_path``."""

    def run(*arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", REAL, *arguments],
            cwd=tmp_path,
            env=surroundings(**extra),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
