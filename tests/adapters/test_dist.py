"""``--dist DIR``: what the folder's files prove, what they do not, and the notes of a release."""

import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gates"))

from worldkit import ARCHIVES, COMMIT, MANIFEST, OTHER, SUMS, a_plan, a_spec
from worldkit_release import BODIES, manifest_of, right_files

import release.adapters.dist
from release.adapters.dist import Dist, section
from release.domain.errors import InputError
from release.domain.evidence import Kind
from release.domain.expected import by_build

LINUX = ARCHIVES[0]


def a_dist(folder: Path, files: dict[str, bytes] | None = None, **changes: Any) -> Dist:
    for name, body in (right_files() if files is None else files).items():
        (folder / name).write_bytes(body)
    return Dist(folder=folder, plan=a_plan(), **changes)


def test_the_folder_proves_its_archives_and_names_its_other_files(tmp_path: Path) -> None:
    """A build record for each archive that the manifest names, an upload record for every other file."""
    dist = a_dist(tmp_path)
    records = {record.subject: record for record in dist.evidence()}
    assert {name: record.kind for name, record in records.items()} == {
        **{archive.name: Kind.BINARY_BUILD for archive in ARCHIVES},
        SUMS.name: Kind.ASSET_UPLOAD,
        MANIFEST.name: Kind.ASSET_UPLOAD,
    }
    assert records[LINUX.name].commit == COMMIT
    assert records[LINUX.name].digest == f"sha256:{hashlib.sha256(BODIES[LINUX.name]).hexdigest()}"
    assert by_build(dist.plan, [records[LINUX.name]]) != ()


def test_a_manifest_of_another_commit_proves_nothing_for_this_one(tmp_path: Path) -> None:
    """The commit of a build is read from the manifest, never assumed (DESIGN §10.6)."""
    files = {**BODIES, MANIFEST.name: manifest_of(BODIES, commit=OTHER)}
    dist = a_dist(tmp_path, files)
    built = [record for record in dist.evidence() if record.kind is Kind.BINARY_BUILD]
    assert {record.commit for record in built} == {OTHER}
    assert by_build(dist.plan, built) == ()


@pytest.mark.parametrize(
    "files",
    [
        BODIES,
        {**BODIES, MANIFEST.name: manifest_of({LINUX.name: BODIES[LINUX.name]})},
        {**BODIES, MANIFEST.name: manifest_of(dict.fromkeys(BODIES, b"other"))},
    ],
    ids=["no manifest", "not in the manifest", "another digest"],
)
def test_an_archive_that_its_manifest_does_not_name_is_an_error(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    """Archives and manifest of two builds are never mixed silently: the file and the remedy are named."""
    with pytest.raises(InputError, match="does not name these bytes") as caught:
        a_dist(tmp_path, files).evidence()
    assert caught.value.problems[0].file.startswith(str(tmp_path))
    assert "of one build" in caught.value.problems[0].fix


def test_a_malformed_manifest_is_an_error(tmp_path: Path) -> None:
    """What can't be read whole proves nothing and is said."""
    with pytest.raises(InputError, match="is not a manifest"):
        a_dist(tmp_path, {**BODIES, MANIFEST.name: b'{"version": "1.2.3"}'}).evidence()


def test_files_that_are_missing_are_simply_not_there(tmp_path: Path) -> None:
    """An empty folder proves nothing and is no error; a folder under an asset's name is no file."""
    dist = a_dist(tmp_path, {})
    assert dist.evidence() == ()
    (tmp_path / LINUX.name).mkdir()
    assert dist.find(LINUX) is None


def test_a_file_is_hashed_anew_before_its_upload(tmp_path: Path) -> None:
    """Even where size and times are as before, ``find`` sees other bytes; so nothing else is uploaded."""
    dist = a_dist(tmp_path)
    before, path = dist.find(LINUX), tmp_path / LINUX.name
    assert before is not None
    stamp = path.stat().st_mtime_ns
    path.write_bytes(bytes(len(BODIES[LINUX.name])))
    os.utime(path, ns=(stamp, stamp))
    again = dist.find(LINUX)
    assert again is not None
    assert (again.size, again.sha256 == before.sha256) == (before.size, False)


def test_a_survey_does_not_hash_everything_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand looks at a folder hash each file once; a file that changed is hashed again."""
    dist, hashed = a_dist(tmp_path), []
    real = release.adapters.dist._hash
    monkeypatch.setattr(release.adapters.dist, "_hash", lambda path: hashed.append(path) or real(path))
    for _ in range(5):
        dist.evidence()
    assert len(hashed) == len(right_files())
    (tmp_path / SUMS.name).write_bytes(b"changed\n")
    dist.evidence()
    assert hashed[len(right_files()) :] == [tmp_path / SUMS.name]


def test_several_releases_are_kept_apart(tmp_path: Path) -> None:
    """Each record carries its tag: one name can stand in two releases."""
    other = replace(a_spec(), tag="other", assets=(replace(SUMS, tag="other"),))
    dist = replace(a_dist(tmp_path), plan=a_plan(releases=(a_spec(), other)))
    tags = [record.data["tag"] for record in dist.evidence() if record.subject == SUMS.name]
    assert tags == ["v1.2.3", "other"]


CHANGELOG = """\
# acme

## 1.2.3

### Patch Changes

- fix the [thing](https://acme.example)

## 1.2.30

- not this one

## [1.2.2](https://acme.example/1.2.2) (2026-01-01)

- older

# v1.2.1
"""


@pytest.mark.parametrize(
    ("text", "version", "body"),
    [
        (CHANGELOG, "1.2.3", "### Patch Changes\n\n- fix the [thing](https://acme.example)"),
        (CHANGELOG, "1.2.30", "- not this one"),
        (CHANGELOG, "1.2.2", "- older"),
        (CHANGELOG, "1.2", ""),
        (CHANGELOG, "9.9.9", ""),
        ("## v1.0.0 - 2026-01-01\nfirst\n", "1.0.0", "first"),
        ("### 1.0.0\na\n### 0.9.0\nb\n", "1.0.0", "a"),
        ("## 1.0.0", "1.0.0", ""),
        ("## 1.0.0-rc.1\nno\n", "1.0.0", ""),
        ("## 1x0x0\nno\n", "1.0.0", ""),
        ("## 1.0.0\r\nwindows\r\n## 0.9.0\r\nold\r\n", "1.0.0", "windows"),
    ],
)
def test_the_notes_are_exactly_the_versions_section(text: str, version: str, body: str) -> None:
    """Only the section whose heading is exactly this version, up to the next heading of its level."""
    assert section(text, version) == body


def test_without_a_section_the_notes_say_what_it_is(tmp_path: Path) -> None:
    """No changelog, or no section in it: a plain sentence, never another version's notes."""
    assert a_dist(tmp_path).notes(a_spec()) == "acme 1.2.3"
    assert a_dist(tmp_path, notes_text=CHANGELOG).notes(a_spec()).startswith("### Patch Changes")
    assert json.dumps(a_dist(tmp_path, notes_text=CHANGELOG).notes(a_spec(version="7"))) == '"acme 7"'
