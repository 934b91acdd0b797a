"""Create-only writes against the emulated GitHub, with faults: each sent once, each outcome classified."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from forge import Fault, Forge, RepoHandle, secondary_limit
from github_fixtures import (
    TOKEN,
    FakeTime,
    Request,
    Response,
    Server,
    answer,
    asset_json,
    release_json,
    rig,
)
from test_github_forge import make_repository

from release.adapters.github.model import Access, Pace
from release.adapters.github.reader import GitHubReader
from release.adapters.github.transport import Transport
from release.adapters.github.writer import GitHubWriter, content_type
from release.adapters.http import Meter
from release.adapters.pacing import Pacer
from release.domain.errors import CannotTell
from release.domain.facts.github import AssetFacts, ReleaseFacts
from release.domain.plan import Asset, AssetKind, GitHubPolicy, Latest, ReleaseSpec
from release.write_ports import LocalFile, Refused

TAG = "v1.2.3"
NAME = "acme-1.2.3-linux-x64.tar.gz"
SPEC = ReleaseSpec(tag=TAG, version="1.2.3", prerelease=False, latest=Latest.AUTO, immutable=False, assets=())


@dataclass(kw_only=True)
class Bench:
    """A forge, and a writer to it; ``time`` moves only when somebody sleeps."""

    forge: Forge
    repo: RepoHandle
    commit: str
    folder: Path
    time: FakeTime

    def writer(self, token: str | None = TOKEN, uploads: str = "") -> GitHubWriter:
        """Return a writer; ``uploads`` is the plan's upload address."""
        return a_writer(self.forge.api_url, uploads or self.forge.uploads_url, token, self.time)

    def reader(self) -> Any:
        """Return a fresh reader's context."""
        return rig(self.forge.api_url)

    def releases(self) -> tuple[ReleaseFacts, ...]:
        """Look at the releases anew."""
        with self.reader() as made:
            found: GitHubReader = made.reader
            return found.releases().releases

    def assets(self) -> tuple[AssetFacts, ...]:
        """Look at the assets of the one release anew."""
        with self.reader() as made:
            (release,) = made.reader.releases().releases
            found: tuple[AssetFacts, ...] = made.reader.assets(release)
            return found

    def draft(self) -> ReleaseFacts:
        """Create the draft by the writer, and return what is to be seen of it."""
        self.writer().create_draft(SPEC, self.commit, "notes")
        (release,) = self.releases()
        return release

    def file(self, body: bytes = b"bytes", name: str = NAME) -> LocalFile:
        """Make a local file."""
        path = self.folder / name
        path.write_bytes(body)
        return LocalFile(path=path, size=len(body), sha256=hashlib.sha256(body).hexdigest())


def a_writer(api: str, uploads: str, token: str | None, time: FakeTime) -> GitHubWriter:
    access = Access(api=api, token=token, timeout=5, retries=2, backoff=0.0)
    pace = Pace(sleep=time.sleep, clock=time.now, max_wait=60)
    return GitHubWriter(
        policy=GitHubPolicy(repository="acme/widget", api=api, uploads=uploads, required_checks=()),
        access=access,
        transport=Transport(access, pace, etags=None, meter=Meter()),
        pace=pace,
        pacer=Pacer(lambda: 0.0, lambda _: None, per_minute=10**6),
    )


