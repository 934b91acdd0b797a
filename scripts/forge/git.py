"""Real bare repositories through the git command line: no user configuration, no hooks, no prompts."""

import os
import re
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

SHA = re.compile(r"[0-9a-f]{40}")
NOTHING = "0" * 40
_FIELDS = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"


@dataclass(frozen=True, kw_only=True)
class Ref:
    """A full ref name and the object that it names."""

    name: str
    sha: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Person:
    """Author, committer or tagger; ``when`` is ISO 8601."""

    name: str
    email: str
    when: str


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit as the API shows it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True, kw_only=True)
class TagObject:
    """An annotated tag; ``object_type`` may be ``tag`` again."""

    sha: str
    tag: str
    object: str
    object_type: str
    tagger: Person
    message: str


def run(git_dir: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run git in the bare repository; never raises for a failing command."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", "-c", "safe.directory=*", "-c", f"core.hooksPath={os.devnull}", f"--git-dir={git_dir}"]
    return subprocess.run(
        [*command, *arguments], input=stdin, capture_output=True, env=environment, check=False
    )


def create(git_dir: Path, default_branch: str) -> None:
    """Create an empty bare repository."""
    git_dir.mkdir(parents=True, exist_ok=True)
    run(git_dir, "init", "--quiet", "--bare", f"--initial-branch={default_branch}").check_returncode()


def refs(git_dir: Path, prefix: str) -> list[Ref]:
    """Return the refs whose full names start with ``prefix``, sorted by name."""
    done = run(git_dir, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(objecttype)")
    rows = [line.split("\0") for line in done.stdout.decode().splitlines()]
    return [Ref(name=row[0], sha=row[1], type=row[2]) for row in rows if row[0].startswith(prefix)]


def ref(git_dir: Path, name: str) -> Ref | None:
    """Return exactly the ref ``name`` (``refs/tags/v1``), or None."""
    return next((one for one in refs(git_dir, name) if one.name == name), None)


def object_type(git_dir: Path, sha: str) -> str | None:
    """Return the type of the object, or None where it does not exist."""
    if SHA.fullmatch(sha) is None:
        return None
    done = run(git_dir, "cat-file", "-t", sha)
    return done.stdout.decode().strip() if done.returncode == 0 else None


def commit_sha(git_dir: Path, revision: str) -> str | None:
    """Return the commit that a full id, branch, tag or ref below ``refs/`` stands for, or None."""
    names = [revision] if SHA.fullmatch(revision) else []
    if not revision.startswith("-"):
        names += [f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/{revision}"]
    for name in names:
        done = run(git_dir, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode().strip()
    return None


def create_ref(git_dir: Path, name: str, sha: str) -> bool:
    """Create the ref; False where it exists already or may not be called so."""
    return run(git_dir, "update-ref", "--end-of-options", name, sha, NOTHING).returncode == 0


def is_ref_name(name: str) -> bool:
    """Say whether git would accept the full ref name."""
    return subprocess.run(["git", "check-ref-format", name], check=False, capture_output=True).returncode == 0


def commit(git_dir: Path, sha: str) -> Commit:
    """Return the commit; the id must exist."""
    done = run(git_dir, "show", "--no-patch", "--no-show-signature", f"--format={_FIELDS}", sha)
    done.check_returncode()
    row = done.stdout.decode(errors="replace").split("\0")
    return Commit(
        sha=row[0],
        tree=row[1],
        parents=tuple(row[2].split()),
        author=Person(name=row[3], email=row[4], when=row[5]),
        committer=Person(name=row[6], email=row[7], when=row[8]),
        message=row[9].rstrip("\n"),
    )


def tag_object(git_dir: Path, sha: str) -> TagObject:
    """Return the annotated tag; the id must name one."""
    text = run(git_dir, "cat-file", "tag", sha).stdout.decode(errors="replace")
    head, _, message = text.partition("\n\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines() if " " in line)
    return TagObject(
        sha=sha,
        tag=fields["tag"],
        object=fields["object"],
        object_type=fields["type"],
        tagger=_person(fields.get("tagger", "nobody <nobody@invalid> 0 +0000")),
        message=message,
    )


def create_tag_object(git_dir: Path, tag: TagObject) -> str:
    """Write the annotated tag (its own ``sha`` is ignored) and return its id."""
    when = datetime.fromisoformat(tag.tagger.when)
    tagger = f"{tag.tagger.name} <{tag.tagger.email}> {int(when.timestamp())} +0000"
    text = f"object {tag.object}\ntype {tag.object_type}\ntag {tag.tag}\ntagger {tagger}\n\n{tag.message}"
    done = run(git_dir, "hash-object", "-t", "tag", "-w", "--stdin", stdin=text.encode())
    done.check_returncode()
    return done.stdout.decode().strip()


def _person(line: str) -> Person:
    name, _, rest = line.partition(" <")
    email, _, when = rest.partition("> ")
    seconds = when.split(" ")[0]
    return Person(name=name, email=email, when=datetime.fromtimestamp(int(seconds), UTC).isoformat())
