"""Starts of worlds that converge can't complete, or not yet; each takes a complete release and breaks it."""

import worlds_outages as outages
from converge_kit import ASSETS, Acting
from kit import ARCHIVES, CLI, CORE, SUMS, TAG, VERSION
from kit_project import repacked
from worlds_channel import put


def tag_elsewhere(a: Acting) -> None:
    """The tag was made at another commit (G11)."""
    a.nothing().world.tag(TAG, a.world.parent)


def tag_elsewhere_late(a: Acting) -> None:
    """All is staged, and the tag is at another commit."""
    a.draft(*ASSETS).world.tag(TAG, a.world.parent)


def wrong_bytes(a: Acting) -> None:
    """The draft holds one archive of another build, and lacks nothing."""
    put(a.draft(*ASSETS).world, ARCHIVES[0], b"another build of it")


def empty_asset(a: Acting) -> None:
    """The draft holds an archive of no bytes."""
    a.draft(*ASSETS[1:]).world.release.asset(ARCHIVES[0], b"")


def unexpected(a: Acting) -> None:
    """The draft holds a file that nobody planned."""
    a.draft(*ASSETS).world.release.asset("notes.txt", b"left over")


def two_drafts(a: Acting) -> None:
    """Two jobs made a draft each, and each holds some of the assets (G09, G10)."""
    a.draft(*ASSETS[:2])
    other = a.world.repo.release(TAG, draft=True)
    other.asset(SUMS, a.world.assets()[SUMS])


def published_with_a_twin(a: Acting) -> None:
    """Two of five assets were published; the others are on an orphan draft (G09)."""
    for name in ASSETS[2:]:
        a.world.asset(name).remove()
    orphan = a.world.repo.release(TAG, draft=True)
    for name in ASSETS[2:]:
        orphan.asset(name, a.world.assets()[name])


def immutable_lacks_one(a: Acting) -> None:
    """The release is published and immutable, and one asset was forgotten."""
    a.world.asset(SUMS).remove()
    a.world.release.set(immutable=True)


def npm_differs(a: Acting) -> None:
    """Somebody published this version of one package with other contents."""
    a.draft(*ASSETS)
    other = repacked(a.world.packs[CORE], {"index.js": "module.exports = 'another';\n"})
    a.world.npm.publish(CORE, VERSION, other)


def npm_unpublished(a: Acting) -> None:
    """The version was there, and was unpublished: npm never takes it again."""
    a.world.release.set(draft=True)
    with a.world.npm.edit(CLI) as stored:
        stored["time"]["unpublished"] = {"time": "2026-01-03T00:00:00.000Z", "versions": [VERSION]}
        stored["versions"], stored["dist-tags"] = {}, {}


def check_skipped(a: Acting) -> None:
    """A required check was skipped (G21)."""
    a.nothing().world.repo.check_run("build", a.world.commit, conclusion="skipped")


def check_runs(a: Acting) -> None:
    """A required check still runs."""
    a.nothing().world.repo.check_run("build", a.world.commit, status="in_progress")


def listing_down(a: Acting) -> None:
    """GitHub can't list releases: nobody knows whether a draft exists."""
    outages.answers(502, path=outages.LISTING)(a.nothing().world)


def registry_down(a: Acting) -> None:
    """Nobody listens where the registry should be; everything before npm is complete."""
    a.draft(*ASSETS).world.env["npm_config_registry"] = f"http://127.0.0.1:{outages.closed_port()}"
