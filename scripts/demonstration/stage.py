"""Runs scenes in a world and prints them; the commands' own output goes straight to the terminal."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

from demonstration.scenes import Scene
from demonstration.world import World

_KEPT = ("HOME", "LANG", "LC_ALL", "TERM", "NO_COLOR", "COLUMNS", "TMPDIR", "SystemRoot")


class WrongExit(Exception):
    """A command did not end as the scene says, or wrote something that it must not."""


def perform(scene: Scene, number: int, world: World) -> None:
    """Change the world, run the command, explain it; raise ``WrongExit`` where it ends otherwise."""
    say(f"\n{'=' * 100}\n{number}. {scene.title}\n   {scene.happens}\n")
    scene.change(world)
    before = world.written()
    say(f"$ {shlex.join(('release', *scene.command))}")
    code = _run(scene.command, world)
    if code != scene.exit:
        raise WrongExit(f"release {scene.command[0]} exited {code}, and should have exited {scene.exit}")
    if not scene.writes and world.written() != before:
        raise WrongExit(f"release {scene.command[0]} wrote to a channel, and must not have")
    say(f"\n=> exit code {code}: {scene.lesson}")


def say(text: str) -> None:
    """Print, before anything that a child prints later."""
    print(text, flush=True)


def scripts() -> Path:
    """Return the folder that holds the installed console script."""
    return Path(sys.executable).parent


def _run(command: tuple[str, ...], world: World) -> int:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = f"{scripts()}{os.pathsep}{os.environ['PATH']}"
    env = {**kept, "PATH": path, **world.variables()}
    # by its full path: which `release` runs must not depend on the caller's PATH
    program = str(scripts() / "release")
    # no stdin: `converge` asks where there is a terminal
    child = subprocess.Popen(
        [program, *command], cwd=world.project.checkout, env=env, stdin=subprocess.DEVNULL
    )
    try:
        return child.wait()
    except BaseException:
        _interrupt(child)
        raise


def _interrupt(child: subprocess.Popen[bytes]) -> None:
    """Let the command end what it has started itself; it gets a few seconds for that."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