def an_asset(name: str = NAME) -> Asset:
    return Asset(name=name, kind=AssetKind.EXTRA, tag=TAG)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Yield a forge with one repository; afterwards nothing was ever overwritten."""
    git_dir = tmp_path / "origin.git"
    commit = make_repository(git_dir)
    with Forge(tmp_path / "forge") as forge:
        forge.token(TOKEN, push=True)
        forge.token("reader-token", push=False)
        repo = forge.repo("acme/widget", git_dir)
        yield Bench(forge=forge, repo=repo, commit=commit, folder=tmp_path, time=FakeTime())
        forge.assert_never_overwritten()
        assert forge.errors == []


def test_a_draft_an_upload_and_publishing(bench: Bench) -> None:
    """The whole way: one draft with its notes, one asset with the right bytes and type, published."""
    draft = bench.draft()
    assert (draft.tag_name, draft.draft, draft.body) == (TAG, True, "notes")
    bench.writer().upload(draft, an_asset(), bench.file())
    (asset,) = bench.assets()
    assert (asset.name, asset.state, asset.size) == (NAME, "uploaded", 5)
    assert asset.digest is not None
    assert asset.digest.hex == hashlib.sha256(b"bytes").hexdigest()
    assert asset.content_type == "application/gzip"
    bench.writer().publish(draft, SPEC, "true")
    (release,) = bench.releases()
    assert (release.id, release.draft) == (draft.id, False)
    with bench.reader() as made:
        latest = made.reader.latest()
    assert latest is not None
    assert latest.id == draft.id


def test_publishing_does_not_take_latest_unasked(bench: Bench) -> None:
    """With "false" GitHub's latest stays where it was; the prerelease flag is as planned (K-latest)."""
    draft = bench.draft()
    bench.writer().publish(draft, replace(SPEC, prerelease=True), "false")
    (release,) = bench.releases()
    assert release.prerelease
    with bench.reader() as made:
        assert made.reader.latest() is None


Act = Callable[[Bench, ReleaseFacts, GitHubWriter], None]
ACTS: dict[str, tuple[str, Act]] = {
    "draft": (r"^/repos/acme/widget/releases$", lambda b, r, w: w.create_draft(SPEC, b.commit, "")),
    "upload": (r"/assets\?", lambda b, r, w: w.upload(r, an_asset(), b.file())),
    "publish": (r"/releases/\d+$", lambda b, r, w: w.publish(r, SPEC, "true")),
}
METHODS = {"draft": "POST", "upload": "POST", "publish": "PATCH"}


def sent(bench: Bench, act: str) -> int:
    """Count the requests of the act since the draft was made."""
    return sum(asked.method == METHODS[act] for asked in bench.forge.requests) - 1


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("kind", ["status", "status-after", "cut-before", "cut-after"])
def test_an_unclear_outcome_is_sent_once_and_said(bench: Bench, act: str, kind: Any) -> None:
    """5xx and cuts, with or without the effect, are "cannot tell", and never sent again (G01, G02)."""
    draft = bench.draft()
    path, do = ACTS[act]
    before = sum(asked.method in ("POST", "PATCH") for asked in bench.forge.requests)
    bench.forge.faults.add(Fault(action=kind, method=METHODS[act], path=path, status=500))
    with pytest.raises(CannotTell, match="github") as caught:
        do(bench, draft, bench.writer())
    assert sum(asked.method in ("POST", "PATCH") for asked in bench.forge.requests) == before + 1
    assert caught.value.reason in ("github.unreachable", "github.bad-answer")
    assert TOKEN not in caught.value.message


def test_a_502_leaves_a_starter_that_only_discarding_removes(bench: Bench) -> None:
    """A 502 may leave an empty asset in state starter: cannot tell, then refused a name, then discarded."""
    draft = bench.draft()
    bench.forge.faults.add(Fault(action="starter", method="POST", path=r"/assets\?"))
    with pytest.raises(CannotTell, match="answered 502"):
        bench.writer().upload(draft, an_asset(), bench.file())
    (wreck,) = bench.assets()
    assert (wreck.state, wreck.size) == ("starter", 0)
    with pytest.raises(CannotTell, match="answered 422"):
        bench.writer().upload(draft, an_asset(), bench.file())
    assert bench.assets() == (wreck,)
    bench.writer().discard_interrupted(draft, wreck)
    assert bench.assets() == ()
    bench.writer().discard_interrupted(draft, wreck)  # gone already: the next look says so


