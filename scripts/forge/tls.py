"""A throw-away certificate for localhost, made with the openssl command."""

import ssl
import subprocess
from pathlib import Path


def certificate(folder: Path) -> Path:
    """Write ``ca.pem``, which clients have to trust, and ``key.pem`` into ``folder``; return the first."""
    cert, key = folder / "ca.pem", folder / "key.pem"
    extensions = (
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "keyUsage=critical,digitalSignature,keyCertSign",
    )
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-days", "2", "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(cert)]
    for extension in extensions:
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)
    return cert


def server_context(folder: Path) -> ssl.SSLContext:
    """Return a server's context over the files that ``certificate`` wrote."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "ca.pem", folder / "key.pem")
    return context
