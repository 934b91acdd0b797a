"""Reads mutmut's results back: each mutant with its kind, what it changed, and whether a test noticed."""

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from mutmut.mutation.file_mutation import create_mutations, deep_replace, group_by_top_level_node
from mutmut.mutation.trampoline_templates import mangle_function_name
from operators import kind_of

# pytest's exit code of the mutant's run: a failed test, tests that cannot be collected any more, an internal
# error, and mutmut's own codes for a run that never ends.
NOTICED = (1, 2, 3, 24, -24, 36, 152, 255)


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change: in which file and function, what the line was and becomes, and whether it was noticed.

    ``noticed`` is None where it was not tried. ``key`` names it in ``explained.json``.
    """

    file: str
    function: str
    kind: str
    was: str
    becomes: str
    noticed: bool | None

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.file, self.function, self.was, self.becomes


def mutants_of(file: Path) -> Iterator[Mutant]:
    """Yield every mutant of one source file, in the order of the file."""
    codes = json.loads(Path("mutants", f"{file}.meta").read_text(encoding="utf-8"))["exit_code_by_key"]
    module, mutations, _, _ = create_mutations(str(file), file.read_text(encoding="utf-8"))
    prefix = ".".join(file.with_suffix("").parts)
    for function, class_name in _functions(module):
        name = mangle_function_name(name=function.name.value, class_name=class_name)
        for number, mutation in enumerate(group_by_top_level_node(mutations).get(function, ()), start=1):
            code = codes[f"{prefix}.{name}__mutmut_{number}"]
            noticed = None if code is None else code in NOTICED
            was, becomes = "", ""
            if not noticed:
                changed = deep_replace(function, mutation.original_node, mutation.mutated_node)
                was, becomes = _lines(module.code_for_node(function), module.code_for_node(changed))
            yield Mutant(
                file=str(file),
                function=".".join(part for part in (class_name, function.name.value) if part),
                kind=kind_of(mutation.original_node),
                was=was,
                becomes=becomes,
                noticed=noticed,
            )


def _functions(module: cst.Module) -> Iterator[tuple[cst.FunctionDef, str | None]]:
    for statement in module.body:
        match statement:
            case cst.FunctionDef():
                yield statement, None
            case cst.ClassDef(body=cst.IndentedBlock(body=methods)):
                yield from (
                    (one, statement.name.value) for one in methods if isinstance(one, cst.FunctionDef)
                )


def _lines(was: str, becomes: str) -> tuple[str, str]:
    diff = [
        line for line in difflib.ndiff(was.splitlines(), becomes.splitlines()) if line[:2] in ("- ", "+ ")
    ]
    return _joined(diff, "- "), _joined(diff, "+ ")


def _joined(diff: list[str], sign: str) -> str:
    return " ".join(line[2:].strip() for line in diff if line.startswith(sign))
