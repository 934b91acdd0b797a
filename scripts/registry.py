"""A real npm registry on loopback for the tests and the demo: Verdaccio, empty, without upstreams.

It lives in one state directory and in one process group; leaving the ``with`` block (or the script's end)
stops it with everything it started. Nothing outside the state directory is read or written.
"""

import argparse
import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parent.parent
VERDACCIO = ROOT / ".tools" / "npm" / "node_modules" / "verdaccio" / "bin" / "verdaccio"
START_TIMEOUT = 60.0
NPM_TIMEOUT = 180.0

CONFIG = """\
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
    algorithm: bcrypt
    rounds: 4
uplinks: {}
packages:
  "**":
    access: $all
    publish: $authenticated
    unpublish: $authenticated
middlewares:
  audit:
    enabled: false
server:
  keepAliveTimeout: 60
web:
  enable: false
max_body_size: 200mb
log: { type: stdout, format: pretty, level: warn }
"""

# The server reads its stdin to the end: when the program that started it dies in any way, it ends too.
LIFELINE = "process.stdin.on('end', () => process.exit(0)).on('error', () => process.exit(0)).resume()\n"


class RegistryError(RuntimeError):
    """The registry, or npm talking to it, did not do what was asked; the message has its own words."""


class Registry:
    """A Verdaccio in ``state_dir``: ``url`` without a final slash, ``token`` of its one user ``bot``."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = Path(state_dir).resolve()
        self.storage = self.state_dir / "storage"
        self.log = self.state_dir / "verdaccio.log"
        self.url = ""
        self.token = ""
        self._calls = itertools.count()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Registry":
        if not VERDACCIO.exists() or shutil.which("node") is None:
            raise RegistryError("Verdaccio is not installed: run scripts/node/install (needs node and npm)")
        self.state_dir.mkdir(parents=True, exist_ok=True)
        (self.state_dir / "config.yaml").write_text(CONFIG)
        (self.state_dir / "lifeline.cjs").write_text(LIFELINE)
        try:
            self._start()
            self.token = self._token("bot", "bot-password-123")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop the server and everything it started; stopping twice is fine."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(5)

    def npmrc(self, path: Path, token: str | None = None) -> Path:
        """Write an npm userconfig for this registry (``token`` instead of bot's; "" for none)."""
        host = self.url.partition(":")[2]
        used = self.token if token is None else token
        auth = f"{host}/:_authToken={used}\n" if used else ""
        path.write_text(f"registry={self.url}/\n{auth}audit=false\nfund=false\nupdate-notifier=false\n")
        return path

    def npm(self, *args: str, cwd: Path | None = None, token: str | None = None) -> str:
        """Run npm against this registry and return its stdout; raise ``RegistryError`` where it fails."""
        home = self.state_dir / "npm-home"
        home.mkdir(exist_ok=True)
        userconfig = self.npmrc(home / f"npmrc-{next(self._calls)}", token)
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "npm_config_cache": str(home / "cache")}
        env |= {"npm_config_userconfig": str(userconfig), "npm_config_globalconfig": str(home / "none")}
        done = subprocess.run(
            ["npm", *args],
            cwd=cwd or home,
            env=env,
            capture_output=True,
            text=True,
            timeout=NPM_TIMEOUT,
            check=False,
        )
        if done.returncode != 0:
            raise RegistryError(f"npm {args[0]} exited {done.returncode}: {done.stderr.strip()[-2000:]}")
        return done.stdout

    def publish(self, source: Path, *args: str, token: str | None = None) -> str:
        """Publish a package folder or a .tgz with the real npm, scripts ignored; return npm's stdout."""
        is_folder = Path(source).is_dir()
        what = "." if is_folder else str(Path(source).resolve())
        options = ("--access", "public", "--ignore-scripts", *args)
        return self.npm("publish", what, *options, cwd=Path(source) if is_folder else None, token=token)

    def put(self, path: str, body: object, *, token: str = "") -> tuple[int, bytes]:
        """PUT JSON to ``path``; return status and body: for what the npm command would refuse to send."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method="PUT")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def tarball(self, name: str, version: str) -> Path:
        """Return where the stored tarball is, for tests that tamper with it."""
        return self.storage / name / f"{name.rpartition('/')[2]}-{version}.tgz"

    def packument(self, name: str) -> Path:
        """Return where the stored packument is, for tests that tamper with it."""
        return self.storage / name / "package.json"

    def _start(self) -> None:
        # The port is free now and taken a moment later: another process may be quicker, so try again.
        for _ in range(5):
            port = _free_port()
            self.url = f"http://127.0.0.1:{port}"
            if self._listen(port):
                return
        raise RegistryError(f"Verdaccio did not start: {self._words()}")

    def _listen(self, port: int) -> bool:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.state_dir), "NO_UPDATE_NOTIFIER": "1"}
        server = [str(VERDACCIO), "--config", "config.yaml", "--listen", f"127.0.0.1:{port}"]
        command = ["node", "--require", "./lifeline.cjs", *server]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self.state_dir,
                env=env,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline and self._process.poll() is None:
            if _answers(f"{self.url}/-/ping"):
                return True
            time.sleep(0.05)
        self.stop()
        return False

    def _token(self, user: str, password: str) -> str:
        body = {"name": user, "password": password, "type": "user", "roles": []}
        status, answer = self.put(f"/-/user/org.couchdb.user:{user}", body)
        token = json.loads(answer).get("token", "") if status in (200, 201) else ""
        if not token:
            raise RegistryError(f"Verdaccio made no user (status {status}): {self._words()}")
        return str(token)

    def _words(self) -> str:
        return self.log.read_text(errors="replace").strip()[-2000:] if self.log.exists() else ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def main() -> int:
    """Run a registry until interrupted; the first line on stdout is JSON with its url, token and npmrc."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--state-dir", type=Path, required=True)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Registry(arguments.state_dir) as registry:
        npmrc = registry.npmrc(registry.state_dir / "npmrc")
        facts = {"url": registry.url, "token": registry.token, "npmrc": str(npmrc)}
        print(json.dumps(facts), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while registry._process is not None and registry._process.poll() is None:
                time.sleep(0.5)
    return 0


if __name__ == "__main__":
    sys.exit(main())
