"""The bench's command line. Exit code: 0 every target is met or was not run, 1 one is missed or broken."""

import argparse
import os
import platform
import signal
import sys

from registry import RegistryError

from benchmarks.measure import Unexpected
from benchmarks.rows import ROWS
from benchmarks.section import Section


def main() -> int:
    """Run the rows that were asked for and print each as soon as it is there."""
    options = _options().parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(_machine(), flush=True)
    missed = False
    try:
        for name in options.row or ROWS:
            section = ROWS[name](options.quick)
            print(f"\n{section.markdown()}", end="", flush=True)
            missed = missed or _missed(section)
    except (Unexpected, RegistryError, RuntimeError, OSError) as error:
        print(f"\nthe bench FAILED: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return int(missed)


def _missed(section: Section) -> bool:
    return any(target.met is False for target in section.targets)


def _machine() -> str:
    version = ".".join(platform.python_version_tuple()[:2])
    return f"{_cores()} cores, Python {version}, {platform.system()}"


def _cores() -> int:
    return os.cpu_count() or 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measures; prints Markdown tables.")
    parser.add_argument("row", nargs="*", choices=[[], *ROWS], help="what to measure (default: everything)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller loads")
    return parser
