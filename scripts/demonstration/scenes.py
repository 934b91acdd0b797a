"""What the demo shows, in order. A scene changes the world, runs one command and knows the right exit code.

To show more, write a function that changes the world and add a ``Scene`` to ``SCENES``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from demonstration.project import MANIFEST, SUMS, TAG, archive_name, build, pack_archive
from demonstration.world import World

COMPLETE, FAILED, PARTIAL = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One command. ``lesson`` says in one line what its output shows; ``writes``: it may write."""

    title: str
    happens: str
    change: Callable[[World], None]
    command: tuple[str, ...]
    exit: int
    lesson: str
    writes: bool = False


def die_half_way(world: World) -> None:
    """Do what a release job does before it dies: one package, and all files but one archive."""
    world.publish("@acme/core")
    world.upload(archive_name("linux-x64"), archive_name("darwin-arm64"), MANIFEST, SUMS)


def replace_an_archive(world: World) -> None:
    """Exchange the bytes of one archive on the draft."""
    world.replace_asset(archive_name("linux-x64"), pack_archive("linux-x64", b"something else\n" * 700))


def put_it_back(world: World) -> None:
    """Let the draft hold the archive that was built."""
    name = archive_name("linux-x64")
    world.replace_asset(name, world.project.built[name])


def substitute(world: World) -> None:
    """Exchange one build for another on the published release, checksum file and manifest included."""
    for name, content in build(world.project.commit, "acme with a back door").items():
        world.replace_asset(name, content)


def leave(_: World) -> None:
    """Change nothing."""


SCENES = (
    Scene(
        title="A release that stopped half-way",
        happens="The tag is pushed, one of two packages is published, the draft lacks one of three archives.",
        change=die_half_way,
        command=("status", TAG),
        exit=PARTIAL,
        lesson="partial: what is there agrees with the commit, what is missing is named, nothing is written.",
    ),
    Scene(
        title="Somebody replaces an archive on the draft",
        happens="GitHub truly states the new digest. SHA256SUMS and the manifest are as they were.",
        change=replace_an_archive,
        command=("status", TAG),
        exit=FAILED,
        lesson="failed: the archive was downloaded anew, and is not what SHA256SUMS and the manifest say.",
    ),
    Scene(
        title="What does that reason mean?",
        happens="Every reason has a stable code, and can be looked up.",
        change=leave,
        command=("explain", "checksums.mismatch"),
        exit=COMPLETE,
        lesson="the same text stands in docs/reasons.md.",
    ),
    Scene(
        title="What would finish the release?",
        happens="The right archive is back. Without --yes, and with nobody to ask, nothing is done.",
        change=put_it_back,
        command=("converge", TAG, "--dist", "../dist"),
        exit=PARTIAL,
        lesson="the plan: what would be created where, what can't be undone, and what each step waits for.",
    ),
    Scene(
        title="Finish it",
        happens="One archive is to be uploaded, one package published, and then the draft.",
        change=leave,
        command=("converge", TAG, "--dist", "../dist", "--yes"),
        exit=COMPLETE,
        lesson="complete: what was missing is there, nothing that was there has changed.",
        writes=True,
    ),
    Scene(
        title="And once more",
        happens="Nobody remembers whether that was done already.",
        change=leave,
        command=("converge", TAG, "--dist", "../dist", "--yes"),
        exit=COMPLETE,
        lesson="complete: nothing was written, to no channel and to no ref.",
    ),
    Scene(
        title="A day later, somebody replaces the whole build",
        happens="Archives, SHA256SUMS and manifest are exchanged together: they agree with one another.",
        change=substitute,
        command=("status", TAG),
        exit=FAILED,
        lesson="failed: the ledger, outside of GitHub's release, remembers what was there first.",
    ),
)
