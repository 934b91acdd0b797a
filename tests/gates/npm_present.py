"""Worlds in which the version is in the registry, by the steps of the identity rule."""

from dataclasses import replace

from npm_rows import (
    BUILD,
    CONVERGE,
    HERE,
    MANIFEST,
    MINUTE,
    NEEDS_B,
    OTHER_BYTES,
    PLATFORM,
    RECOMPRESSED,
    SPEC,
    URL,
    WINDOW,
    Row,
    absent,
    complete,
    failed,
    inside,
    pending,
    seen,
)
from worldkit import COMMIT, OTHER, packed

from release.domain.digests import Digest
from release.domain.facts.npm import NotPacked, PackFailed

ROWS: dict[str, Row] = {
    # the seven that every gate has
    "right": complete("npm.identical", f"{SPEC} has {HERE.integrity.sri}, as packed here"),
    "absent": absent(
        pending,
        "npm.absent",
        "acme@1.2.3 is not in https://npm.example",
        document={"versions": ("1.2.2",)},
        never_says="nor any version",
        next=CONVERGE,
    ),
    "partial": failed("npm.tarball-missing", f"its tarball {URL} answers 404", served=None),
    "empty": failed(
        "npm.identity-differs",
        "None@None is inside the tarball of acme@1.2.3",
        there=replace(HERE, integrity=RECOMPRESSED.integrity, manifest={}, tree=()),
    ),
    "another commit": failed(
        "npm.commit-differs", f"has gitHead {OTHER}, the release is {COMMIT}", stated={"git_head": OTHER}
    ),
    "different": failed(
        "npm.integrity-differs",
        "packed here with npm 11.0.0: only there: dist/old.js; other bytes: index.js",
        never_says="gitHead",
        there=OTHER_BYTES,
    ),
    # 1 first seen
    "as first seen": complete("npm.identical", SPEC, records=[seen()]),
    "changed since": failed(
        "npm.changed-since",
        f"first seen with {OTHER_BYTES.integrity}, and",
        records=[seen(OTHER_BYTES), seen(HERE)],
    ),
    "first seen without a digest": complete("npm.identical", SPEC, records=[seen(digest=None)]),
    "first seen with another algorithm": complete(
        "npm.identical", SPEC, records=[seen(digest="sha1:" + "1" * 40)]
    ),
    "changed since, and lost": failed(
        "npm.changed-since", "first seen", records=[seen(OTHER_BYTES)], served=None
    ),
    # 2 the tarball is there
    "tarball is on its way": pending("npm.tarball-propagating", "answers 404", served=None, age=WINDOW),
    "tarball is late": failed("npm.tarball-missing", "answers 404", served=None, age=WINDOW + MINUTE),
    "tarball from the future": pending("npm.tarball-propagating", "answers 404", served=None, age=-MINUTE),
    "tarball without a time": failed("npm.tarball-missing", "404", served=None, document={"times": {}}),
    # 3 the served bytes
    "corrupt": failed(
        "npm.tarball-corrupt",
        f"states {HERE.integrity} and serves {OTHER_BYTES.integrity}",
        served=OTHER_BYTES,
    ),
    "corrupt, and as packed": failed(
        "npm.tarball-corrupt", "and serves", stated={"integrity": OTHER_BYTES.integrity}
    ),
    # 4 inside
    "another name inside": failed("npm.identity-differs", "fork@1.2.3 is inside", there=inside(name="fork")),
    "another version inside": failed(
        "npm.identity-differs", "acme@1.2.2 is inside", there=inside(version="1.2.2")
    ),
    "target missing": failed(
        "npm.missing-target",
        "acme@1.2.3: main: dist/a.js; bin: cli.js",
        there=inside(main="dist/a.js", bin="cli.js"),
    ),
    "target missing in both": failed(
        "npm.missing-target", "main: a.js", there=inside(main="a.js"), here=packed(inside(main="a.js"))
    ),
    "many targets missing": failed(
        "npm.missing-target", "; and 5 more", there=inside(bin={str(n): f"{n}.js" for n in range(25)})
    ),
    "unresolved protocol": failed(
        "npm.unresolved-protocol",
        "dependencies b: workspace:*",
        there=inside(dependencies={"b": "workspace:*"}),
    ),
    "unresolved in the registry's manifest alone": failed(
        "npm.unresolved-protocol",
        "peerDependencies b: catalog:",
        stated={"manifest": {**MANIFEST, "peerDependencies": {"b": "catalog:"}}},
    ),
    "identity before contents": failed(
        "npm.identity-differs", "x@1.2.3", there=inside(name="x", main="gone")
    ),
    # 5 the comparison
    "recompressed": complete(
        "npm.identical-content", "other bytes than packed here, and the same content", there=RECOMPRESSED
    ),
    "sha1 of old, same bytes": complete(
        "npm.identical", "as packed here", there=replace(HERE, integrity=Digest("sha1", "1" * 40))
    ),
    "sha1 of old, same content": complete(
        "npm.identical-content", SPEC, there=replace(RECOMPRESSED, integrity=Digest("sha1", "1" * 40))
    ),
    "other mode": failed(
        "npm.integrity-differs",
        "npm 11.0.0: other mode: index.js",
        there=replace(RECOMPRESSED, tree=(replace(HERE.tree[0], mode=0o755), *HERE.tree[1:])),
    ),
    "less there": failed(
        "npm.integrity-differs", "only here: package.json", there=replace(RECOMPRESSED, tree=HERE.tree[:1])
    ),
    "differs and says so": failed(
        "npm.integrity-differs",
        f"index.js; its gitHead is {OTHER}",
        there=OTHER_BYTES,
        stated={"git_head": OTHER},
    ),
    "many differences": failed(
        "npm.integrity-differs", "; and 5 more", there=inside({f"{n}.js": b"" for n in range(25)})
    ),
    "not packed": pending(
        "npm.not-packed",
        "there is no build of this commit to compare it with",
        here=NotPacked(other=False),
        next=BUILD,
    ),
    "packed for another commit": pending(
        "npm.not-packed",
        "the evidence here is of another commit or policy",
        here=NotPacked(other=True),
        next=BUILD,
    ),
    "cannot be packed": pending("npm.not-packed", "could not be packed", here=PackFailed(message="no")),
    "not packed, and broken": failed(
        "npm.missing-target", "main: gone", here=NotPacked(other=False), there=inside(main="gone")
    ),
    "not packed, and another inside": failed(
        "npm.identity-differs", "x@1.2.3", here=NotPacked(other=False), there=inside(name="x")
    ),
    # 6 gitHead
    "right gitHead": complete("npm.identical", SPEC, stated={"git_head": COMMIT}),
    "no gitHead": complete("npm.identical", SPEC, stated={"git_head": None}),
    "empty gitHead": complete("npm.identical", SPEC, stated={"git_head": ""}),
    "odd gitHead": failed("npm.commit-differs", "has gitHead main", stated={"git_head": "main"}),
    "half a gitHead": failed("npm.commit-differs", "gitHead", stated={"git_head": COMMIT[:12]}),
    "recompressed from another commit": failed(
        "npm.commit-differs", OTHER, there=RECOMPRESSED, stated={"git_head": OTHER}
    ),
    # 7 dependencies
    "dependency is there": complete("npm.identical", SPEC, stated={"manifest": {**MANIFEST, **NEEDS_B}}),
    "dependency of another project": complete(
        "npm.identical",
        SPEC,
        stated={"manifest": {**MANIFEST, "dependencies": {"left": "9"}}},
        unsatisfied=[("left", "9")],
    ),
    "dependency is awaited": pending(
        "npm.dependency-absent",
        "depends on @acme/b@^1.2.0 of this release, not published yet",
        stated={"manifest": {**MANIFEST, **NEEDS_B}},
        unsatisfied=[("@acme/b", "^1.2.0")],
        next=CONVERGE,
    ),
    "platform package is not there": failed(
        "npm.dependency-unsatisfied",
        "depends on acme-linux-x64@1.2.3, which no version in https://npm.example",
        stated={"manifest": {**MANIFEST, **PLATFORM}},
        unsatisfied=[("acme-linux-x64", "1.2.3")],
    ),
    "one awaited, one lost": failed(
        "npm.dependency-unsatisfied",
        "depends on acme-linux-x64@1.2.3, which",
        stated={"manifest": {**MANIFEST, **NEEDS_B, **PLATFORM}},
        unsatisfied=[("acme-linux-x64", "1.2.3"), ("@acme/b", "^1.2.0")],
    ),
}
