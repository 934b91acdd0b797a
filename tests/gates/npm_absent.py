"""Worlds in which the version is not in the registry, and worlds looked at without downloading."""

from dataclasses import replace

from npm_rows import (
    BUILD,
    CONVERGE,
    HERE,
    MINUTE,
    OTHER_BYTES,
    SPEC,
    WINDOW,
    Row,
    absent,
    complete,
    failed,
    inside,
    pending,
    publish,
    seen,
)
from worldkit import OTHER, packed

from release.domain.digests import Digest
from release.domain.facts.npm import NotPacked

ROWS: dict[str, Row] = {
    # absent
    "unknown package": absent(
        pending,
        "npm.absent",
        "nor any version (a registry also answers 404 where",
        next=CONVERGE,
        known=False,
    ),
    "unpublished": absent(
        failed,
        "npm.removed",
        "was in https://npm.example and was unpublished",
        document={"unpublished": True},
    ),
    "unpublished just now": absent(
        failed, "npm.removed", "was unpublished", document={"unpublished": True}, records=[publish(MINUTE)]
    ),
    "gone since first seen": absent(
        failed, "npm.removed", "first seen at 2026-01-15 06:00Z and is gone", records=[seen()]
    ),
    "flickers": absent(pending, "npm.propagating", "a short while ago", records=[seen(age=WINDOW)]),
    "published just now": absent(
        pending, "npm.propagating", "not visible in https://npm.example yet", records=[publish(WINDOW)]
    ),
    "published by a fast clock": absent(
        pending, "npm.propagating", "not visible", records=[publish(-MINUTE)]
    ),
    "published again just now": absent(
        pending, "npm.propagating", "not visible", records=[publish(MINUTE), publish(WINDOW * 3)]
    ),
    "published and lost": absent(
        failed,
        "npm.not-visible",
        "published at 2026-01-15 11:49Z and is still not",
        records=[publish(WINDOW + MINUTE)],
    ),
    "removed rather than lost": absent(
        failed, "npm.removed", "first seen", records=[publish(WINDOW * 2), seen()]
    ),
    "published from another commit": absent(
        pending, "npm.absent", SPEC, records=[publish(MINUTE, commit=OTHER)], next=CONVERGE
    ),
    "published under another policy": absent(
        pending, "npm.absent", SPEC, records=[publish(MINUTE, policy="q")], next=CONVERGE
    ),
    "a publish that failed": absent(
        pending, "npm.absent", SPEC, records=[publish(MINUTE, verdict="fail")], next=CONVERGE
    ),
    # shallow
    "shallow, identical": complete("npm.identical", SPEC, served=None, deep=False),
    "shallow, other bytes": pending(
        "npm.not-compared",
        f"has {OTHER_BYTES.integrity.short}, and {HERE.integrity.short} as packed with npm 11.0.0",
        there=OTHER_BYTES,
        deep=False,
        next="release status v1.2.3 --deep",
    ),
    "shallow, sha1 of old": pending(
        "npm.not-compared",
        "has sha1:1111",
        there=replace(HERE, integrity=Digest("sha1", "1" * 40)),
        deep=False,
        next="release status v1.2.3 --deep",
    ),
    "shallow, other bytes, broken here": pending(
        "npm.not-compared",
        "as packed with npm",
        here=packed(inside(main="gone")),
        deep=False,
        next="release status v1.2.3 --deep",
    ),
    "shallow, not packed": pending(
        "npm.not-packed", SPEC, here=NotPacked(other=False), deep=False, next=BUILD
    ),
    "shallow, broken in both": failed(
        "npm.missing-target",
        "main: a.js",
        there=inside(main="a.js"),
        here=packed(inside(main="a.js")),
        deep=False,
    ),
    "shallow, another commit": failed("npm.commit-differs", OTHER, stated={"git_head": OTHER}, deep=False),
}
