"""May a later plan judge less than the recorded one? Never silently (DESIGN §10, law 3).

Growing is always right. What is fewer, lower or another is named, one line a difference; the strictest of
both plans stays the measure until somebody accepts the differences by these names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from release.domain.plan_record import Names, PlanRecord


def weaker(recorded: PlanRecord, current: PlanRecord) -> Names:
    """Return the name of everything that ``recorded`` asks for and ``current`` does not."""
    return tuple(_weaker(recorded, current))


def strictest(recorded: PlanRecord | None, current: PlanRecord) -> PlanRecord:
    """Return ``current`` with everything that ``recorded`` asks for on top."""
    if recorded is None:
        return current
    floors = {
        key: max(recorded.floors.get(key, value), value)
        for key, value in {**recorded.floors, **current.floors}.items()
    }
    return replace(
        current,
        gates=_union(recorded.gates, current.gates),
        required=tuple(sorted({*recorded.required, *current.required})),
        packages=_union(recorded.packages, current.packages),
        floors=floors,
        fixed={**current.fixed, **recorded.fixed},
    )


def covers(recorded: PlanRecord | None, current: PlanRecord) -> bool:
    """Say whether ``recorded`` asks for everything that ``current`` asks for."""
    return recorded is not None and not weaker(current, recorded)


def _weaker(recorded: PlanRecord, current: PlanRecord) -> Iterator[str]:
    for gate, names in recorded.gates.items():
        if gate not in current.gates:
            yield f"gate {gate}"
            continue
        yield from (f"subject {gate} {name}" for name in names if name not in current.gates[gate])
    for gate in recorded.required:
        if gate in current.gates and gate not in current.required:
            yield f"required {gate}"
    for spec, tags in recorded.packages.items():
        if spec not in current.packages:
            yield f"package {spec}"
            continue
        yield from (f"dist-tag {spec} {tag}" for tag in tags if tag not in current.packages[spec])
    for key, floor in recorded.floors.items():
        if current.floors.get(key, 0) < floor:
            yield f"{key} {floor} -> {current.floors.get(key, 0)}"
    for key, value in recorded.fixed.items():
        if current.fixed.get(key) != value:
            yield f"{key} {value} -> {current.fixed.get(key, 'nothing')}"


def _union(recorded: Mapping[str, Names], current: Mapping[str, Names]) -> dict[str, Names]:
    keys = {**recorded, **current}
    return {key: tuple(sorted({*recorded.get(key, ()), *current.get(key, ())})) for key in keys}
