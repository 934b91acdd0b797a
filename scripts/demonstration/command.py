"""The demo's command line: plays every scene in a temporary folder, and leaves nothing behind.

Exit code: 0 all scenes ended as they should; 1 one did not, or the world could not be made; 130 interrupted.
"""

import argparse
import signal
import sys
import time

from registry import RegistryError

from demonstration.project import TAG
from demonstration.scenes import SCENES
from demonstration.scratch import scratch
from demonstration.stage import WrongExit, perform, say, scripts
from demonstration.world import World, running


def main() -> int:
    """Play the demo."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description="Shows `release` at work.")
    parser.add_argument("--keep", action="store_true", help="leave the world running until Ctrl-C")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _play(keep=options.keep)
    except (WrongExit, AssertionError, RegistryError, RuntimeError, OSError) as error:
        print(f"\nthe demo FAILED: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted; everything is removed", file=sys.stderr)
        return 130


def _play(*, keep: bool) -> int:
    began = time.monotonic()
    with scratch("release-demo-") as folder:
        say("== making a project, an npm registry and an emulated GitHub")
        with running(folder) as world:
            for number, scene in enumerate(SCENES, start=1):
                perform(scene, number, world)
            world.forge.assert_never_overwritten()
            requests, writes = len(world.forge.requests), len(world.forge.writes)
            say(f"\nThe emulated GitHub saw {requests} requests. {writes} wrote, and each created something.")
            say(f"The demo went as it should ({time.monotonic() - began:.0f} s).")
            if keep:
                _wait(world)
    return 0


def _wait(world: World) -> None:
    exports = "\n".join(f"export {name}={value}" for name, value in world.variables().items())
    say(
        f"\nThe world stays up until Ctrl-C. In another terminal:\n\n"
        f"export PATH={scripts()}:$PATH\n{exports}\n"
        f"cd {world.project.checkout}\nrelease status {TAG}\n\n"
        f"Let GitHub go wrong: POST {world.forge.api_url}/_forge/faults (see scripts/forge/admin.py)."
    )
    try:
        signal.pause()
    except KeyboardInterrupt:
        say("\nthe world is removed")
