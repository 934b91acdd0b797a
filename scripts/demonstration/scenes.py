"""What the demo shows, in order. A scene changes the world, runs one command and knows the right exit code.

To show more, write a function that changes the world and add a ``Scene`` to ``SCENES``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from demonstration.project import MANIFEST, SUMS, TAG, archive_name, pack_archive
from demonstration.world import World

COMPLETE, FAILED, PARTIAL = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One command. ``lesson`` says in one line what its output shows."""

    title: str
    happens: str
    change: Callable[[World], None]
    command: tuple[str, ...]
    exit: int
    lesson: str


def die_half_way(world: World) -> None:
    """Do what a release job does before it dies: one package, and all files but one archive."""
    world.publish("@acme/core")
    world.upload(archive_name("linux-x64"), archive_name("darwin-arm64"), MANIFEST, SUMS)


def replace_an_archive(world: World) -> None:
    """Exchange the bytes of one archive on the draft."""
    world.replace_asset(archive_name("linux-x64"), pack_archive("linux-x64", b"something else\n" * 700))


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
)
