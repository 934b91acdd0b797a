"""Fixtures for the emulated GitHub: a real bare repository, a forge over it, and clients."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from forge import Forge, ReleaseHandle, RepoHandle
from forge_support import Client, Origin, run_git


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("origin")
    run_git(work, "init", "--quiet", "--initial-branch=main")
    for number in (1, 2):
        (work / "file").write_text(f"{number}\n")
        run_git(work, "add", "file")
        run_git(work, "commit", "--quiet", "-m", f"commit {number}")
        if number == 1:
            run_git(work, "tag", "v1.0.0")
            run_git(work, "tag", "@acme/widget@1.0.0")
    run_git(work, "tag", "-a", "v1.1.0", "-m", "one one")
    run_git(work, "tag", "-a", "nested", "-m", "tag of a tag", "v1.1.0")
    run_git(work, "branch", "changeset-release/main")
    return work


@pytest.fixture
def origin(_template: Path, tmp_path: Path) -> Origin:
    """Return a fresh bare repository."""
    path = tmp_path / "origin.git"
    run_git(tmp_path, "clone", "--quiet", "--bare", str(_template), str(path))
    return Origin(path, run_git(path, "rev-parse", "main~1"), run_git(path, "rev-parse", "main"))


@pytest.fixture
def forge() -> Iterator[Forge]:
    """Return a running forge that knows the token ``tok`` with push access."""
    with Forge() as running:
        running.token("tok", push=True)
        yield running


@pytest.fixture
def repo(forge: Forge, origin: Origin) -> RepoHandle:
    """Return acme/widget over the bare repository."""
    return forge.repo("acme/widget", origin.path)


@pytest.fixture
def release(repo: RepoHandle) -> ReleaseHandle:
    """Return the published release v1.0.0 with one asset."""
    made = repo.release("v1.0.0")
    made.asset("acme.tar.gz", b"bytes of acme")
    return made


@pytest.fixture
def client(forge: Forge) -> Iterator[Client]:
    """Return a client with push access."""
    with Client(forge) as made:
        yield made


@pytest.fixture
def stranger(forge: Forge) -> Iterator[Client]:
    """Return a client without a token."""
    with Client(forge, None) as made:
        yield made
