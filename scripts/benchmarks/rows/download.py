"""Download and hash, against what a user would pipe together: same server, same number of transfers."""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Command, Figures, alternate
from benchmarks.nginx import find_nginx, serving
from benchmarks.release_files import Shape
from benchmarks.section import Section, Target, mebibytes, seconds
from benchmarks.world import World, released

PARALLEL = 8
LARGEST = 100 << 20
_FETCH = str(Path(__file__).resolve().parents[1] / "fetch.py")
_TITLE = "Download and hash"
_OURS, _STATUS = "release's client", "`release status --gate checksums`"
_OPENSSL, _COREUTILS = "`curl \\| openssl dgst -sha256`", "`curl \\| sha256sum`"
_NOTES = f"""\
nginx serves files from the page cache over loopback, {PARALLEL} transfers at a time (`xargs -P
{PARALLEL}`). Wall, processor and memory are of whole processes, interpreter start included; memory is
the largest process'. Transfer is what the client says of itself: from the first request to the last
digest, without the interpreter's start; MB/s and the targets are of that. Medians of alternating runs.
`release status` is shown beside them: it also runs git, asks the emulated GitHub, which redirects to
nginx, and takes up to 32 transfers at a time.
"""


@dataclass(frozen=True, kw_only=True)
class Load:
    """``count`` archives of ``size`` bytes; sparse ones are zeros, which hash as slowly as anything."""

    name: str
    count: int
    size: int
    sparse: bool = False


def run(quick: bool) -> Section:
    """Measure 25 × 20 MB and one of 2 GiB (a byte less: GitHub takes no more)."""
    nginx = find_nginx()
    missing = [name for name in ("curl", "openssl", "sha256sum", "xargs") if shutil.which(name) is None]
    if nginx is None or missing:
        words = ", ".join([*missing, *(["nginx"] if nginx is None else [])])
        target = Target(promise="download and hash", reached=f"needs {words}", met=None)
        return Section(title=_TITLE, notes="", header=(), rows=(), targets=(target,))
    many = Load(name="25 × 20 MB", count=25, size=20_000_000)
    one = Load(name="1 × 2 GiB", count=1, size=(2 << 30) - 1, sparse=True)
    if quick:
        one = Load(name="1 × 256 MiB", count=1, size=256 << 20, sparse=True)
    rows: list[tuple[str, ...]] = []
    targets: list[Target] = []
    for load in (many, one):
        found = _measure(nginx, load, 3 if quick else 7)
        rows += [_row(load, name, figures) for name, figures in found.items()]
        targets += _targets(load, found)
    return Section(
        title=_TITLE,
        notes=_NOTES,
        header=("load", "command", "wall", "transfer", "MB/s", "processor", "largest process"),
        rows=rows,
        targets=targets,
    )


def _measure(nginx: str, load: Load, rounds: int) -> dict[str, Figures]:
    with _release(load) as (world, root), serving(nginx, root) as url:
        world.forge.send_downloads_to(url)
        urls = [f"{url}/{path.relative_to(root)}" for path in sorted(root.rglob("*")) if path.is_file()]
        commands: Mapping[str, Command] = {
            _OURS: Command(argv=(sys.executable, _FETCH, str(PARALLEL), *urls)),
            _OPENSSL: _pipe("openssl dgst -sha256", urls),
            _COREUTILS: _pipe("sha256sum", urls),
            _STATUS: world.status("--gate", "checksums", cold=False),
        }
        return alternate(commands, rounds)


@contextmanager
def _release(load: Load) -> Iterator[tuple[World, Path]]:
    """Make a release of the archives, and a folder in which nginx finds each asset by its id."""
    with tempfile.TemporaryDirectory(prefix="bench-files-") as folder:
        shape = Shape(packages=0, assets=load.count + 2)
        source, root = Path(folder) / "source", Path(folder) / "root"
        source.mkdir()
        archives = {name: source / name for name in shape.archives}
        for path in archives.values():
            _fill(path, load)
        with released(shape, archives) as world:
            if world.release is None:
                raise RuntimeError("a release with assets was asked for")
            place = root / "release-assets" / str(world.release.value.repo_id)
            place.mkdir(parents=True)
            for asset in world.release.assets:
                blob = asset.value.blob.source
                target = place / str(asset.id)
                if isinstance(blob, Path):
                    os.link(blob, target)
                else:
                    target.write_bytes(blob)
            yield world, root


def _fill(path: Path, load: Load) -> None:
    with path.open("wb") as file:
        if load.sparse:
            file.truncate(load.size)
        else:
            file.write(os.urandom(load.size))


def _pipe(hasher: str, urls: list[str]) -> Command:
    script = f'curl --fail --silent --show-error "$1" | {hasher}'
    words = shlex.join(["xargs", "-P", str(PARALLEL), "-n", "1", "sh", "-c", script, "sh"])
    return Command(argv=("sh", "-c", f'printf "%s\\n" "$@" | {words}', "sh", *urls))


def _row(load: Load, name: str, one: Figures) -> tuple[str, ...]:
    rate = f"{load.count * load.size / one.own / 1e6:.0f}"
    return load.name, name, seconds(one.wall), seconds(one.own), rate, seconds(one.cpu), mebibytes(one.rss)


def _targets(load: Load, found: Mapping[str, Figures]) -> list[Target]:
    ours = found[_OURS]
    promises = ((_OPENSSL, 0.9), (_COREUTILS, 2.0))
    ratios = [(name, least, found[name].own / ours.own) for name, least in promises]
    throughput = [
        Target(
            promise=f"{load.name}: at least {least} × the throughput of {name}",
            reached=f"{ratio:.2f} ×",
            met=ratio >= least,
        )
        for name, least, ratio in ratios
    ]
    memory = max(ours.rss, found[_STATUS].rss)
    return [
        *throughput,
        Target(
            promise=f"{load.name}: under {mebibytes(LARGEST)}",
            reached=mebibytes(memory),
            met=memory < LARGEST,
        ),
    ]
