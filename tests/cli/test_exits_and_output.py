"""Exit codes, stdout and stderr of whole processes."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from canned import PLAN

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = str(Path(__file__).with_name("canned.py"))
EXITS = {"complete": 0, "failed": 1, "partial": 2, "pending": 3, "blind": 4}


def environment(answer: str, **extra: str) -> dict[str, str]:
    """The environment of a canned process."""
    return {"PATH": os.environ["PATH"], "CANNED": answer, **extra}


@pytest.mark.parametrize("answer", EXITS)
def test_the_exit_code_is_the_state(answer: str, canned) -> None:
    """Human and JSON forms give the same exit code (R-VERDICT-01, R-VERDICT-02)."""
    for form in ((), ("--json",)):
        done = canned(answer, "status", *form)
        assert done.returncode == EXITS[answer], done.stderr
        assert "Traceback" not in done.stderr


def test_stdout_holds_only_the_report(canned) -> None:
    """Progress goes to stderr, at most four lines where it is no terminal."""
    done = canned("many", "status", "--json")
    jsonschema.validate(
        json.loads(done.stdout), json.loads((ROOT / "docs" / "report.schema.json").read_text())
    )
    assert done.stderr.splitlines() == [
        f"looked at {count} of 2000 subjects" for count in (500, 1000, 1500, 2000)
    ]


def test_formats(canned) -> None:
    """--json is --format json; the default is the table; nothing raw from outside."""
    assert (
        canned("pending", "status", "--json").stdout == canned("pending", "status", "--format", "json").stdout
    )
    table = canned("pending", "status").stdout
    assert table == canned("pending", "status", "--format", "table").stdout
    assert "m\\x1b[2J" in table
    markdown = canned("pending", "status", "--format", "markdown")
    assert (markdown.returncode, markdown.stdout[:3]) == (3, "## ")


def test_every_option_reaches_the_survey(canned) -> None:
    """What is typed is what is asked for."""
    line = (
        "status v1.0.0 --config a/b.toml --commit abc --gate x --gate y --shallow --evidence d --evidence e"
    )
    said = canned("echo", *line.split()).stderr
    assert "('v1.0.0', PosixPath('a/b.toml'), 'abc', ('x', 'y'))" in said
    assert "(False, (PosixPath('d'), PosixPath('e')), '" in said
    said = canned("echo", "status").stderr
    assert "(None, None, None, ())" in said
    assert "(True, (), '" in said


USAGE = {
    "no command": ((), "no command"),
    "unknown command": (("sttus",), "No such command"),
    "unknown option": (("status", "--shalow"), "No such option"),
    "option without value": (("status", "--gate"), "requires an argument"),
    "two selectors": (("status", "v1", "v2"), "unexpected extra argument"),
    "unknown format": (("status", "--format", "xml"), "xml"),
    "two formats": (("status", "--json", "--format", "table"), "two formats"),
    "explain nothing": (("explain",), "REASON|GATE"),
    "explain nonsense": (("explain", "npm.absnt"), "did you mean npm.absent"),
    "config alone": (("config",), "Missing command"),
    "config nonsense": (("config", "chek"), "No such command"),
}


@pytest.mark.parametrize("row", USAGE)
def test_a_wrong_call_exits_4(row: str, canned) -> None:
    """The library's own 2 would mean "partial": a usage error is 4, one message with a remedy."""
    arguments, message = USAGE[row]
    done = canned("complete", *arguments)
    assert done.returncode == 4
    assert message.lower() in done.stderr.lower()
    assert "fix: " in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


FAULTS = {
    "config": (4, "error: release.toml: a.b: is wrong\n  fix: mend it\n"),
    "cannot-tell": (4, "error: cannot tell (git.unreachable): origin does not answer\n  fix: Look again"),
    "nothing": (4, "error: nothing to judge: no subjects\n"),
    "interrupt": (130, ""),
}


@pytest.mark.parametrize("answer", FAULTS)
def test_a_fault_is_one_message(answer: str, canned) -> None:
    """Known faults print what is wrong and what to do, and nothing on stdout."""
    code, message = FAULTS[answer]
    done = canned(answer, "status")
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_defect_is_one_line_without_the_text_of_the_exception(canned) -> None:
    """No traceback and no secret reaches a user; RELEASE_DEBUG=1 shows the trace."""
    done = canned("defect", "status")
    assert done.returncode == 4
    assert re.fullmatch(r"internal error: RuntimeError at canned\.py:\d+; RELEASE_DEBUG=1 .*\n", done.stderr)
    assert "canary" not in done.stderr
    debugged = canned("defect", "status", RELEASE_DEBUG="1")
    assert debugged.returncode == 4
    assert "Traceback" in debugged.stderr


