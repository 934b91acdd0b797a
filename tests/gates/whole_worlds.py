"""Whole worlds of one release: right, unfinished, and wrong in many places at once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from worldkit import (
    COMMIT,
    EARLIER,
    NOW,
    OTHER,
    World,
    a_check,
    a_package,
    a_packument,
    a_plan,
    a_pull,
    a_record,
    a_release,
    a_tag,
    a_tarball,
    packed,
)
from worldkit_release import BODIES, DARWIN, LINUX, build_evidence, manifest_of, publish, put, right_files

from release.domain.evidence import Kind
from release.domain.facts.git import ChangesetFacts
from release.domain.facts.npm import NotPacked
from release.domain.plan import Acceptance, Latest, Plan, Suite

CORE, CLI = a_package("@acme/core"), a_package("acme", dist_tags=("latest", "v1"))
HERE = {package.name: a_tarball({"name": package.name, "version": "1.2.3"}) for package in (CORE, CLI)}
PLAN = a_plan(
    packages=(CORE, CLI),
    suites=(Suite(name="smoke"),),
    acceptances=(Acceptance(name="cli", artifact="builtBinary", target="linux-x64"),),
)
FACTS = (
    a_record(Kind.FIRST_SEEN, "tag:v1.2.3"),
    a_record(Kind.FIRST_SEEN, "release:v1.2.3", data={"id": 1}),
    *(a_record(Kind.FIRST_SEEN, f"asset:v1.2.3/{name}", body) for name, body in right_files().items()),
    *(
        a_record(Kind.FIRST_SEEN, f"npm:{name}@1.2.3", digest=str(tarball.integrity))
        for name, tarball in HERE.items()
    ),
)


def right() -> World:
    world = World()
    publish(world, right_files())
    build_evidence(world)
    world.github.latest_release = a_release()
    world.github.check_facts[COMMIT] = [a_check()]
    world.github.pull_facts["changeset-release/main"] = [a_pull()]
    world.git.ancestors = {COMMIT}
    world.git.changed = {COMMIT: ("package.json",)}
    world.git.changeset_facts = ChangesetFacts(
        unconsumed=(), version_commit=COMMIT, changed=("package.json",)
    )
    for name, tarball in HERE.items():
        tags = {"latest": "1.2.3", "v1": "1.2.3"}
        world.npm.packuments[name] = replace(a_packument(tarball, name=name), dist_tags=tags)
        world.npm.tarballs[f"https://npm.example/{name}/-/1.2.3.tgz"] = tarball
        world.npm.packs[name] = packed(tarball)
    return world


def remembered() -> World:
    world = right()
    world.remember(FACTS)
    return world


def removed() -> World:
    world = World()
    world.remember(FACTS)
    return world


def packed_only() -> World:
    world = World()
    world.npm.packs = {name: packed(tarball) for name, tarball in HERE.items()}
    build_evidence(world)
    return world


def draft() -> World:
    world = right()
    world.github.listed = [a_release(draft=True, published_at=None)]
    world.git.tags.clear()
    world.npm.packuments.clear()
    return world


def half() -> World:
    world = right()
    release = a_release()
    put(world, release, LINUX, b"", state="open", created_at=NOW - timedelta(minutes=1))
    put(world, release, DARWIN, BODIES[DARWIN], digest=None)
    put(world, release, "debug.log", b"x")
    world.npm.packuments["acme"] = replace(world.npm.packuments["acme"], dist_tags={"latest": "1.2.2"})
    world.npm.packs["@acme/core"] = NotPacked(other=True)
    world.github.check_facts[COMMIT] = [a_check(status="in_progress", conclusion=None)]
    return world


def spreading() -> World:
    world = right()
    times = {"1.2.3": NOW - timedelta(minutes=1)}
    for name in HERE:
        tags = {"latest": "1.2.2"}
        world.npm.packuments[name] = replace(world.npm.packuments[name], times=times, dist_tags=tags)
    world.npm.tarballs.clear()
    return world


def wrong() -> World:
    world = right()
    release = a_release(prerelease=True)
    world.git.tags["v1.2.3"] = a_tag(commit=OTHER, annotated=False)
    world.github.listed = [release, a_release(2, tag_name="v2.0.0")]
    world.github.latest_release = release
    put(world, release, LINUX, b"other bytes")
    put(world, release, "binary-manifest.json", manifest_of(BODIES, commit=OTHER))
    world.github.check_facts[COMMIT] = [a_check(conclusion="failure")]
    world.git.changed = {COMMIT: ("package.json", "src/index.js")}
    served = a_packument(a_tarball({"name": "acme", "version": "1.2.3"}, {"index.js": b"other"}))
    assert served.published is not None
    published = replace(served.published, git_head=OTHER)
    world.npm.packuments["acme"] = replace(served, published=published, versions=("1.2.3", "2.0.0"))
    world.npm.packs["@acme/core"] = replace(packed(HERE["@acme/core"]), differing=("index.js",))
    return world


def replaced() -> World:
    world = right()
    world.remember(replace(fact, digest=f"sha256:{'0' * 64}") for fact in FACTS[2:])
    world.remember([a_record(Kind.FIRST_SEEN, "release:v1.2.3", data={"id": 4})])
    world.remember([a_record(Kind.FIRST_SEEN, "tag:v1.2.3", commit=OTHER)])
    return world


def several() -> World:
    world = right()
    world.github.listed.append(a_release(2, draft=True, published_at=None, created_at=EARLIER))
    world.github.held[2] = [world.github.held[1].pop(0)]
    return world


def wrecked() -> World:
    world = right()
    release = a_release(draft=True, published_at=None)
    world.github.listed = [release]
    put(world, release, LINUX, b"", state="starter")
    put(world, release, DARWIN, b"")
    put(world, release, "binary-manifest.json", b"{}")
    put(world, release, "SHA256SUMS", b"", state="starter")
    return world


def unseen() -> World:
    world = World()
    world.github.drafts_visible = False
    world.git.changeset_facts = ChangesetFacts(
        unconsumed=(".changeset/a.md",), version_commit=None, changed=()
    )
    return world


SHALLOW = replace(PLAN, deep=False)
IMMUTABLE = replace(
    PLAN, releases=(replace(PLAN.releases[0], immutable=True, latest=Latest.NO),), branches=("main",)
)
WORLDS: dict[str, tuple[Callable[[], World], Plan]] = {
    "right": (right, PLAN),
    "right-shallow": (right, SHALLOW),
    "right-but-not-as-planned": (right, IMMUTABLE),
    "remembered": (remembered, PLAN),
    "nothing": (World, PLAN),
    "packed": (packed_only, PLAN),
    "draft": (draft, PLAN),
    "half": (half, SHALLOW),
    "spreading": (spreading, PLAN),
    "wrong": (wrong, PLAN),
    "replaced": (replaced, PLAN),
    "removed": (removed, PLAN),
    "several": (several, PLAN),
    "wrecked": (wrecked, PLAN),
    "unseen": (unseen, PLAN),
}
