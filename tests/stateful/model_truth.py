"""The ground truth of one small release: refs, a registry and a forge as plain values, and who wrote what.

Every change goes through a method that knows the actor and enforces what the real servers enforce. ``broken``
lists what our own processes must never do; it is empty, or the product is wrong.
"""

import hashlib
import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from worldkit import ARCHIVES, COMMIT, MANIFEST, NOW, SUMS, a_package, a_plan, a_spec, a_tarball
from worldkit_facts import stored
from worldkit_release import BODIES, manifest_of, sums_of

from release.adapters.git.refs import Pushed
from release.domain.facts.github import AssetFacts, ReleaseFacts
from release.domain.facts.npm import Tarball

TAG, VERSION, OLD = "v1.2.3", "1.2.3", "1.2.2"
TAG_REF, LEASE = f"refs/tags/{TAG}", f"refs/convergence/lease/{TAG}"
CORE, CLI = "@acme/core", "@acme/cli"
_MANIFEST = manifest_of(BODIES)
FILES = {**BODIES, MANIFEST.name: _MANIFEST, SUMS.name: sums_of({**BODIES, MANIFEST.name: _MANIFEST})}


def manifest(name: str, version: str = VERSION) -> dict[str, object]:
    more = {"dependencies": {CORE: f"^{version}"}} if name == CLI else {}
    return {"name": name, "version": version, "main": "index.js", **more}


PACKAGES = tuple(a_package(name, manifest=manifest(name)) for name in (CORE, CLI))
PLAN = a_plan(changesets=None, packages=PACKAGES, releases=(a_spec(assets=(*ARCHIVES, SUMS, MANIFEST)),))
PACKED = {name: a_tarball(manifest(name)) for name in (CORE, CLI)}


