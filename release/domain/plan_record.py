"""What of a plan is frozen in the ledger before the first gate (DESIGN §10, law 3), and read back.

``floors`` are numbers that may not fall (repetitions); ``fixed`` are texts that may not change.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from release.domain.errors import InputError
from release.domain.plan import Plan, Subject

SCHEMA = "release-convergence/plan-record/v1"

Names = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PlanRecord:
    """``gates`` has each gate's subjects, ``required`` the gates that count, ``packages`` their dist-tags."""

    version: str
    commit: str
    policy: str
    gates: Mapping[str, Names]
    required: Names
    packages: Mapping[str, Names]
    floors: Mapping[str, int]
    fixed: Mapping[str, str]

    def content(self) -> dict[str, object]:
        """Return the record as JSON members."""
        return {
            "schema": SCHEMA,
            "version": self.version,
            "commit": self.commit,
            "policy": self.policy,
            "gates": {gate: list(names) for gate, names in self.gates.items()},
            "required": list(self.required),
            "packages": {spec: list(tags) for spec, tags in self.packages.items()},
            "floors": dict(self.floors),
            "fixed": dict(self.fixed),
        }


def record_plan(plan: Plan, subjects: Mapping[str, tuple[Subject, ...]]) -> PlanRecord:
    """Take from the plan, and from its gates' subjects, what a later plan may not weaken."""
    gates = {
        gate: tuple(sorted(one.name for one in of_gate)) for gate, of_gate in subjects.items() if of_gate
    }
    floors = {"npm.stable_reads": plan.npm.stable_reads} if plan.packages else {}
    floors |= {f"release.immutable {spec.tag}": 1 for spec in plan.releases if spec.immutable}
    fixed = {"npm.registry": plan.npm.registry} if plan.packages else {}
    if plan.github is not None:
        fixed["github.repository"] = plan.github.repository
    if plan.branches:
        fixed["release.branches"] = ", ".join(sorted(plan.branches))
    return PlanRecord(
        version=plan.version,
        commit=plan.commit,
        policy=plan.policy,
        gates=gates,
        required=tuple(sorted(plan.required or gates)),
        packages={package.spec: tuple(sorted(package.dist_tags)) for package in plan.packages},
        floors=floors,
        fixed=fixed,
    )


def parse_plan(content: object, file: str) -> PlanRecord:
    """Read a record from JSON; raise ``InputError`` that names the member."""
    members = _object(content, file, "")
    known = {"schema", "version", "commit", "policy", "gates", "required", "packages", "floors", "fixed"}
    if members.get("schema") != SCHEMA or members.keys() != known:
        raise InputError("is not a recorded plan of this version", file=file)
    return PlanRecord(
        version=_text(members["version"], file, "version"),
        commit=_text(members["commit"], file, "commit"),
        policy=_text(members["policy"], file, "policy"),
        gates=_lists(members["gates"], file, "gates"),
        required=_names(members["required"], file, "required"),
        packages=_lists(members["packages"], file, "packages"),
        floors={key: _number(value, file, key) for key, value in _each(members["floors"], file, "floors")},
        fixed={key: _text(value, file, key) for key, value in _each(members["fixed"], file, "fixed")},
    )


def _object(value: object, file: str, place: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InputError("must be an object", file=file, place=place)
    return value


def _each(value: object, file: str, place: str) -> tuple[tuple[str, object], ...]:
    return tuple(_object(value, file, place).items())


def _text(value: object, file: str, place: str) -> str:
    if not isinstance(value, str):
        raise InputError("must be text", file=file, place=place)
    return value


def _number(value: object, file: str, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError("must be a whole number", file=file, place=place)
    return value


def _names(value: object, file: str, place: str) -> Names:
    if not isinstance(value, list):
        raise InputError("must be a list", file=file, place=place)
    return tuple(_text(item, file, place) for item in value)


def _lists(value: object, file: str, place: str) -> dict[str, Names]:
    return {key: _names(item, file, f"{place}.{key}") for key, item in _each(value, file, place)}