def test_only_a_wreck_on_a_draft_can_be_discarded(bench: Bench) -> None:
    """An uploaded asset, or anything on a published release, is never deleted by any call."""
    draft = bench.draft()
    bench.writer().upload(draft, an_asset(), bench.file())
    (whole,) = bench.assets()
    for release, asset in ((draft, whole), (replace(draft, draft=False), replace(whole, state="starter"))):
        with pytest.raises(ValueError, match="only an unfinished upload on a draft"):
            bench.writer().discard_interrupted(release, asset)
    assert bench.assets() == (whole,)


def test_a_wreck_that_changed_since_the_look_is_not_deleted(bench: Bench) -> None:
    """Id, name, state and size are read again right before: an upload that finished meanwhile stays (G20)."""
    draft = bench.draft()
    bench.writer().upload(draft, an_asset(), bench.file())
    (whole,) = bench.assets()
    bench.writer().discard_interrupted(draft, replace(whole, state="open"))
    assert bench.assets() == (whole,)


def test_a_name_that_is_taken_is_left_alone(bench: Bench) -> None:
    """422 already_exists says nothing of the bytes: cannot tell, and what is there stays (identity rule)."""
    draft = bench.draft()
    bench.writer().upload(draft, an_asset(), bench.file())
    before = bench.assets()
    with pytest.raises(CannotTell, match="answered 422; looking again"):
        bench.writer().upload(draft, an_asset(), bench.file(b"other bytes"))
    assert bench.assets() == before


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_failed_and_names_the_cause(bench: Bench, act: str, status: int) -> None:
    """Denied to act is ``github.write-denied``, whichever of the three statuses says so (DESIGN §2)."""
    draft = bench.draft()
    path, do = ACTS[act]
    bench.forge.faults.add(Fault(action="status", method=METHODS[act], path=path, status=status))
    with pytest.raises(Refused, match="token may not write to acme/widget") as caught:
        do(bench, draft, bench.writer())
    assert caught.value.reason == "github.write-denied"


@pytest.mark.parametrize("act", ACTS)
def test_no_token_or_one_that_only_reads_is_refused(bench: Bench, act: str) -> None:
    """Without a token nothing is sent; with one that may only read, GitHub's answer is a refusal."""
    draft, do = bench.draft(), ACTS[act][1]
    count = len(bench.forge.requests)
    with pytest.raises(Refused, match="GITHUB_TOKEN or GH_TOKEN"):
        do(bench, draft, bench.writer(None))
    assert len(bench.forge.requests) == count
    with pytest.raises(Refused, match="may not write"):
        do(bench, draft, bench.writer("reader-token"))


@pytest.mark.parametrize("act", ACTS)
def test_a_secondary_limit_is_waited_for_and_never_retried_here(bench: Bench, act: str) -> None:
    """The limit's own wait is kept, at most ``max_wait``, and the caller looks before it sends again."""
    draft = bench.draft()
    bench.forge.faults.add(secondary_limit(retry_after=7, path=ACTS[act][0]))
    with pytest.raises(CannotTell, match="nothing was written") as caught:
        ACTS[act][1](bench, draft, bench.writer())
    assert caught.value.reason == "github.rate-limited"
    assert bench.time.slept == [7.0]


def test_a_very_long_limit_does_not_hold_the_run(bench: Bench) -> None:
    """A limit of an hour costs the longest wait, not an hour."""
    bench.forge.faults.add(secondary_limit(retry_after=3600, path="/releases$"))
    with pytest.raises(CannotTell, match="nothing was written"):
        bench.writer().create_draft(SPEC, bench.commit, "")
    assert bench.time.slept == [60.0]


