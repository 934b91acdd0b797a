"""Releases that no write can mend: converge says why, and does nothing that cannot be undone."""

from collections.abc import Callable
from dataclasses import dataclass

import converge_starts as starts
import pytest
from converge_kit import ASSETS, DRAFTED, Acting, uploaded
from kit import ARCHIVES, CLI, CORE, SUMS, TAG, VERSION, World
from kit_project import fresh_config, sums, toml


@dataclass(frozen=True)
class Refusal:
    """A start, the finding that stops it (``gate/subject``), the exit code, and all that is still written."""

    id: str
    start: Callable[[Acting], object]
    subject: str
    reason: str
    exit: int = 1
    wrote: frozenset[str] = frozenset()


STAGED = frozenset({DRAFTED, *uploaded()})
PLAIN, ARCHIVE = f"github-release/{TAG}", f"asset-upload/{ARCHIVES[0]}"
V_CORE, V_CLI = f"npm-publish/{CORE}@{VERSION}", f"npm-publish/{CLI}@{VERSION}"

REFUSALS = (
    Refusal(
        "G11-tag-elsewhere", starts.tag_elsewhere, f"source-tag/{TAG}", "tag.commit-differs", wrote=STAGED
    ),
    Refusal(
        "tag-elsewhere-when-staged", starts.tag_elsewhere_late, f"source-tag/{TAG}", "tag.commit-differs"
    ),
    Refusal("wrong-bytes", starts.wrong_bytes, ARCHIVE, "asset.size-differs"),
    Refusal("empty-asset", starts.empty_asset, ARCHIVE, "asset.empty"),
    Refusal("unexpected-asset", starts.unexpected, "asset-upload/(unexpected)", "asset.unexpected"),
    Refusal("G10-two-drafts", starts.two_drafts, PLAIN, "release.ambiguous"),
    Refusal("G09-published-with-a-twin", starts.published_with_a_twin, PLAIN, "release.ambiguous"),
    Refusal("immutable", starts.immutable_lacks_one, f"asset-upload/{SUMS}", "asset.missing-in-immutable"),
    Refusal("G04-other-content", starts.npm_differs, V_CORE, "npm.integrity-differs"),
    Refusal("unpublished", starts.npm_unpublished, V_CLI, "npm.removed"),
    Refusal("G21-check-skipped", starts.check_skipped, "commit-checks/build", "check.not-success"),
    Refusal("check-runs", starts.check_runs, "commit-checks/build", "check.running", exit=2),
    Refusal("listing-down", starts.listing_down, PLAIN, "github.unreachable", exit=4),
    Refusal("registry-down", starts.registry_down, V_CORE, "npm.unreachable", exit=4),
)


@pytest.mark.parametrize("row", REFUSALS, ids=lambda row: row.id)
def test_nothing_irreversible_is_done(row: Refusal, world: World) -> None:
    """The identity rule, rules 2 and 4 of the cases: no tag, no publish, no announcement."""
    acting = Acting(world)
    row.start(acting)
    done = acting.converge().require(row.exit, *row.wrote)
    assert done.open[row.subject] == row.reason
    assert row.wrote or not any("lease" in name for name in done.kept), "nothing to do, and a lease"
    assert row.wrote or done.acts == [], "nothing is done that is not told, and nothing told that is not done"


def test_the_orphan_draft_is_named(world: World) -> None:
    """G09: the missing assets, and the draft that holds them, by number."""
    acting = Acting(world)
    starts.published_with_a_twin(acting)
    said = acting.converge().require(1).result
    messages = [said.message("asset-upload", name) for name in ASSETS[2:]]
    drafts = [one.id for one in world.forge.world.releases.values() if one.draft]
    assert len(drafts) == 1
    assert all(f"draft {drafts[0]}" in message for message in messages), messages


@pytest.mark.parametrize(
    ("table", "values", "said"),
    [
        ("release", {"extra_assets": ["App Manager_1.0.AppImage"]}, "'App.Manager_1.0.AppImage'"),
        ("binary", {"archive": ARCHIVES[0]}, "collides"),
    ],
    ids=["G06-rewritten", "G18-twice"],
)
def test_impossible_names_are_refused_before_anything_is_written(
    table: str, values: dict[str, object], said: str, world: World
) -> None:
    """A name that GitHub would rewrite (both are said), and one name for two assets: exit 4, no write."""
    acting = Acting(world).nothing()
    content = world.config[table]
    (content[1] if table == "binary" else content).update(values)
    file = world.checkout / "other.toml"
    file.write_text(toml(world.config))
    world.config.clear()
    world.config.update(fresh_config())
    done = acting.converge("--config", str(file)).require(4)
    assert (done.kept, said in done.result.stderr) == ((), True)


def test_a_checksum_file_of_another_build_is_no_reason_to_go_on(world: World) -> None:
    """G05: the folder's own SHA256SUMS names other digests: uploaded, downloaded, and it stops there."""
    acting = Acting(world).nothing()
    acting.build({SUMS: sums(dict.fromkeys(ASSETS[:-1], b"of another build"))})
    done = acting.converge().require(1, DRAFTED, *uploaded())
    assert done.open[f"checksums/{ARCHIVES[0]}"] == "checksums.mismatch"
