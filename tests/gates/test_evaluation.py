"""evaluation: declared suites and the doctor are pending, with the command that will run them."""

import pytest
from worldkit import UNREACHABLE, World, a_plan, a_record, look
from worldkit_facts import COMMIT, OTHER

from gates import evaluation
from release.domain.evidence import Evidence, Kind
from release.domain.plan import Suite
from release.domain.state import State

PLAN = a_plan(suites=(Suite(name="smoke"), Suite(name="full")))


def record(subject: str, **changes: object) -> Evidence:
    return a_record(Kind.EVALUATION, subject, **changes)


ROWS: dict[str, tuple[Evidence, ...]] = {
    "right": (record("smoke"), record("full"), record("doctor")),
    "absent": (),
    "partial": (record("smoke"),),
    "empty": (record("smoke", digest=None, data={}),),
    "another commit": (record("smoke", commit=OTHER),),
    "different": (record("smoke", verdict="fail", exit_code=1),),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str, world: World) -> None:
    """No record is accepted before the runner exists that could make it: all is pending."""
    world.remember(ROWS[name])
    found = look(evaluation, PLAN, world)
    assert list(found) == ["smoke", "full", "doctor"]
    assert {finding.reason for finding in found.values()} == {"evaluation.not-run"}
    assert {finding.state for finding in found.values()} == {State.PENDING}


def test_the_next_command_names_the_suite(world: World) -> None:
    """What to type is exact for each suite, and another one for the doctor."""
    found = look(evaluation, PLAN, world)
    assert {name: finding.next for name, finding in found.items()} == {
        "smoke": "release eval run smoke",
        "full": "release eval run full",
        "doctor": "release doctor eval",
    }
    assert found["full"].message == f"no evaluation of {COMMIT} by full"


def test_records_that_cannot_be_verified_are_counted(world: World) -> None:
    """Somebody who brought evidence is told that it was seen and does not count."""
    world.remember([record("smoke"), record("smoke", commit=OTHER), a_record(Kind.ACCEPTANCE, "smoke")])
    found = look(evaluation, PLAN, world)
    assert found["smoke"].message.endswith("by smoke; 2 record(s) found, which this version cannot verify")
    assert "record" not in found["full"].message


def test_unreachable(world: World) -> None:
    """A store that cannot be read is cannot-tell."""
    world.evidence.faults["find"] = UNREACHABLE
    assert {finding.reason for finding in look(evaluation, PLAN, world).values()} == {UNREACHABLE.reason}


def test_without_suites_there_is_no_doctor() -> None:
    """The doctor examines the store of evaluations; without suites there is none."""
    assert evaluation.subjects(a_plan(suites=())) == ()


def test_a_suite_called_doctor_is_run_as_a_suite(world: World) -> None:
    """What a subject is follows from its role, not from its name."""
    plan = a_plan(suites=(Suite(name="doctor"),))
    suite, doctor = evaluation.subjects(plan)
    assert (suite.role, doctor.role) == ("suite", "doctor")
