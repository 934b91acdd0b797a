"""binary-build: each binary was built from the canonical commit, and the manifest names its archive.

Binding: ``commit`` and ``version`` inside the published manifest, and evidence of a build of this commit;
where both are there, digest and size must be equal.
"""

from dataclasses import dataclass
from datetime import datetime

from release.contract import Effect, Stage, found
from release.domain.binary_manifest import MalformedManifest, Manifest, ManifestFile, parse_manifest
from release.domain.digests import Digest
from release.domain.evidence import Kind
from release.domain.expected import LIMIT, by_build
from release.domain.finding import Claim, Finding
from release.domain.holder import asset_named, holder_of, is_whole
from release.domain.identity import Content, choose
from release.domain.plan import AssetKind, Binary, Plan, Subject
from release.domain.wording import LIMIT as SHOWN
from release.domain.wording import count
from release.ports import Read

NAME = "binary-build"
CLAIM = "Each binary was built from the canonical commit; the manifest names its archive, digest and size."
NEEDS: tuple[str, ...] = ("version-pr", "commit-checks")
STAGE = Stage.BUILD
EFFECT = Effect.REVERSIBLE
RECHECK = "gh release download {tag} --repo {repository} --pattern binary-manifest.json --output -"

CHANNEL = "binary-manifest"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The published manifest (None: not there), and what evidence says.

    ``built`` counts for this commit and policy; ``elsewhere`` are the commits of evidence that does not.
    """

    manifest: ManifestFile | None
    built: tuple[Content, ...]
    elsewhere: tuple[str, ...]


def subjects(plan: Plan) -> tuple[Subject, ...]:
    """One subject per binary and target."""
    return tuple(Subject(gate=NAME, name=binary.slot, plan=plan, item=binary) for binary in plan.binaries)


def observe(subject: Subject, read: Read) -> Seen:
    """Read the manifest from the release, and the evidence of builds of the archive."""
    plan, binary = subject.plan, _binary(subject)
    records = read.evidence.find(Kind.BINARY_BUILD, binary.archive)
    built = by_build(plan, records)
    ours = {content.evidence for content in built}
    return Seen(
        manifest=_manifest(binary, read),
        built=built,
        elsewhere=tuple(dict.fromkeys(record.commit for record in records if record.id not in ours)),
    )


def judge(subject: Subject, seen: Seen, now: datetime) -> Finding:
    """A manifest that is there must be right in every member; without one, evidence must be."""
    evidence = _evidence(seen, None)
    match seen.manifest:
        case None:
            reason, text = _judge_evidence(subject, seen)
            command = "release build binaries" if reason == "binary.not-built" else ""
            commit = subject.plan.commit if seen.built else None
            return found(subject, reason, text, now, commit=commit, evidence=evidence, next=command)
        case MalformedManifest(problems=problems):
            more = f"; and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
            text = f"the manifest is malformed: {'; '.join(problems[:SHOWN])}{more}"
            claims = (Claim(channel=CHANNEL, commit=None),)
            return found(subject, "binary.manifest-malformed", text, now, evidence=evidence, claims=claims)
        case Manifest() as manifest:
            reason, text = _judge_manifest(subject, seen, manifest)
            row = manifest.asset(_binary(subject).archive)
            evidence = _evidence(seen, row.digest if row else None)
            claims = (Claim(channel=CHANNEL, commit=manifest.commit),)
            return found(subject, reason, text, now, commit=manifest.commit, evidence=evidence, claims=claims)


def _evidence(seen: Seen, digest: Digest | None) -> tuple[str, ...]:
    right = choose(seen.built, digest)
    return () if right is None else (right.evidence,)


def _judge_evidence(subject: Subject, seen: Seen) -> tuple[str, str]:
    archive = _binary(subject).archive
    if seen.built:
        return "binary.built", f"{archive} was built from this commit: {seen.built[0].digest}"
    if seen.elsewhere:
        others = ", ".join(seen.elsewhere)
        text = f"evidence of {archive} does not count (another commit, another policy, or no pass): {others}"
        return "binary.not-built", text
    return "binary.not-built", f"no evidence and no manifest names {archive}"


def _judge_manifest(subject: Subject, seen: Seen, manifest: Manifest) -> tuple[str, str]:
    plan, binary = subject.plan, _binary(subject)
    wanted = plan.release_of(binary.tag).version
    row = manifest.asset(binary.archive)
    commits = {manifest.commit, row.commit if row and row.commit else manifest.commit}
    if manifest.version != wanted:
        return "binary.version-differs", f"the manifest is for {manifest.version}, the release is {wanted}"
    if others := sorted(commits - {plan.commit}):
        return "binary.commit-differs", f"the manifest is for {others[0]}, the release is {plan.commit}"
    if row is None:
        names = count(len(manifest.assets), "asset")
        return "binary.not-in-manifest", f"the manifest lists {names}, {binary.archive} is not among them"
    if row.target not in (None, binary.target):
        return "binary.target-differs", f"the manifest says {row.target}, planned is {binary.target}"
    right = choose(seen.built, row.digest)
    if right is not None and (right.digest != row.digest or right.size not in (None, row.size)):
        said = f"the manifest says {row.digest} ({count(row.size, 'byte')})"
        text = (
            f"{said}, the build's evidence {right.digest} ({right.size if right.size is not None else '?'})"
        )
        return "binary.digest-differs", text
    return "binary.manifest-agrees", f"the manifest names {binary.archive} of this commit: {row.digest}"


def _manifest(binary: Binary, read: Read) -> ManifestFile | None:
    spec = next((spec for spec in read.plan.releases if spec.tag == binary.tag), None)
    planned = spec.asset(AssetKind.MANIFEST) if spec else None
    if planned is None or read.github is None:
        return None
    holder = holder_of(read.github.releases(), binary.tag)
    file = asset_named(read.github.assets(holder.release), planned.name) if holder else None
    return parse_manifest(read.github.content(file, LIMIT)) if file and is_whole(file) else None


def _binary(subject: Subject) -> Binary:
    match subject.item:
        case Binary() as binary:
            return binary
        case other:
            raise LookupError(f"{NAME} has no binary for {other!r}")
