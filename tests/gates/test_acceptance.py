"""acceptance: each artifact on each target is pending, with the command that will run it."""

import pytest
from worldkit import NOW, UNREACHABLE, World, a_plan, a_record, look
from worldkit_facts import COMMIT, OTHER

from gates import acceptance
from release.domain.evidence import Evidence, Kind
from release.domain.plan import Acceptance, Subject
from release.domain.state import State

PLAN = a_plan(
    acceptances=(
        Acceptance(name="cli", artifact="packedNpm", target="linux-x64"),
        Acceptance(name="cli", artifact="downloadedBinary", target="darwin-arm64"),
    )
)
PACKED, DOWNLOADED = "cli/packedNpm/linux-x64", "cli/downloadedBinary/darwin-arm64"


def record(subject: str = PACKED, **changes: object) -> Evidence:
    return a_record(Kind.ACCEPTANCE, subject, **changes)


ROWS: dict[str, tuple[Evidence, ...]] = {
    "right": (record(), record(DOWNLOADED)),
    "absent": (),
    "partial": (record(),),
    "empty": (record(digest=None, data={}),),
    "another commit": (record(commit=OTHER),),
    "different": (record(verdict="fail", exit_code=1),),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str, world: World) -> None:
    """No record is accepted before the runner exists that could make it: all is pending (G17, G24)."""
    world.remember(ROWS[name])
    found = look(acceptance, PLAN, world)
    assert {name: (finding.reason, finding.state) for name, finding in found.items()} == {
        PACKED: ("acceptance.not-run", State.PENDING),
        DOWNLOADED: ("acceptance.not-run", State.PENDING),
    }


def test_the_next_command_names_artifact_and_target(world: World) -> None:
    """What to type is exact, for a machine that can execute the target."""
    found = look(acceptance, PLAN, world)
    assert found[PACKED].next == "release accept packedNpm --target linux-x64"
    assert found[DOWNLOADED].next == "release accept downloadedBinary --target darwin-arm64"
    assert found[PACKED].message == f"no acceptance of packedNpm on linux-x64 for {COMMIT}"


def test_records_that_cannot_be_verified_are_counted(world: World) -> None:
    """Somebody who brought evidence is told that it was seen and does not count."""
    world.remember([record(), record(commit=OTHER), a_record(Kind.EVALUATION, PACKED)])
    found = look(acceptance, PLAN, world)
    said = f"no acceptance of packedNpm on linux-x64 for {COMMIT}; 2 record(s) found, which this version"
    assert found[PACKED].message == f"{said} cannot verify"
    assert "record" not in found[DOWNLOADED].message


def test_unreachable(world: World) -> None:
    """A store that cannot be read is cannot-tell."""
    world.evidence.faults["find"] = UNREACHABLE
    assert {finding.reason for finding in look(acceptance, PLAN, world).values()} == {UNREACHABLE.reason}


def test_nothing_declared_no_subjects() -> None:
    """A project without acceptances has nothing to show here."""
    assert acceptance.subjects(a_plan()) == ()


def test_a_subject_of_something_else_is_a_bug() -> None:
    """A subject that is no acceptance cannot be judged as one."""
    with pytest.raises(TypeError, match="x is not an acceptance"):
        acceptance.judge(Subject(gate="acceptance", name="x", plan=PLAN), (), NOW)
