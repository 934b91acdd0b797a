"""nginx over one folder, on loopback: the same server for everything that is compared."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CONFIG = """\
daemon off;
master_process off;
pid {state}/nginx.pid;
error_log {state}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  default_type application/octet-stream;
  client_body_temp_path {state}/body;
  proxy_temp_path {state}/proxy;
  fastcgi_temp_path {state}/fastcgi;
  uwsgi_temp_path {state}/uwsgi;
  scgi_temp_path {state}/scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


def find_nginx() -> str | None:
    """Return nginx's path, or None where it is not installed."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def serving(program: str, root: Path) -> Iterator[str]:
    """Serve the files below ``root``; yield the base address."""
    with tempfile.TemporaryDirectory(prefix="bench-nginx-") as folder:
        port = _free_port()
        config = Path(folder) / "nginx.conf"
        config.write_text(_CONFIG.format(state=folder, port=port, root=root))
        command = [program, "-p", folder, "-e", f"{folder}/error.log", "-c", str(config)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _await(port, process, Path(folder) / "error.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    said = log.read_text(errors="replace") if log.exists() else ""
    raise RuntimeError(f"nginx did not start: {said[-1000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
