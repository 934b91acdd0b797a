"""A writer in a process of its own: takes the lease, then writes a line after each check, for ever.

Arguments: our git directory, the remote, the file to write to, the term in seconds. It says ``held`` when it
has the lease, ``busy`` (exit 3) where another has it, ``lost`` (exit 5) when a check ends it.
"""

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from release.adapters.git.location import Location
from release.adapters.git.refs import RefStore
from release.adapters.lease import Clocks, Lease, LeaseHeld, held
from release.adapters.steady import steady

REF = "refs/convergence/lease/v1.0.0"


def main(git_dir: str, remote: str, journal: str, term: str) -> int:
    """Write until the lease is lost; return the exit code."""
    location = Location(url=remote, shown="origin", path=Path(remote))
    refs = RefStore(git_dir=Path(git_dir), location=location)
    clocks = Clocks(now=lambda: datetime.now(UTC), steady=steady)
    lease = Lease(refs, REF, f"writer:{os.getpid()}", clocks, timedelta(seconds=float(term)))
    begun = False
    try:
        with held(lease):
            begun = True
            say("held")
            while True:
                lease.check()
                with Path(journal).open("a", encoding="utf-8") as file:
                    file.write(f"{os.getpid()} {time.time()}\n")
                time.sleep(0.02)
    except LeaseHeld as error:
        say(f"lost: {error.problems[0].message}" if begun else "busy")
        return 5 if begun else 3


def say(text: str) -> None:
    """Print one line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
