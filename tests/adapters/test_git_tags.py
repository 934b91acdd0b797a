"""Tags on the remote: exact names, the full peel, allowed branches, and nothing of the local clone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import Repo, git, plan_of

from release.adapters.git.checkout import Checkout
from release.adapters.git.reader import GitReader
from release.adapters.git.remote import parse_refs
from release.adapters.git.repository import Opening, Repository
from release.domain.digests import is_commit
from release.domain.errors import CannotTell
from release.domain.facts.git import TagFacts


class World:
    """A source repository, and the repository under test that has it as remote."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.source = Repo.init(folder)
        self.first = self.source.commit({"package.json": '{"name": "acme", "version": "1.0.0"}'})
        self.second = self.source.commit({"package.json": '{"name": "acme", "version": "1.1.0"}'})
        self.state = state

    def open(self, remote: str | None = None, checkout: Checkout | None = None) -> Repository:
        where = remote if remote is not None else str(self.source.path)
        return Repository(Opening(state=self.state, remote=where, base=self.state, checkout=checkout))

    def tag(self, name: str) -> TagFacts | None:
        with self.open() as repository:
            return repository.tag(name)

    def peeled(self, name: str) -> str | None:
        facts = self.tag(name)
        assert facts is not None
        return facts.commit


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A repository in a folder with a space, two commits, no tag."""
    return World(tmp_path / "up stream", tmp_path / "state dir")


def test_a_lightweight_tag_is_its_commit(world: World) -> None:
    """The ref points at the commit itself."""
    world.source("tag", "v1")
    assert world.tag("v1") == TagFacts(name="v1", object=world.second, commit=world.second, annotated=False)


def test_an_annotated_tag_is_peeled(world: World) -> None:
    """The tag object's own id is never the commit."""
    world.source("tag", "-a", "v1", "-m", "v1", world.first)
    oid = world.source("rev-parse", "refs/tags/v1")
    assert world.tag("v1") == TagFacts(name="v1", object=oid, commit=world.first, annotated=True)


def test_a_tag_of_a_tag_of_a_tag_is_peeled_fully(world: World) -> None:
    """Nested annotated tags end at the commit."""
    world.source("tag", "-a", "one", "-m", "x")
    world.source("tag", "-a", "two", "one", "-m", "x")
    world.source("tag", "-a", "three", "two", "-m", "x")
    assert world.peeled("three") == world.second


@pytest.mark.parametrize("target", ["HEAD:package.json", "HEAD^{tree}"])
@pytest.mark.parametrize("kind", ["lightweight", "annotated"])
def test_a_tag_on_a_blob_or_tree_has_no_commit(world: World, target: str, kind: str) -> None:
    """ls-remote does not say the type; the object does."""
    options = ("-a", "-m", "x") if kind == "annotated" else ()
    world.source("tag", *options, "odd", target)
    facts = world.tag("odd")
    assert facts is not None
    assert facts.commit is None
    assert facts.annotated is (kind == "annotated")


def test_a_branch_of_the_same_name_is_not_the_tag(world: World) -> None:
    """FACTS: a pattern ``v1`` also matches refs/heads/v1; only the full name counts."""
    world.source("branch", "v1", world.first)
    assert world.tag("v1") is None
    world.source("tag", "v1", world.second)
    assert world.peeled("v1") == world.second


def test_a_tag_whose_name_ends_alike_is_another(world: World) -> None:
    """FACTS: ``v1`` also matches refs/tags/pkg/v1; a prefix of a name is not the name either."""
    world.source("tag", "pkg/v1", world.first)
    world.source("tag", "v1.0", world.first)
    assert world.tag("v1") is None
    assert world.tag("v1.") is None
    world.source("tag", "v1", world.second)
    assert world.peeled("v1") == world.second
    assert world.peeled("pkg/v1") == world.first


@pytest.mark.parametrize(
    "name",
    [
        "@acme/core@1.2.3",
        "acme/v1.2.3",
        "deep/er/v1",
        "-v1",
        "--upload-pack=x",
        "v1'\"$(id);&|",
        "v1é",
        "HEAD",
    ],
)
def test_odd_names_are_names(world: World, name: str) -> None:
    """A name with @, /, a leading dash or shell characters is exactly itself."""
    world.source("update-ref", f"refs/tags/{name}", world.first)
    assert world.peeled(name) == world.first


@pytest.mark.parametrize("name", ["", "v*", "refs/tags/v1", "v1^{}", "../heads/main", "v1\n", "*"])
def test_what_is_no_name_is_absent(world: World, name: str) -> None:
    """Patterns, full refs and suffixes of git's own syntax match nothing."""
    world.source("tag", "-a", "v1", "-m", "x")
    assert world.tag(name) is None


def test_a_moved_tag_is_seen_where_it_is_now(world: World) -> None:
    """A second run looks again, although the first one's objects are cached."""
    world.source("tag", "v1", world.first)
    assert world.peeled("v1") == world.first
    world.source("tag", "-f", "v1", world.second)
    assert world.peeled("v1") == world.second
    world.source("tag", "-d", "v1")
    assert world.tag("v1") is None


def test_one_run_looks_once(world: World) -> None:
    """Within one run the remote is one snapshot: tags that move meanwhile can't disagree."""
    world.source("tag", "v1", world.first)
    with world.open() as repository:
        before = repository.tag("v1")
        world.source("tag", "-f", "v1", world.second)
        assert repository.tag("v1") == before