@pytest.mark.parametrize(
    "arguments", [("status",), ("status", "--json"), ("version",), ("explain", "npm.absent")]
)
def test_a_reader_that_is_gone_is_never_a_success(arguments: tuple[str, ...]) -> None:
    """A closed pipe exits 4 without a traceback, also for a complete release (R-VERDICT-05)."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        env=environment("complete"),
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 4
    assert "could not be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_help_into_a_closed_pipe_is_no_success_either() -> None:
    """Even the help text has to arrive."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--help"],
        env=environment("complete"),
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert done.returncode not in (0, 2)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("status",), ("--help",)])
def test_a_full_disk_is_never_a_success(arguments: tuple[str, ...]) -> None:
    """Output that could not be written exits 4 (R-VERDICT-05)."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, SCRIPT, *arguments],
            env=environment("complete"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_closed_stdout_is_never_a_success() -> None:
    """`>&-` exits 4, and a closed stderr changes nothing (R-VERDICT-05)."""
    line = f'"{sys.executable}" "{SCRIPT}" status'
    closed = subprocess.run(
        ["sh", "-c", f"{line} >&-"], env=environment("complete"), capture_output=True, timeout=60, check=False
    )
    assert closed.returncode == 4
    silent = subprocess.run(
        ["sh", "-c", f"{line} 2>&-"], env=environment("partial"), capture_output=True, timeout=60, check=False
    )
    assert silent.returncode == 2


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_is_never_a_success(number: signal.Signals, code: int) -> None:
    """A process that is told to stop ends with a code that is no verdict (R-VERDICT-05)."""
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "status"],
        env=environment("sleep"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "asleep\n"
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in said


def test_output_in_a_narrow_encoding_does_not_break(canned) -> None:
    """LANG=C and a report with other letters: escapes, not an exception."""
    done = canned("pending", "status", "--format", "markdown", LANG="C", PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 3
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("extra", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": ""}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_only_where_they_are_wanted(extra: dict[str, str], coloured: bool, canned) -> None:
    """A terminal gets colours; NO_COLOR and TERM=dumb turn them off; a pipe has none."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "status"],
        env=environment("pending", **extra),
        stdout=side,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(side)
    shown = b""
    while chunk := _read(main):
        shown += chunk
    process.communicate(timeout=60)
    os.close(main)
    assert process.returncode == 3
    assert (b"\x1b[" in shown) is coloured
    assert b"tag.absent" in shown


def test_a_bar_on_a_terminal() -> None:
    """With stderr on a terminal there is a live bar, and stdout still holds only the report."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, SCRIPT, "status", "--json"],
        env=environment("many", TERM="xterm"),
        stdout=subprocess.PIPE,
        stderr=side,
        text=True,
    )
    os.close(side)
    out, _ = process.communicate(timeout=60)
    shown = b""
    while chunk := _read(main):
        shown += chunk
    os.close(main)
    assert json.loads(out)["state"] == "pending"
    assert b"source-tag" in shown
    assert b"looked at" not in shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


HEAVY = (
    "github",
    "requests",
    "urllib3",
    "cryptography",
    "pydantic",
    "rich",
    "msgspec",
    "psutil",
    "release.wiring",
)


@pytest.mark.parametrize("arguments", [["--help"], ["status", "--help"], ["config", "--help"], ["version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Neither PyGithub nor requests nor any other heavy library is loaded to print help.

    typer itself loads pydantic for the arguments of a command; the top-level help is free of it.
    """
    mine = tuple(name for name in HEAVY if name != "pydantic" or arguments == ["--help"])
    code = (
        "import sys\nfrom release.cli import main\n"
        f"code = main({arguments!r})\n"
        f"print('LOADED', code, [name for name in {mine!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines()[-1] == "LOADED 0 []", done.stdout + done.stderr


def test_a_pipe_needs_no_rich(canned) -> None:
    """The plain table does not pay for the terminal's library."""
    code = "import sys; import release.report.table, release.cli.progress; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "False\n"


def test_version(canned) -> None:
    """Command and option print the same line."""
    done = canned("complete", "version")
    assert (done.returncode, done.stdout) == (0, canned("complete", "--version").stdout)
    assert done.stdout.startswith("release-convergence ")


def test_config_check_prints_the_plan(canned) -> None:
    """Every tag, gate and subject, as a tree and as JSON."""
    text = canned("complete", "config", "check").stdout
    assert "tags\n  v1.0.0\n" in text
    assert "  source-tag\n    v1.0.0\n" in text
    value = json.loads(canned("complete", "config", "check", "--json").stdout)
    assert value["gates"] == [{"name": "source-tag", "required": True, "subjects": ["v1.0.0"]}]
    assert value["release"]["commit"] == PLAN.commit


def test_explain(canned) -> None:
    """A reason and a gate are printed with exit code 0."""
    assert "remedy" in canned("complete", "explain", "npm.absent").stdout
    assert "recheck" in canned("complete", "explain", "source-tag").stdout
