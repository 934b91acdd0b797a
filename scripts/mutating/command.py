"""The command line: which files, then mutmut, then the score. Exit 1 where a decision can break unnoticed."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

FILES = ("release/domain/state.py", "release/domain/action.py", "release/domain/decision.py")
SELECTION = (
    "tests/gates",
    "tests/domain/test_state.py",
    "tests/domain/test_action.py",
    "tests/domain/test_decision.py",
    "tests/domain/test_held_back.py",
)
HERE = Path(__file__).resolve().parent
LOG = Path("mutmut.log")


def main(argv: list[str]) -> int:
    """Run and print; 0 where every unnoticed comparison and branch is explained in ``explained.json``."""
    text = "Break the gates on purpose, one change at a time, and count what the tests notice."
    end = "Exits with 1 where a comparison or a branch can break unnoticed, without an explanation."
    parser = argparse.ArgumentParser(prog="scripts/mutation", description=text, epilog=end)
    parser.add_argument(
        "files", nargs="*", help="source files to break (default: every gate, and three of the domain)"
    )
    parser.add_argument(
        "--processes", type=int, default=1, help="mutants tried at the same time (default: 1)"
    )
    parser.add_argument(
        "--texts", action="store_true", help="also list the changed texts that no test noticed"
    )
    options = parser.parse_args(argv)
    files = [Path(name) for name in options.files] or _all_files()
    _configure(files)
    _run(files, options.processes)
    return _report(files, texts=options.texts)


def _all_files() -> list[Path]:
    gates = sorted(path for path in Path("gates").glob("*.py") if path.stem != "__init__")
    return [*gates, *map(Path, FILES)]


def _configure(files: list[Path]) -> None:
    values = {
        "source_paths": ("gates", "release"),
        "only_mutate": files,
        "pytest_add_cli_args_test_selection": [one for one in SELECTION if Path(one).exists()],
        "pytest_add_cli_args": ("-p", "no:cacheprovider"),
    }
    lines = (f"{key} =\n" + "".join(f"    {value}\n" for value in many) for key, many in values.items())
    Path("setup.cfg").write_text("[mutmut]\n" + "".join(lines), encoding="utf-8")


def _run(files: list[Path], processes: int) -> None:
    """Run mutmut once a file, so that each is reported when it is done; its own output goes to a log."""
    for file in files:
        print(f"== breaking {file}", file=sys.stderr, flush=True)
        names = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        call = [
            sys.executable,
            str(HERE / "operators.py"),
            "run",
            "--max-children",
            str(processes),
            f"{names}.x*",
        ]
        with LOG.open("wb") as log:
            ended = subprocess.run(call, stdout=log, stderr=subprocess.STDOUT, check=False)
        if ended.returncode:
            said = LOG.read_text(encoding="utf-8", errors="replace").replace("\r", "\n").splitlines()
            raise SystemExit("\n".join([*said[-40:], f"mutmut failed on {file}"]))


def _report(files: list[Path], *, texts: bool) -> int:
    # Only in the copy are mutmut and libcst installed, and --help must work without them.
    import operators
    from mutants import mutants_of
    from score import listing, table

    operators.install()

    rows = json.loads((HERE / "explained.json").read_text(encoding="utf-8"))
    explained = {(row["file"], row["function"], row["was"], row["becomes"]): row["why"] for row in rows}
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    unnoticed = [one for one in mutants if not one.noticed and (texts or one.kind != "text")]
    decisions = [
        one for one in unnoticed if one.kind in ("comparison", "branch") and one.key not in explained
    ]
    print(f"\n{table(mutants)}\n")
    print(listing(unnoticed, explained))
    print(f"\n{len(decisions)} comparisons and branches can break unnoticed and are not explained")
    return 1 if decisions else 0
