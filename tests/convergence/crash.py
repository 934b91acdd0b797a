"""Crash at every step: one case is one fault at one interaction, then a run without faults, then the laws.

A case is named ``NUMBER:FAULT``. Where requests run side by side, number i is not the same request in each
run: every case records what it hit, and the writes are cases of their own, ``NUMBER@WRITE:FAULT``, so that
each fault meets each write for certain.
"""

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from crash_invariants import broken
from crash_proxy import EVERYWHERE, Fault, Interaction, Target
from crash_stage import Said, Stage, Stages
from git_http_server import git_server
from kit_npm import Npm
from kit_project import make_template
from registry import Registry

WRITES = ("api POST", "api PATCH", "uploads POST", "npm PUT", "git POST /remote.git/git-receive-pack")
_STRIDE = 8


@dataclass(frozen=True, kw_only=True)
class Case:
    """``fault`` at interaction ``number`` (from 1) of those whose text begins with ``like`` ("": of all)."""

    number: int
    fault: Fault
    like: str = ""

    @classmethod
    def parse(cls, name: str) -> "Case":
        """Read ``NUMBER:FAULT`` or ``NUMBER@WRITE:FAULT``."""
        where, _, fault = name.rpartition(":")
        number, _, like = where.partition("@")
        return cls(number=int(number), like=like, fault=Fault(fault))

    @property
    def target(self) -> Target:
        """The case as the proxies take it."""
        return Target(number=self.number, like=self.like, fault=self.fault)

    def __str__(self) -> str:
        return f"{self.number}{'@' if self.like else ''}{self.like}:{self.fault}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of a case. ``hit`` is "" where the run had fewer interactions; ``broken``: which laws."""

    case: str
    hit: str
    exits: tuple[int, int]
    discarded: bool
    broken: tuple[str, ...]
    seconds: float


@contextlib.contextmanager
def stages(folder: Path) -> Iterator[Stages]:
    """Make what all cases share below ``folder``, and stop it at the end."""
    template = make_template(folder / "template")
    with Registry(folder / "registry") as registry, git_server(folder) as git:
        yield Stages(template=template, npm=Npm(registry, folder / "none"), git=git)


def count(shared: Stages) -> tuple[Interaction, ...]:
    """Run once without any fault; return every interaction. The laws must hold here, too."""
    with _stage(shared) as stage:
        first, row = stage.first(Target())
        if first.exit != 0:
            raise RuntimeError(f"without faults, the run ended with {first.exit}: {first.stderr}")
        second, again = stage.second()
        problems = broken(stage, first, second)
        writes = [str(one) for one in again.seen if one.channel == "uploads" or one.method == "PUT"]
        if problems or writes:
            raise RuntimeError(f"without faults: {problems} {writes}")
        return row.seen


def all_cases(seen: tuple[Interaction, ...]) -> Iterator[Case]:
    """Yield every fault at every write, and interrupted uploads; then every fault at every interaction."""
    for like in WRITES:
        times = sum(str(one).startswith(like) for one in seen)
        faults = (*EVERYWHERE, *((Fault.STARTER,) if like.startswith("uploads") else ()))
        yield from (Case(number=n, like=like, fault=f) for n in range(1, times + 1) for f in faults)
    # in strides, so that a run that is stopped has been everywhere
    for stride in range(_STRIDE):
        for fault in EVERYWHERE:
            yield from (Case(number=one.number, fault=fault) for one in seen[stride::_STRIDE])


def run(shared: Stages, case: Case) -> Outcome:
    """Run one case on a fresh stage."""
    began = time.monotonic()
    with _stage(shared) as stage:
        first, row = stage.first(case.target)
        discard = any(asset.state != "uploaded" for asset in stage.forge.world.assets.values())
        second, _ = stage.second(*(("--discard-interrupted",) if discard else ()))
        problems = (*_never_failed(first, discard=discard), *broken(stage, first, second))
    return Outcome(
        case=str(case),
        hit=f"{row.hit}" if row.hit else "",
        exits=(first.exit, second.exit),
        discarded=discard,
        broken=problems,
        seconds=round(time.monotonic() - began, 1),
    )


def _never_failed(first: Said, *, discard: bool) -> Iterator[str]:
    """A fault is never called a failure; only an upload that was interrupted is one."""
    if first.exit == 1 and not discard:
        yield f"the first run called a fault a failure: {first.open}"


@contextlib.contextmanager
def _stage(shared: Stages) -> Iterator[Stage]:
    with TemporaryDirectory(prefix="crash-") as name, shared.fresh(Path(name)) as stage:
        yield stage
        shutil.rmtree(stage.temporary, ignore_errors=True)