def test_the_remotes_tag_counts_and_not_the_clones(world: World, tmp_path: Path) -> None:
    """C163: a local tag of another kind or commit has no say."""
    world.source("tag", "-a", "v1", "-m", "x", world.first)
    clone = world.source.clone(tmp_path / "clone")
    clone("tag", "-f", "v1", world.second)
    clone("tag", "local-only")
    with world.open("origin", Checkout.find(clone.path)) as repository:
        facts = repository.tag("v1")
        assert facts is not None
        assert (facts.commit, facts.annotated) == (world.first, True)
        assert repository.tag("local-only") is None


def test_replace_refs_on_the_remote_do_not_change_the_peel(world: World) -> None:
    """R-INT-16: refs/replace makes git show another commit; the object's own bytes decide."""
    world.source("tag", "-a", "v1", "-m", "x", world.first)
    evil = world.source.commit({"evil": "1"})
    world.source("replace", world.first, evil)
    with world.open() as repository:
        facts = repository.tag("v1")
        assert facts is not None
        assert facts.commit == world.first
        assert repository.source(world.first).read("evil") is None


@pytest.mark.parametrize(
    ("branches", "on"),
    [
        ((), ()),
        (("main",), ("main",)),
        (("refs/heads/main",), ("main",)),
        (("release/*",), ("release/1.x",)),
        (("main", "release/*", "gone"), ("main", "release/1.x")),
        (("other",), ()),
        (("mai",), ()),
    ],
)
def test_branches_are_the_allowed_ones_that_contain_the_commit(
    world: World, branches: tuple[str, ...], on: tuple[str, ...]
) -> None:
    """G11: containment is asked of the remote's branches, at the tips that they have now."""
    world.source("tag", "v1", world.first)
    world.source("branch", "release/1.x", world.first)
    world.source("checkout", "-q", "--orphan", "other")
    world.source.commit({"other": "1"})
    world.source("checkout", "-q", "main")
    with world.open() as repository:
        facts = GitReader(repository, plan_of(world.second, branches)).tag("v1")
    assert facts is not None
    assert facts.branches == on


def test_many_tags_on_one_commit_come_with_one_fetch(world: World) -> None:
    """A monorepo's tag objects are fetched together."""
    for index in range(30):
        world.source("tag", "-a", f"@acme/p{index}@1.0.0", "-m", "x", world.second)
    with world.open() as repository:
        fetches: list[tuple[str, ...]] = []
        real = repository.remote.fetch

        def counted(git_dir: Path, refspecs: object) -> None:
            fetches.append(tuple(refspecs))  # type: ignore[arg-type]
            real(git_dir, fetches[-1])

        repository.remote.fetch = counted  # type: ignore[method-assign,assignment]
        for index in range(30):
            facts = repository.tag(f"@acme/p{index}@1.0.0")
            assert facts is not None
            assert facts.commit == world.second
    assert len(fetches) == 1


def test_an_empty_remote_has_no_tags(tmp_path: Path) -> None:
    """A repository without a commit is an answer: absent."""
    Repo.init(tmp_path / "empty")
    opening = Opening(state=tmp_path / "state", remote="empty", base=tmp_path)
    with Repository(opening) as repository:
        assert repository.tag("v1") is None


def test_a_sha256_repository_works(tmp_path: Path) -> None:
    """Object ids of 64 digits are verified with SHA-256."""
    source = Repo.init(tmp_path / "up", "--object-format=sha256")
    commit = source.commit({"a": "1"})
    source("tag", "-a", "v1", "-m", "x")
    with Repository(Opening(state=tmp_path / "state", remote="up", base=tmp_path)) as repository:
        facts = repository.tag("v1")
        assert facts is not None
        assert facts.commit == commit
        assert len(commit) == 64
        assert repository.source(commit).read("a") == b"1"


def test_a_listing_that_is_not_ls_remotes_is_cannot_tell() -> None:
    """A line without an object id is never read as "no tags"."""
    with pytest.raises(CannotTell, match=r"git\.bad-answer: git ls-remote printed '<html>'"):
        parse_refs("<html>\n")


def test_other_refs_are_not_tags() -> None:
    """Only refs/tags and refs/heads count, wherever else the words stand."""
    oid = "a" * 40
    refs = parse_refs(
        f"{oid}\trefs/pull/1/refs/tags/v1\n{oid}\tHEAD\n{oid}\trefs/tags/v1\n{oid}\trefs/tags/v1^{{}}\n"
    )
    assert refs.tags == {"v1": oid}
    assert refs.peeled == {"v1": oid}
    assert refs.heads == {}
    assert is_commit(oid)


def test_a_bare_directory_is_a_remote(world: World, tmp_path: Path) -> None:
    """`[release] remote` may be a git directory, by absolute or relative path, or a file URL."""
    world.source("tag", "v1", world.first)
    bare = world.source.bare(tmp_path / "bare repo.git")
    for remote in (str(bare), "../bare repo.git", bare.as_uri()):
        with world.open(remote) as repository:
            facts = repository.tag("v1")
            assert facts is not None
            assert facts.commit == world.first


def test_a_grafted_remote_can_not_lie_about_history(world: World) -> None:
    """R-INT-16: grafts on the remote hide history; what comes back is the truth or "could not look"."""
    third = world.source.commit({"c": "3"})
    world.source("tag", "v1", third)
    (world.source.path / ".git" / "info" / "grafts").write_text(f"{third} {world.first}\n")
    with world.open() as repository:
        try:
            assert GitReader(repository, plan_of(third)).is_ancestor(world.second)
        except CannotTell as error:
            assert error.reason.startswith("git.")
    assert git(world.source.path, "cat-file", "-p", third).count("parent") == 1
