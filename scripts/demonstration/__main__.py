"""``python scripts/demonstration``; scripts/demo installs what it needs first."""

import sys
from pathlib import Path

# Run by path, the interpreter looks for modules inside the package instead of next to it.
_here = str(Path(__file__).resolve().parent)
sys.path[:] = [str(Path(_here).parent), *(entry for entry in sys.path if entry != _here)]

if __name__ == "__main__":
    from demonstration.command import main

    raise SystemExit(main())