def test_the_upload_goes_to_the_plans_own_host_only(bench: Bench) -> None:
    """An upload address on another origin than the plan's gets no byte and no token."""
    draft = bench.draft()
    count = len(bench.forge.requests)
    with pytest.raises(CannotTell, match=r"upload address is not http://127\.0\.0\.1:9"):
        bench.writer(uploads="http://127.0.0.1:9").upload(draft, an_asset(), bench.file())
    assert len(bench.forge.requests) == count


@pytest.mark.parametrize("name", ["acme 1.2.3.zip", "acme(1).zip", "äcme.zip", ".hidden"])
def test_a_name_that_github_would_change_is_not_uploaded(bench: Bench, name: str) -> None:
    """What would be stored under another name is refused before a byte is sent (G08)."""
    draft = bench.draft()
    with pytest.raises(Refused, match="GitHub would store") as caught:
        bench.writer().upload(draft, an_asset(name), bench.file(name="file"))
    assert caught.value.reason == "asset.renamed"
    assert bench.assets() == ()


@pytest.mark.parametrize("name", ["acme+1.2.3.zip", "acme@1.2.3.zip", "a_b-c.d"])
def test_a_name_with_odd_but_allowed_letters_arrives_unchanged(bench: Bench, name: str) -> None:
    """``+`` and ``@`` survive the query string."""
    bench.writer().upload(bench.draft(), an_asset(name), bench.file(name="file"))
    assert [asset.name for asset in bench.assets()] == [name]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"name": "acme.zip"}, Refused, r"stored acme-1\.2\.3-linux-x64\.tar\.gz as acme\.zip"),
        ({"size": 4}, Refused, "has 5 bytes here, and GitHub stored 4"),
        ({"size": "many"}, CannotTell, "not what GitHub's API answers"),
    ],
)
def test_the_answer_to_an_upload_is_checked(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception], words: str
) -> None:
    """Another name or size in the answer is said at once; an answer that can't be read is no success."""
    with Server(
        lambda _: answer({**asset_json("x", content=b"bytes"), "name": NAME, **changes}, status=201)
    ) as one:
        path = tmp_path / NAME
        path.write_bytes(b"bytes")
        upload_url = f"{one.url}/repos/acme/widget/releases/1/assets{{?name,label}}"
        with rig(one.url):
            release = a_release(upload_url)
        with pytest.raises(error, match=words):
            a_writer(one.url, one.url, TOKEN, FakeTime()).upload(
                release, an_asset(), LocalFile(path=path, size=5, sha256="")
            )


def a_release(upload_url: str) -> ReleaseFacts:
    shape = release_json(draft=True, upload_url=upload_url)
    with Server(lambda request: _listing(request, shape)) as one, rig(one.url) as made:
        (release,) = made.reader.releases().releases
    return release


def _listing(request: Request, shape: dict[str, object]) -> Response:
    if request.path.endswith("/releases"):
        return answer([shape])
    return answer({"id": 1, "full_name": "acme/widget", "permissions": {"push": True}})


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_write_follows_a_redirect(status: int) -> None:
    """A moved repository or a wrong proxy can't lead a write, or the token, anywhere else."""
    with Server(lambda _: answer({})) as other:
        moved = answer({}, status=status, Location=f"{other.url}/repos/acme/widget/releases")
        with Server(lambda _: moved) as one:
            with pytest.raises(CannotTell, match="github"):
                a_writer(one.url, one.url, TOKEN, FakeTime()).create_draft(SPEC, "a" * 40, "")
            assert len(one.requests) == 1
        assert other.requests == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.tar.gz", "application/gzip"),
        ("a.TGZ", "application/gzip"),
        ("a.zip", "application/zip"),
        ("m.json", "application/json"),
        ("n.txt", "text/plain; charset=utf-8"),
        ("SHA256SUMS", "application/octet-stream"),
        ("a.exe", "application/octet-stream"),
    ],
)
def test_the_content_type_follows_from_the_name(name: str, kind: str) -> None:
    """The type is the same on every machine: no table of the system is asked."""
    assert content_type(name) == kind
