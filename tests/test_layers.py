"""The direction of imports (DESIGN §8), held by reading the source: layers, cycles, libraries, sizes."""

import ast
from pathlib import Path

import gates

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in ("release", "gates")
    for path in (ROOT / folder).rglob("*.py")
}

# importer (longest prefix wins) -> what of this project it may import
ALLOWED = {
    "release.domain": ("release.domain",),
    "release.ports": ("release.domain",),
    "release.contract": ("release.domain", "release.ports", "release.write_ports"),
    "gates": ("release.domain", "release.contract", "release.ports", "gates"),
    "release.adapters": ("release.domain", "release.ports", "release.write_ports", "release.adapters"),
    "release.config": ("release.domain", "release.ports", "release.config"),
    "release.canonical": ("release.domain", "release.ports"),
    "release.survey": ("release.domain", "release.contract", "release.ports"),
    "release.opening": (
        "release.domain",
        "release.adapters",
        "release.config",
        "release.canonical",
        "release.options",
        "release.origins",
    ),
    "release.origins": ("release.domain",),
    "release.assembly": (
        "release.domain",
        "release.adapters",
        "release.ports",
        "release.write_ports",
        "release.opening",
    ),
    "release.options": ("release.domain",),
    "release.upkeep": ("release.domain", "release.adapters", "release.assembly", "release.opening"),
    "release.entrance": ("release.domain", "release.adapters"),
    "release.preflight": (
        "release.domain",
        "release.adapters",
        "release.assembly",
        "release.opening",
        "release.ports",
        "release.write_ports",
    ),
    "release.watch": ("release.domain", "release.options"),
    "release.write_ports": ("release.domain", "release.ports"),
    "release.converge": (
        "release.domain",
        "release.contract",
        "release.ports",
        "release.survey",
        "release.write_ports",
    ),
    "release.report": ("release.domain", "release.report"),
    "release.wiring": ("release", "gates"),
    "release.cli": (
        "release",
        "release.cli",
        "release.options",
        "release.domain",
        "release.report",
        "release.wiring",
    ),
    "release": (),
}

# library -> the only file or folder that may import it
LIBRARIES = {
    "typer": ("release/cli",),
    "tomli": ("release/config",),
    "pydantic": ("release/config",),
    "pydantic_core": ("release/config",),
    "github": ("release/adapters/github",),
    "requests": ("release/adapters/http",),
    "urllib3": ("release/adapters/http",),
    "subprocess": ("release/adapters/process.py",),
    "psutil": ("release/adapters/process.py",),
    "cryptography": ("release/adapters/signing",),
    "rfc8785": ("release/adapters/evidence",),
    "filelock": ("release/adapters/evidence",),
    "nodesemver": ("release/adapters/npm",),
    "rich": ("release/report", "release/cli"),
    "msgspec": ("release/adapters",),
}

# file -> why it may be longer than 250 lines; function -> why it may be longer than 50
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {
    "release/cli/converge.py:converge": "the signature is the command's options, one by one",
}


def _imports(path: Path) -> list[str]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def _module(name: str) -> str | None:
    while name and name not in FILES:
        name = name.rpartition(".")[0]
    return name or None


def _rule(module: str) -> tuple[str, ...]:
    return ALLOWED[max((rule for rule in ALLOWED if _within(module, rule)), key=len)]


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def test_the_direction_of_imports_holds() -> None:
    """Every import goes the way that DESIGN §8 draws it."""
    wrong = []
    for module, path in FILES.items():
        for name in _imports(path):
            target = _module(name)
            if target in (None, module, "release"):
                continue  # the package itself holds nothing but the version
            if not any(_within(target, allowed) for allowed in _rule(module)):
                wrong.append(f"{module} imports {target}")
    assert wrong == []


def test_the_command_line_never_reaches_past_wiring() -> None:
    """Commands call wiring; they import no adapter, gate or configuration themselves."""
    forbidden = ("release.adapters", "release.config", "release.survey", "gates")
    wrong = [
        f"{module} imports {name}"
        for module, path in FILES.items()
        if _within(module, "release.cli")
        for name in _imports(path)
        if any(_within(name, package) for package in forbidden)
    ]
    assert wrong == []


def test_no_cycle_between_modules() -> None:
    """No module reaches itself through imports, at any depth."""
    edges = {
        module: {target for name in _imports(path) if (target := _module(name)) and target != module}
        for module, path in FILES.items()
    }
    done: set[str] = set()

    def walk(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module in done:
            return
        for target in edges[module]:
            walk(target, (*trail, module))
        done.add(module)

    for module in edges:
        walk(module, ())


def test_gates_never_import_each_other() -> None:
    """A gate module imports no other gate module; only the list does."""
    wrong = [
        f"{module} imports {name}"
        for module, path in FILES.items()
        if module.startswith("gates.")
        for name in _imports(path)
        if _within(name, "gates")
    ]
    assert wrong == []


def test_each_library_has_one_door() -> None:
    """A third-party library is imported by exactly one file or folder."""
    wrong = []
    for module, path in FILES.items():
        relative = path.relative_to(ROOT).as_posix()
        for name in _imports(path):
            doors = LIBRARIES.get(name.partition(".")[0])
            if doors and not any(relative == door or relative.startswith(door) for door in doors):
                wrong.append(f"{module} imports {name}")
    assert wrong == []


def test_domain_uses_the_standard_library_only_and_does_no_io() -> None:
    """The domain imports nothing that could touch the world."""
    banned = {
        "os",
        "io",
        "pathlib",
        "socket",
        "time",
        "logging",
        "random",
        "threading",
        "urllib.request",
        "shutil",
    }
    wrong = [
        f"{module} imports {name}"
        for module, path in FILES.items()
        if _within(module, "release.domain")
        for name in _imports(path)
        if (name.partition(".")[0] in banned or name in banned) and not name.startswith("pathlib.Pure")
    ]
    assert wrong == []


def test_only_wiring_reads_the_clock() -> None:
    """``datetime.now`` and ``time.time`` stand in the composition root and nowhere else."""
    wrong = []
    for module, path in FILES.items():
        if module == "release.wiring":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = f"{ast.unparse(node.func.value)}.{node.func.attr}"
                if called in {
                    "datetime.now",
                    "datetime.utcnow",
                    "time.time",
                    "date.today",
                    "datetime.datetime.now",
                }:
                    wrong.append(f"{module}: {called}")
    assert wrong == []


def test_files_and_functions_stay_small() -> None:
    """No file over 250 lines and no function over 50, unless a reason is listed above."""
    wrong = []
    for path in FILES.values():
        relative = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > 250 and relative not in LONG_FILES:
            wrong.append(f"{relative}: {len(text.splitlines())} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > 50 and f"{relative}:{node.name}" not in LONG_FUNCTIONS:
                    wrong.append(f"{relative}:{node.name}: {length} lines")
    assert wrong == []


def test_every_module_in_gates_is_listed_and_nothing_else() -> None:
    """The list in ``gates/__init__.py`` is the table of contents: every module, each once."""
    modules = {path.stem for path in (ROOT / "gates").glob("*.py")} - {"__init__"}
    assert {gate.NAME.replace("-", "_") for gate in gates.GATES} == modules
    assert len(gates.GATES) == len(modules)


def test_gates_need_only_gates_that_stand_before_or_exist() -> None:
    """``NEEDS`` names existing gates and has no cycle."""
    needs = {gate.NAME: gate.NEEDS for gate in gates.GATES}
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " needs ".join((*trail, name))
        for other in needs[name]:
            if other not in done:
                walk(other, (*trail, name))
        done.add(name)

    for name in needs:
        walk(name, ())
