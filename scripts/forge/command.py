"""The forge as a process: prints one line of JSON with its addresses and stays up until it is told to end."""

import argparse
import functools
import json
import signal
import sys
import threading
from pathlib import Path

from forge import document
from forge.service import Forge


def main(argv: list[str] | None = None) -> int:
    """Run until SIGTERM, SIGINT or, with ``--until-eof``, the end of standard input."""
    options = _options().parse_args(argv)
    with Forge(options.state_dir, port=options.port, secure=options.secure) as forge:
        forge.dispatcher.load = functools.partial(document.load, forge)
        forge.settings.latency_ms = options.latency_ms
        for token in options.token:
            forge.token(token, push=True)
        if options.world is not None:
            document.load(forge, json.loads(options.world.read_text(encoding="utf-8")))
        print(json.dumps(_addresses(forge)), flush=True)
        _wait(until_eof=options.until_eof)
    return 0


def _wait(*, until_eof: bool) -> None:
    if until_eof:
        sys.stdin.read()
        return
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()


def _addresses(forge: Forge) -> dict[str, str]:
    found = {
        "api_url": forge.api_url,
        "uploads_url": forge.uploads_url,
        "download_url": forge.download_url,
        "admin_url": f"{forge.api_url}/_forge",
    }
    if forge.ca_file.exists():
        found |= {"tls_url": forge.tls_url, "tls_host": forge.tls_host, "ca_file": str(forge.ca_file)}
    return found


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="forge", description="An emulated GitHub on loopback.")
    parser.add_argument(
        "--state-dir", type=Path, required=True, help="where uploads and repositories are kept"
    )
    parser.add_argument("--port", type=int, default=0, help="the api's port (default: any free one)")
    parser.add_argument("--secure", action="store_true", help="listen over TLS too, with Enterprise paths")
    parser.add_argument("--world", type=Path, help="a JSON document to begin with (see document.py)")
    parser.add_argument("--token", action="append", default=[], help="a token with push access (repeatable)")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="wait so long before each answer")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input is closed")
    return parser
