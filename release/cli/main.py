"""The one place that exits. Every failure becomes one message on stderr and a code that is never 0.

4 is for the call, the configuration, defects and lost output; typer's own 2 is mapped to it, because 2
means "partial" here.
"""

import os
import signal
import sys
import traceback

import typer

from release.cli.app import command
from release.cli.output import OutputLost, abandon_stdout, complain, emit
from release.domain.errors import CannotTell, ReleaseError, UsageError
from release.domain.reasons import CATALOGUE
from release.domain.state import NothingToJoin
from release.report.errors import render_error

FAULT = 4
INTERRUPTED = 130
TERMINATED = 143


class Terminated(BaseException):  # no Exception: nothing on the way may take it for a failure
    """SIGTERM, as an exception: what is open is closed, and no child goes on alone."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code."""
    try:
        if arguments is None:
            _end_in_order()
        code = _run(sys.argv[1:] if arguments is None else arguments)
        emit("")  # typer's own help is still in the buffer: it must arrive, too
        return code
    except Terminated:
        complain("terminated\n")
        return TERMINATED
    except KeyboardInterrupt:
        complain("interrupted\n")
        return INTERRUPTED
    except OutputLost as lost:
        abandon_stdout()
        complain(f"error: the output could not be written: {lost}\n")
        return FAULT
    except ReleaseError as error:
        complain(render_error(error))
        return error.exit_code
    except CannotTell as fault:
        complain(render_error(_blind(fault)))
        return FAULT
    except NothingToJoin as error:
        complain(f"error: nothing to judge: {error}\n")
        return FAULT
    except Exception as defect:  # noqa: BLE001 - the last line of defence: no traceback reaches a user
        abandon_stdout()
        complain(_defect(defect))
        return FAULT


def _end_in_order() -> None:
    def raise_terminated(number: int, frame: object) -> None:  # noqa: ARG001 - the handler's signature
        raise Terminated

    signal.signal(signal.SIGTERM, raise_terminated)


def _run(arguments: list[str]) -> int:
    try:
        code = command().main(args=arguments, prog_name="release", standalone_mode=False)
    except typer.Abort:
        complain("aborted\n")
        return FAULT
    except SystemExit as end:  # typer's own answer to a closed pipe
        abandon_stdout()
        return end.code if isinstance(end.code, int) and end.code not in (0, 2) else FAULT
    except Exception as error:
        usage = _usage(error)
        if usage is None:
            raise
        raise usage from error
    return code if isinstance(code, int) else 0


def _usage(error: Exception) -> UsageError | None:
    match error:
        case typer.TyperException() if error.exit_code in (1, 2):
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "release"
            return UsageError(error.format_message(), fix=f"see {path} --help")
        case _:
            return None


def _blind(fault: CannotTell) -> ReleaseError:
    reason = CATALOGUE.get(fault.reason)
    return ReleaseError(f"cannot tell ({fault.reason}): {fault.message}", fix=reason.remedy if reason else "")


def _defect(defect: Exception) -> str:
    if os.environ.get("RELEASE_DEBUG") == "1":
        return "".join(traceback.format_exception(defect))
    frames = traceback.extract_tb(defect.__traceback__)
    where = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""  # noqa: PTH119
    return f"internal error: {type(defect).__name__}{where}; RELEASE_DEBUG=1 shows the whole trace\n"
