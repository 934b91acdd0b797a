"""`release watch`, `release lease` and `release ledger` as a user calls them, on a real git remote."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

TAG = "v1.0.0"
LEASE, LEDGER = f"refs/convergence/lease/{TAG}", f"refs/convergence/ledger/{TAG}"
STRICT = '[release]\nname = "acme"\nbranches = ["main"]\n'
LOOSE = '[release]\nname = "acme"\n'
REAL = "import sys; from release.cli import main; sys.exit(main())"
_HOOK = "#!/bin/sh\nwhile read old new ref; do case $ref in {pattern}) exit 1;; esac; done\n"


def surroundings() -> dict[str, str]:
    """A small environment without anybody's credentials."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


@dataclass(frozen=True)
class Project:
    """A checkout with a bare remote."""

    folder: Path

    @property
    def remote(self) -> Path:
        """The bare remote."""
        return self.folder / "remote.git"

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Run git as the project's people do."""
        who = {
            f"GIT_{role}_{what}": "acme@example.test"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        done = subprocess.run(
            ("git", *arguments),
            cwd=cwd or self.folder / "checkout",
            env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, **who},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def release(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run the command line in the checkout."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder / "checkout",
            env=surroundings(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def command(self, *arguments: str) -> list[str]:
        """The command line of a process."""
        return [sys.executable, "-c", REAL, *arguments]

    def configure(self, text: str) -> None:
        """Write release.toml."""
        (self.folder / "checkout" / "release.toml").write_text(text)

    def refuse(self, pattern: str) -> None:
        """Let the remote refuse every push to refs that match."""
        hook = self.remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(_HOOK.format(pattern=pattern))
        hook.chmod(0o755)

    def refs(self) -> set[str]:
        """The names of the remote's refs."""
        return set(self.git("for-each-ref", "--format=%(refname)", cwd=self.remote).splitlines())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A clean checkout of a pushed commit; no tag yet."""
    made = Project(tmp_path)
    made.git("init", "-q", "--bare", "-b", "main", str(made.remote), cwd=tmp_path)
    made.git("clone", "-q", str(made.remote), "checkout", cwd=tmp_path)
    made.configure(STRICT)
    made.git("checkout", "-q", "-b", "main")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "Begin")
    made.git("push", "-q", "origin", "main")
    return made


def test_a_converge_leaves_a_free_lease_and_a_verified_ledger(project: Project) -> None:
    """The lease is released; the ledger holds the plan, the report and the tag's commit."""
    assert project.release("lease", "show", TAG).stdout == "free: nobody ever took the lease\n"
    assert project.release("ledger", "verify", TAG).returncode == 4
    assert project.release("converge", TAG, "--yes").returncode == 0
    shown = project.release("lease", "show", TAG, "--json")
    assert json.loads(shown.stdout)["state"] == "free"
    verified = project.release("ledger", "verify", TAG)
    assert (verified.returncode, verified.stdout[:7]) == (0, "intact:")
    text = project.release("ledger", "show", TAG).stdout
    assert "source-tag v1.0.0: tag.agrees" in text
    assert "first seen: tag:v1.0.0" in text
    value = json.loads(project.release("ledger", "show", TAG, "--json").stdout)
    assert value["facts"]["tag:v1.0.0"]["commit"] == project.git("rev-parse", "HEAD")
    assert value["plan"]["gates"] == {"source-tag": [TAG]}
    before = project.git("rev-parse", LEDGER, cwd=project.remote)
    assert project.release("converge", TAG, "--yes").returncode == 0
    assert project.git("rev-parse", LEDGER, cwd=project.remote) == before


def test_without_a_lease_nothing_is_done(project: Project) -> None:
    """A remote that refuses the lease: exit 4, with the fix, and no tag."""
    project.refuse("refs/convergence/*")
    done = project.release("converge", TAG, "--yes")
    assert done.returncode == 4
    assert "refused to store the lease" in done.stderr
    assert "may push" in done.stderr
    assert project.refs() == {"refs/heads/main"}


def test_a_ledger_that_is_refused_is_kept_here_and_said(project: Project) -> None:
    """The release is finished all the same; the report says where the ledger is, and `verify` reads it."""
    project.refuse("refs/convergence/ledger/*")
    done = project.release("converge", TAG, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout)["notes"]
    assert any("kept on this machine only" in note and ".release/ledger.git" in note for note in notes), notes
    assert LEDGER not in project.refs()
    assert project.release("ledger", "verify", TAG).returncode == 0
    status = project.release("status", TAG)
    assert status.returncode == 0
    assert "kept on this machine only" in status.stdout


def test_a_weaker_plan_is_failed_until_it_is_accepted(project: Project) -> None:
    """DESIGN §10.3: what is not asked for any more is named, blocks converge, and can be accepted by name."""
    assert project.release("converge", TAG, "--yes").returncode == 0
    project.configure(LOOSE)
    status = project.release("status", TAG, "--json")
    assert status.returncode == 1
    plan = next(gate for gate in json.loads(status.stdout)["gates"] if gate["name"] == "plan")
    subject = plan["subjects"][0]
    assert subject["reason"] == "plan.changed-since"
    assert "release.branches main -> nothing" in subject["message"]
    before = project.git("rev-parse", LEDGER, cwd=project.remote)
    assert project.release("converge", TAG, "--yes").returncode == 1
    assert project.git("rev-parse", LEDGER, cwd=project.remote) == before
    because = ("--because", "any branch is right", "--yes")
    wrong = project.release("ledger", "accept", TAG, "--change", "gate source-tag", *because)
    assert wrong.returncode == 4
    assert "one --change for each of: release.branches main -> nothing" in wrong.stderr
    name = "release.branches main -> nothing"
    done = project.release("ledger", "accept", TAG, "--change", name, *because)
    assert done.returncode == 0, done.stderr
    assert "any branch is right" in done.stdout
    assert project.release("status", TAG).returncode == 0
    assert project.release("ledger", "verify", TAG).returncode == 0


def test_a_ledger_that_was_edited_fails_the_release(project: Project) -> None:
    """An entry pushed by hand that drops the facts: `status` and `verify` exit 1, `converge` does nothing."""
    assert project.release("converge", TAG, "--yes").returncode == 0
    blob = project.git("hash-object", "-w", "--stdin", cwd=project.remote)
    tree = subprocess.run(
        ("git", "mktree"),
        cwd=project.remote,
        input=f"100644 blob {blob}\tfirst-seen.json\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    forged = project.git("commit-tree", tree, "-p", LEDGER, "-m", "x", cwd=project.remote)
    project.git("update-ref", LEDGER, forged, cwd=project.remote)
    status = project.release("status", TAG)
    assert status.returncode == 1
    assert "ledger.altered" in status.stdout
    verified = project.release("ledger", "verify", TAG)
    assert verified.returncode == 1
    assert f"altered: {forged}: first-seen.json: is not JSON" in verified.stdout
    assert project.release("converge", TAG, "--yes").returncode == 1


def take(project: Project) -> None:
    """Somebody on another machine takes the lease, for long, and is never heard of again."""
    content = {
        "schema": "release-convergence/lease/v1",
        "holder": "elsewhere:7",
        "epoch": 4,
        "term": 3600.0,
        "expires_at": "2999-01-01T00:00:00+00:00",
        "released": False,
        "nonce": "x",
    }
    (project.folder / "lease.json").write_text(json.dumps(content))
    blob = project.git("hash-object", "-w", str(project.folder / "lease.json"), cwd=project.remote)
    tree = subprocess.run(
        ("git", "mktree"),
        cwd=project.remote,
        input=f"100644 blob {blob}\tlease.json\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    project.git(
        "update-ref",
        LEASE,
        project.git("commit-tree", tree, "-m", "x", cwd=project.remote),
        cwd=project.remote,
    )


def test_a_lease_that_is_held_is_released_only_knowingly(project: Project) -> None:
    """Not without --yes, not without naming the holder or --steal; then it is free, in a later epoch."""
    take(project)
    assert "held: elsewhere:7, epoch 4" in project.release("lease", "show", TAG).stdout
    assert project.release("lease", "release", TAG).returncode == 4
    refused = project.release("lease", "release", TAG, "--yes")
    assert refused.returncode == 4
    assert "elsewhere:7 holds the lease" in refused.stderr
    assert project.release("lease", "release", TAG, "--yes", "--holder", "other:1").returncode == 4
    freed = project.release("lease", "release", TAG, "--yes", "--holder", "elsewhere:7")
    assert (freed.returncode, freed.stdout) == (0, "released: elsewhere:7, epoch 4\n")
    value = json.loads(project.release("lease", "show", TAG, "--json").stdout)
    assert (value["state"], value["lease"]["epoch"], value["lease"]["released"]) == ("free", 5, True)
    assert project.release("lease", "release", TAG, "--yes").stdout == "nobody holds the lease\n"
    take(project)
    assert project.release("lease", "release", TAG, "--yes", "--steal").returncode == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_watch_ends_when_the_tag_arrives(project: Project, as_json: bool) -> None:
    """It says that the tag is absent, then that it agrees, and exits 0; it prints and writes nothing else."""
    options = ("--interval", "1s", "--timeout", "1m", *(("--json",) if as_json else ()))
    watching = subprocess.Popen(
        project.command("watch", TAG, *options),
        cwd=project.folder / "checkout",
        env=surroundings(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    with watching.stdout as stdout:
        first = stdout.readline()
        project.git("tag", "-a", "-m", "x", TAG)
        project.git("push", "-q", "origin", TAG)
        rest = stdout.readlines()
    assert watching.wait(timeout=60) == 0
    if as_json:
        values = [json.loads(line) for line in (first, *rest)]
        assert [(value.get("before"), value.get("after")) for value in values[:2]] == [
            (None, "tag.absent"),
            ("tag.absent", "tag.agrees"),
        ]
        assert values[2]["schema"] == "release-convergence/report/v1"
        assert len(values) == 3
    else:
        assert "source-tag  v1.0.0  - -> tag.absent" in first
        assert "tag.absent -> tag.agrees" in rest[0]
        assert rest[1].startswith("acme 1.0.0 (v1.0.0): complete (exit 0), complete after ")
        assert len(rest) == 2
    assert project.refs() == {"refs/heads/main", f"refs/tags/{TAG}"}


def test_watch_times_out_with_the_last_reports_code(project: Project) -> None:
    """Still pending when time is up: exit 3."""
    begin = time.monotonic()
    done = project.release("watch", TAG, "--interval", "1s", "--timeout", "2s")
    assert done.returncode == 3
    assert "timed out after" in done.stdout
    assert time.monotonic() - begin < 60


def test_watch_refuses_odd_times(project: Project) -> None:
    """An interval of zero or without a unit is a wrong call."""
    for text in ("0s", "5"):
        assert project.release("watch", TAG, "--interval", text).returncode == 4
