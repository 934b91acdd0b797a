"""What must hold after any crash and one more run, read from the remotes' own storage and never from us."""

import base64
import hashlib
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from crash_stage import LATER, TAG, Said, Stage
from kit_project import PATHS, VERSION

_LEASE, _LEDGER = f"refs/convergence/lease/{TAG}", f"refs/convergence/ledger/{TAG}"


def broken(stage: Stage, first: Said, second: Said) -> tuple[str, ...]:
    """Return one sentence for everything that does not hold."""
    checks = (_runs(first, second), _release(stage), _registry(stage), _git(stage), _remains(stage))
    return tuple(problem for check in checks for problem in check)


def _runs(first: Said, second: Said) -> Iterator[str]:
    for name, said in (("first", first), ("second", second)):
        if "Traceback" in said.stderr or "internal error" in said.stderr:
            yield f"the {name} run: {said.stderr.strip()[-400:]}"
    if second.exit != 0 or second.report.get("state") != "complete":
        yield f"the second run ended with {second.exit}: {second.open or second.stderr.strip()[-400:]}"


def _release(stage: Stage) -> Iterator[str]:
    world, forge = stage.world, stage.forge
    try:
        forge.assert_never_overwritten()
    except AssertionError as error:
        yield f"overwritten: {error}"
    releases = list(forge.world.releases.values())
    if [(one.tag_name, one.draft) for one in releases] != [(TAG, False)]:
        yield f"releases: {[(one.id, one.tag_name, one.draft) for one in releases]}"
    assets = {one.name: (one.state, one.digest) for one in forge.world.assets.values()}
    wanted = {
        name: ("uploaded", f"sha256:{hashlib.sha256(body).hexdigest()}")
        for name, body in world.assets().items()
    }
    if assets != wanted:
        yield f"assets: {assets}"
    created = Counter((write.what, write.name) for write in forge.writes if write.what != "asset.delete")
    for (what, name), times in created.items():
        if times > 1 and what != "asset.starter":
            yield f"{what} of {name} happened {times} times"


def _registry(stage: Stage) -> Iterator[str]:
    published = Counter(
        unquote(one.path)
        for row in stage.rows
        for one in row.seen
        if one.channel == "npm" and one.method == "PUT" and one.status in (200, 201)
    )
    for name in PATHS:
        if published[f"/{name}"] != 1:
            yield f"{name} was published {published[f'/{name}']} times"
        yield from _package(stage, name)


def _package(stage: Stage, name: str) -> Iterator[str]:
    packed = stage.world.packs[name]
    file, stored = stage.world.npm.tarball(name, VERSION), stage.world.npm.registry.packument(name)
    if not stored.exists() or not file.exists():
        yield f"{name} is not in the registry"
        return
    document = json.loads(stored.read_text())
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
    if file.read_bytes() != packed:
        yield f"{name}: the registry serves other bytes than were packed"
    if document["versions"][VERSION]["dist"]["integrity"] != integrity:
        yield f"{name}: the registry states another integrity"
    if list(document["versions"]) != [VERSION] or document["dist-tags"] != {"latest": VERSION}:
        yield f"{name}: {list(document['versions'])}, {document['dist-tags']}"


def _git(stage: Stage) -> Iterator[str]:
    remote = stage.world.remote
    if _ask(remote, "rev-parse", f"refs/tags/{TAG}^{{commit}}") != stage.world.commit:
        yield "the tag does not peel to the commit"
    log = remote / "logs" / "refs" / "tags" / TAG
    moves = log.read_text().splitlines() if log.exists() else []
    if len(moves) != 1 or not moves[0].startswith("0" * 40):
        yield f"the tag was not created once and left alone: {moves}"
    lease = json.loads(_ask(remote, "show", f"{_LEASE}:lease.json") or "{}")
    expires = datetime.fromisoformat(lease.get("expires_at", "1970-01-01T00:00:00+00:00"))
    if not lease.get("released") and expires > datetime.now(UTC) + LATER:
        yield f"the lease is still held: {lease}"
    facts = json.loads(_ask(remote, "show", f"{_LEDGER}:first-seen.json") or "{}")
    missing = _facts(stage) - facts.keys()
    if missing:
        yield f"the ledger lacks {sorted(missing)}"


def _facts(stage: Stage) -> set[str]:
    assets = {f"asset:{TAG}/{name}" for name in stage.world.assets()}
    packages = {f"npm:{name}@{VERSION}" for name in PATHS}
    return {*assets, *packages, f"tag:{TAG}", f"release:{TAG}"}


def _remains(stage: Stage) -> Iterator[str]:
    """Nothing temporary is left: not in the system's folder, not in ours."""
    ours = stage.world.checkout / ".release"
    left = [*stage.temporary.iterdir()]
    for folder in (ours / "temporary", ours / "evidence" / "temporary"):
        left += folder.iterdir() if folder.exists() else ()
    for pattern in ("**/*.lock", "**/*.part", "**/.new-*", "**/tmp_*"):
        left += ours.glob(pattern)
    if left:
        yield f"left over: {sorted(path.relative_to(stage.world.folder).as_posix() for path in left)}"


def _ask(remote: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=remote, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
