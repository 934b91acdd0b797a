"""Other programs: argv only, a small environment, bounded in time and output, nothing left behind."""

import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import psutil
import pytest

from release.adapters.process import Command, Dialogue, environment, run
from release.domain.errors import CannotTell

posix = pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX shell")


def _python(code: str, *arguments: str, **settings: object) -> Command:
    return Command(argv=(sys.executable, "-c", code, *arguments), **settings)  # type: ignore[arg-type]


def _alive(marker: str) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.cmdline()[:1] == [marker] and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def test_output_and_code_are_values() -> None:
    """An exit code other than 0 is an answer, with both streams."""
    code = "import sys; sys.stdout.write('out'); sys.stderr.write('err'); sys.exit(7)"
    finished = run(_python(code))
    assert (finished.code, finished.text, finished.errors) == (7, "out", "err")


def test_arguments_are_never_a_shell_line() -> None:
    """Spaces, quotes, globs and dollars reach the program as they are."""
    argument = "a b; $(touch x) 'q' * \"d\" -n\n"
    finished = run(_python("import sys; sys.stdout.write(repr(sys.argv[1]))", argument))
    assert finished.text == repr(argument)


def test_the_environment_is_an_allowlist(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token or a tool's own switch in our environment does not reach a child; HOME only when asked."""
    monkeypatch.setenv("GITHUB_TOKEN", "canary-token")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("HOME", "/home/acme")
    code = "import os; print(sorted(os.environ.items()))"
    seen = run(_python(code)).text
    assert "canary-token" not in seen
    assert "GIT_DIR" not in seen
    assert "'HOME'" not in seen
    assert "('HTTPS_PROXY', 'http://proxy.test:3128')" in seen
    assert "('LC_ALL', 'C.UTF-8')" in seen
    assert "('TZ', 'UTC')" in seen
    assert environment(("HOME",), {"X": "1"}).items() >= {("HOME", "/home/acme"), ("X", "1")}


def test_stdin_larger_than_a_pipe_and_both_outputs_do_not_block() -> None:
    """A megabyte in, a megabyte out on both streams at once."""
    code = "import sys; d=sys.stdin.buffer.read(); sys.stderr.buffer.write(d); sys.stdout.buffer.write(d)"
    data = b"x" * (1 << 20)
    finished = run(_python(code, stdin=data, limit_errors=1 << 21))
    assert finished.stdout == data
    assert finished.stderr == data


def test_a_program_that_does_not_read_its_input_still_ends() -> None:
    """A closed pipe is no error: the exit code says what the program thinks."""
    assert run(_python("import sys; sys.exit(3)", stdin=b"x" * (1 << 20))).code == 3


def test_a_missing_program_is_cannot_tell() -> None:
    """R: the tool's name is in the message, and nothing is a verdict."""
    with pytest.raises(CannotTell, match=r"tool\.missing: no-such-program is not installed"):
        run(Command(argv=("no-such-program",)))


def test_a_missing_directory_is_not_a_missing_program(tmp_path: Path) -> None:
    """The two are told apart by looking, not by the error's text."""
    with pytest.raises(CannotTell, match=r"tool\.failed: .* no directory"):
        run(_python("", cwd=tmp_path / "absent"))


def test_a_null_byte_in_an_argument_is_cannot_tell() -> None:
    """What the operating system refuses is no traceback."""
    with pytest.raises(CannotTell, match=r"tool\.failed: .* cannot be started"):
        run(_python("", "a\0b"))


def test_too_much_output_ends_the_program_at_once() -> None:
    """Output is bounded in memory: an endless program ends, and half an answer is none."""
    started = time.monotonic()
    with pytest.raises(CannotTell, match="wrote more than 1000 bytes"):
        run(_python("while True: print('x' * 100)", limit=1000, timeout=30))
    assert time.monotonic() - started < 10


def test_errors_keep_their_end() -> None:
    """Of a long stderr the last bytes stay: the cause stands there."""
    code = "import sys; sys.stderr.write('x' * 100000 + 'the end')"
    finished = run(_python(code, limit_errors=1000))
    assert len(finished.stderr) == 1000
    assert finished.errors.endswith("the end")


def test_a_time_out_is_cannot_tell_and_prompt() -> None:
    """A program that hangs is ended at its limit."""
    started = time.monotonic()
    with pytest.raises(CannotTell, match=r"tool\.failed: .* did not end within 0\.3 s"):
        run(_python("import time; time.sleep(60)", timeout=0.3))
    assert time.monotonic() - started < 5


SCRIPTS = {
    "a child in the background": "bash -c 'exec -a {m} sleep 60' & wait",
    "a child that ignores signals": "trap '' TERM HUP; (trap '' TERM HUP; exec -a {m} sleep 60) & wait",
    "a grandchild in a session of its own": "setsid bash -c 'exec -a {m} sleep 60' & wait",
    "a daemon that forked twice": "(setsid bash -c 'exec -a {m} sleep 60' &) ; sleep 60",
    "a daemon without our environment": "(env -i /bin/bash -c 'exec -a {m} sleep 60' &) ; sleep 60",
}


@posix
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
@pytest.mark.parametrize("ends", ["time-out", "exit"])
def test_nothing_that_a_program_started_outlives_it(script: str, ends: str) -> None:
    """Descendants are gone after a time-out and after a normal exit, whatever session they are in."""
    marker = f"acme-{uuid.uuid4().hex}"
    line = script.format(m=marker)
    if ends == "exit":
        line = line.replace("& wait", "& sleep 0.7").replace("; sleep 60", "; sleep 0.7")
    command = Command(argv=("bash", "-c", line), timeout=1.0 if ends == "time-out" else 20)
    started = time.monotonic()
    seen, over = threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(0.03) and not seen.is_set():
            if _alive(marker):
                seen.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    if ends == "time-out":
        with pytest.raises(CannotTell, match="did not end"):
            run(command)
    else:
        assert run(command).code == 0
    over.set()
    watcher.join()
    assert seen.is_set(), "the descendant never ran: the test shows nothing"
    assert time.monotonic() - started < 10
    assert _alive(marker) == []


def test_other_programs_are_left_alone() -> None:
    """Only what carries the call's mark is ended: a neighbour of ours and of another thread live on."""
    neighbour = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(30)"))
    other: list[int] = []
    thread = threading.Thread(target=lambda: other.append(run(_python("import time; time.sleep(1.0)")).code))
    try:
        thread.start()
        with pytest.raises(CannotTell, match="did not end"):
            run(_python("import time; time.sleep(60)", timeout=0.3))
        thread.join()
        assert other == [0]
        assert neighbour.poll() is None
    finally:
        neighbour.kill()
        neighbour.wait()


ECHO = "import sys\nfor line in sys.stdin: print(len(line) - 1); print(line, end='', flush=True)"


def test_a_dialogue_answers_many_questions() -> None:
    """Lines and exact bytes alternate on one running program."""
    with Dialogue(_python(ECHO)) as dialogue:
        for text in (b"one", b"three"):
            dialogue.ask(text + b"\n")
            assert dialogue.line() == str(len(text)).encode()
            assert dialogue.exactly(len(text)) == text
            assert dialogue.line() == b""
            dialogue.done()


def test_a_dialogue_that_hangs_is_ended() -> None:
    """Each question has its own clock."""
    with Dialogue(_python("import time; time.sleep(60)", timeout=0.3)) as dialogue:
        dialogue.ask(b"x\n")
        with pytest.raises(CannotTell, match=r"tool\.failed: .* ended or hung"):
            dialogue.line()


def test_a_dialogue_that_ends_early_is_cannot_tell() -> None:
    """A half line is no answer."""
    with Dialogue(_python("import sys; sys.stdin.readline(); print('half', end='')")) as dialogue:
        dialogue.ask(b"x\n")
        with pytest.raises(CannotTell, match="ended or hung in the middle"):
            dialogue.line()


def test_secrets_do_not_show_in_a_commands_repr() -> None:
    """Environment and input are where credentials travel."""
    shown = repr(Command(argv=("git",), env={"T": "canary-token"}, stdin=b"canary-token"))
    assert "canary" not in shown


def test_the_module_imports_without_posix() -> None:
    """No POSIX-only module or name is needed at import time (Windows, macOS)."""
    code = (
        "import sys, os, psutil\n"
        "for name in ('fcntl', 'resource', 'pwd', 'grp', 'termios', 'pty'): sys.modules[name] = None\n"
        "for name in ('getsid', 'setsid', 'killpg', 'getpgid'): delattr(os, name)\n"
        "import release.adapters.process, release.adapters.git.repository, release.adapters.git.reader\n"
        "print('ok')"
    )
    assert run(_python(code, cwd=Path(__file__).parents[2])).text.strip() == "ok"
