"""The annotated tag: created once, the same object on every machine, never moved (R-CONV)."""

from pathlib import Path

import pytest
from git_fixtures import git
from refs_fixtures import Machines

from release.adapters.git.writer import GitWriter
from release.domain.errors import CannotTell
from release.domain.plan import Tag
from release.write_ports import Refused

WHEN = 1735787045


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    """A remote and machines that know it."""
    return Machines(tmp_path)


def writer(machines: Machines) -> GitWriter:
    """A writer on a new machine."""
    return GitWriter(refs=machines.store(), when=WHEN)


@pytest.mark.parametrize("name", ["v1.0.0", "@acme/core@1.2.3", "release/2025/v1"])
def test_a_tag_is_annotated_and_on_the_commit(machines: Machines, name: str) -> None:
    """The remote has an annotated tag object of exactly that name, which peels to the commit."""
    writer(machines).create_tag(Tag(name=name, version="1.0.0"), machines.commit, "acme 1.0.0")
    assert git(machines.remote, "cat-file", "-t", f"refs/tags/{name}") == "tag"
    assert git(machines.remote, "rev-parse", f"refs/tags/{name}^{{}}") == machines.commit
    text = git(machines.remote, "cat-file", "tag", f"refs/tags/{name}")
    assert f"tag {name}\n" in text
    assert text.endswith("acme 1.0.0")


def test_two_machines_make_one_object(machines: Machines) -> None:
    """Dated with its commit, the tag is the same object everywhere: the second creation changes nothing."""
    tag = Tag(name="v1.0.0", version="1.0.0")
    writer(machines).create_tag(tag, machines.commit, "acme 1.0.0")
    before = machines.refs()
    writer(machines).create_tag(tag, machines.commit, "acme 1.0.0")
    assert machines.refs() == before


def test_somebodys_tag_is_never_moved(machines: Machines) -> None:
    """A tag that is there, on whatever, stays: looking again is what says what it is."""
    blob = git(machines.remote, "hash-object", "-w", "--stdin", stdin=b"x")
    git(machines.remote, "update-ref", "refs/tags/v1.0.0", blob)
    writer(machines).create_tag(Tag(name="v1.0.0", version="1.0.0"), machines.commit, "acme 1.0.0")
    assert machines.refs()["refs/tags/v1.0.0"] == blob


def test_a_refusal_is_tag_push_denied(machines: Machines) -> None:
    """A rule or a credential that does not let tags be created: refused for good."""
    machines.refuse("refs/tags/*")
    with pytest.raises(Refused, match=r"tag\.push-denied: origin refused to create the tag v1\.0\.0"):
        writer(machines).create_tag(Tag(name="v1.0.0", version="1.0.0"), machines.commit, "acme 1.0.0")
    assert "refs/tags/v1.0.0" not in machines.refs()


def test_a_remote_that_is_gone_is_an_unknown_outcome(machines: Machines, tmp_path: Path) -> None:
    """Nobody knows whether the tag arrived: cannot-tell, never a success."""
    tags = writer(machines)
    machines.remote.rename(tmp_path / "elsewhere.git")
    with pytest.raises(CannotTell, match="is not known"):
        tags.create_tag(Tag(name="v1.0.0", version="1.0.0"), machines.commit, "acme 1.0.0")