@dataclass
class Truth:
    """Everything that is. ``version`` counts changes outside of our own refs."""

    now: datetime = NOW
    refs: dict[str, str] = field(default_factory=dict)
    commits: dict[str, tuple[dict[str, bytes], str | None, int]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    npm: dict[str, dict[str, tuple[Tarball, datetime]]] = field(default_factory=dict)
    dist_tags: dict[str, dict[str, str]] = field(default_factory=dict)
    releases: dict[int, ReleaseFacts] = field(default_factory=dict)
    assets: dict[int, dict[int, AssetFacts]] = field(default_factory=dict)
    bodies: dict[int, bytes] = field(default_factory=dict)
    latest: int | None = None
    version: int = 0
    journal: list[tuple[str, str, str]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    _ids: int = 100

    def __post_init__(self) -> None:
        for name in (CORE, CLI):
            old = a_tarball(manifest(name, OLD))
            self.npm[name] = {OLD: (old, NOW - timedelta(days=30))}
            self.dist_tags[name] = {"latest": OLD}

    def wrote(self, actor: str, what: str, name: str) -> None:
        """Remember a change."""
        self.version += 1
        self.journal.append((actor, what, name))
        if actor == "status":
            self.broken.append(f"status did {what} {name}")
        elif actor != "stranger" and self.holder() != actor:
            self.broken.append(f"{actor} did {what} {name} while {self.holder() or 'nobody'} held the lease")

    def holder(self) -> str:
        """Return who holds the lease, as the remote says it; "" where it is free for anyone."""
        head = self.refs.get(LEASE)
        content = json.loads(self.commits[head][0]["lease.json"]) if head else {"released": True}
        return "" if content["released"] else str(content["holder"])

    def new_id(self) -> int:
        """Return an id that nothing has."""
        self._ids += 1
        return self._ids

    def swap(self, actor: str, ref: str, old: str | None, new: str) -> Pushed:
        """Move a ref by compare-and-swap."""
        if self.refs.get(ref) != old:
            return Pushed.LOST
        if ref.startswith("refs/tags/") and old is not None and actor != "stranger":
            self.broken.append(f"{actor} moved {ref}")
        self.refs[ref] = new
        if ref.startswith("refs/tags/"):
            self.wrote(actor, "tag", ref)
        elif actor == "status":
            self.broken.append(f"status wrote {ref}")
        return Pushed.DONE

    def peel(self, ref: str) -> str | None:
        """Return the commit of a tag ref, None where there is none."""
        oid = self.refs.get(ref)
        return self.tags.get(oid, oid) if oid else None

    def of_tag(self) -> tuple[ReleaseFacts, ...]:
        """Return the releases and drafts of the tag."""
        return tuple(one for one in self.releases.values() if one.tag_name == TAG)

    def create_draft(self, actor: str) -> ReleaseFacts:
        """Create a draft; GitHub lets anyone with access make as many as they like."""
        if actor != "stranger" and any(
            who == actor_is_ours(who) for who, what, _ in self.journal if what == "draft"
        ):
            self.broken.append(f"{actor} created a second draft")
        number = self.new_id()
        made = ReleaseFacts(
            id=number,
            tag_name=TAG,
            name=TAG,
            draft=True,
            prerelease=False,
            immutable=None,
            target_commitish=COMMIT,
            html_url=f"https://forge.example/releases/{number}",
            upload_url="https://uploads.example",
            created_at=self.now,
            published_at=None,
        )
        self.releases[number] = made
        self.assets[number] = {}
        self.wrote(actor, "draft", str(number))
        return made

    def upload(self, actor: str, release: int, name: str, body: bytes, state: str = "uploaded") -> int:
        """Store an asset; return the HTTP status."""
        if release not in self.releases:
            return 404
        if any(one.name == name for one in self.assets[release].values()):
            return 422
        number = self.new_id()
        made = stored(number, name, body if state == "uploaded" else b"", state=state)
        if state != "uploaded":
            made = replace(made, digest=None)
        self.assets[release][number] = replace(made, created_at=self.now)
        self.bodies[number] = body
        self.wrote(actor, f"asset {state}", name)
        return 201 if state == "uploaded" else 502

    def delete_asset(self, actor: str, release: int, number: int) -> None:
        """Delete an asset; ours may be only the wreck of an upload, on a draft."""
        asset = self.assets.get(release, {}).pop(number, None)
        if asset is None:
            return
        if actor != "stranger" and (asset.state == "uploaded" or not self.releases[release].draft):
            self.broken.append(f"{actor} deleted {asset.name} ({asset.state})")
        self.wrote(actor, "delete", asset.name)

    def publish_release(self, actor: str, number: int, *, latest: bool) -> int:
        """Turn a draft into a release; the tag comes into being where it does not exist."""
        draft = self.releases.get(number)
        if draft is None:
            return 404
        if not draft.draft:
            return 200
        if any(not one.draft for one in self.of_tag()):
            return 422
        if TAG_REF not in self.refs:
            if actor != "stranger":
                self.broken.append(f"{actor} published a draft without its tag")
            self.refs[TAG_REF] = COMMIT
        self.releases[number] = replace(draft, draft=False, published_at=self.now)
        if latest:
            self.latest = number
        self.wrote(actor, "publish", str(number))
        return 200

    def publish_package(self, actor: str, name: str, tarball: Tarball, dist_tag: str) -> int:
        """Publish a version; a version that exists is never replaced."""
        if VERSION in self.npm[name]:
            return 409
        self.npm[name][VERSION] = tarball, self.now
        self.dist_tags[name][dist_tag] = VERSION
        self.wrote(actor, "npm", name)
        return 201

    def point(self, actor: str, name: str, dist_tag: str, version: str) -> None:
        """Point a dist-tag."""
        if actor != "stranger" and self.dist_tags[name].get(dist_tag) not in (None, OLD, version):
            self.broken.append(f"{actor} took {name}@{dist_tag} from {self.dist_tags[name][dist_tag]}")
        self.dist_tags[name][dist_tag] = version
        self.wrote(actor, "dist-tag", name)

    def complete(self) -> bool:
        """Say whether the release is what it must be, in every channel."""
        releases = self.of_tag()
        if self.peel(TAG_REF) != COMMIT or len(releases) != 1 or releases[0].draft:
            return False
        held = self.assets[releases[0].id].values()
        right = {one.name: self.bodies[one.id] for one in held if one.state == "uploaded"}
        packages = all(self.npm[name].get(VERSION, (None,))[0] == PACKED[name] for name in (CORE, CLI))
        pointed = all(self.dist_tags[name].get("latest") == VERSION for name in (CORE, CLI))
        return (
            right == FILES
            and len(held) == len(FILES)
            and packages
            and pointed
            and (self.latest == releases[0].id)
        )

    def conflicts(self) -> list[str]:
        """Return what makes it impossible to finish this version by adding only: decided without any gate."""
        found = []
        if self.peel(TAG_REF) not in (None, COMMIT):
            found.append("the tag is on another commit")
        releases = self.of_tag()
        if len(releases) > 1:
            found.append("there are several releases")
        for release in releases:
            for one in self.assets[release.id].values():
                if one.name not in FILES:
                    found.append(f"{one.name} is not planned")
                elif one.state == "uploaded" and self.bodies[one.id] != FILES[one.name]:
                    found.append(f"{one.name} has other bytes")
                elif one.state != "uploaded" and not release.draft:
                    found.append(f"{one.name} is a wreck on a published release")
        for name in (CORE, CLI):
            there = self.npm[name].get(VERSION)
            if there and there[0] != PACKED[name]:
                found.append(f"{name} has other content")
        published = [one for one in releases if not one.draft]
        if published and self.latest != published[0].id:
            found.append("latest was given to another release")
        return [*found, *self._forgotten()]

    def _forgotten(self) -> list[str]:
        """What the ledger saw and is gone, or is not what it was."""
        head = self.refs.get(f"refs/convergence/ledger/{TAG}")
        if head is None:
            return []
        facts: dict[str, Any] = json.loads(self.commits[head][0].get("first-seen.json", b"{}"))
        held = {one.name: one for release in self.of_tag() for one in self.assets[release.id].values()}
        found = []
        for key, fact in facts.items():
            kind, _, rest = key.partition(":")
            if kind == "asset":
                one = held.get(rest.removeprefix(f"{TAG}/"))
                if one is None or str(one.digest) != fact["digest"]:
                    found.append(f"{key} is not what was first seen")
            elif kind == "release" and all(str(one.id) != fact["id"] for one in self.of_tag()):
                found.append(f"{key} is gone")
            elif kind == "tag" and self.peel(TAG_REF) != fact["commit"]:
                found.append(f"{key} is not what was first seen")
        return found


def actor_is_ours(who: str) -> str:
    """Return ``who`` where it is one of our processes, else a name that nobody has."""
    return who if who not in ("stranger", "status") else ""


def wrong_tarball(name: str) -> Tarball:
    """Return a tarball that this commit does not pack to."""
    return a_tarball(manifest(name), {"evil.js": b"evil"})


def object_id(*parts: object) -> str:
    """Return an id that follows from the content."""
    return hashlib.sha1(repr(parts).encode()).hexdigest()


WRONG = b"somebody else's bytes"
