"""Every format says the same of one report; expected texts stand in golden/."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from report_samples import finding, gate, report

from release.domain.errors import ConfigError, Problem
from release.domain.reasons import CATALOGUE, Who
from release.domain.report import NextStep, Report
from release.domain.state import State
from release.report.errors import render_error
from release.report.json_report import render_json, report_value
from release.report.markdown import code, escape, render_markdown
from release.report.table import Screen, render_table
from release.report.visible import visible, visible_ascii

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "docs" / "report.schema.json").read_text())
NASTY = "\x1b[31mred\x07\r\n\u202egnp.exe\u200b\ufeff|`<img src=x>`\ud800\x9b2J"


def check(path: Path, text: str) -> None:
    """Compare with the golden text; UPDATE_GOLDEN=1 writes it."""
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def nasty_report() -> Report:
    """A report in which every text from outside is hostile."""
    bad = finding("npm-publish", NASTY, "npm.absent", NASTY, commit=None, next=NASTY)
    good = finding("npm-publish", NASTY + "2", "npm.identical", NASTY)
    made = report(
        gate("npm-publish", bad, good), name=NASTY, version=NASTY, tags=(NASTY,), commit_source=NASTY
    )
    rows = tuple(replace(row, channel=NASTY, commit=NASTY) for row in made.commits)
    return replace(made, commits=rows, next=(NextStep(gate=NASTY, command=NASTY, why=NASTY),))


def test_table_for_a_pipe(partial: Report, golden: Path) -> None:
    """Plain ASCII, one line a fact, never wrapped, no escape sequences."""
    text = render_table(partial)
    check(golden / "pipe.txt", text)
    assert text.isascii()
    assert "\x1b" not in text


def test_table_on_a_terminal(partial: Report, golden: Path) -> None:
    """Colours on a terminal; without them it is the same text."""
    coloured = render_table(partial, Screen(width=120, colour=True))
    check(golden / "terminal.txt", coloured)
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == render_table(partial).splitlines()


@pytest.mark.parametrize("width", [1, 20, 40, 80])
def test_narrow_terminals_wrap_and_lose_nothing(width: int, partial: Report) -> None:
    """Every word of the wide table is in the narrow one, and the command stays in one piece."""
    narrow = render_table(partial, Screen(width=width))
    squeezed = re.sub(r"\s+", "", narrow)
    assert squeezed == re.sub(r"\s+", "", render_table(partial))
    assert "  release converge v1.2.3\n" in narrow
    longest = max(len(line) for line in narrow.splitlines() if "release converge" not in line)
    assert longest <= max(width, 20 + 12)


def test_markdown(partial: Report, golden: Path) -> None:
    """GitHub-flavoured tables with only the open subjects in detail."""
    check(golden / "report.md", render_markdown(partial))


def test_json_is_the_contract(partial: Report, golden: Path) -> None:
    """The JSON report validates against docs/report.schema.json and keeps its bytes."""
    text = render_json(partial)
    check(golden / "report.json", text)
    jsonschema.validate(json.loads(text), SCHEMA)
    value = json.loads(text)
    assert value["gates"][1]["subjects"][0]["reason"] == "npm.absent"
    assert value["commits"][2]["agrees"] is None


def test_the_schema_knows_every_state_who_and_reason() -> None:
    """Enumerations in the schema are those of the program."""
    assert set(SCHEMA["$defs"]["state"]["enum"]) == set(State)
    assert set(SCHEMA["$defs"]["subject"]["properties"]["who"]["enum"]) == set(Who)
    pattern = SCHEMA["$defs"]["subject"]["properties"]["reason"]["pattern"]
    assert [code for code in CATALOGUE if not re.match(pattern, code)] == []


def test_the_schema_refuses_a_gate_without_subjects(partial: Report) -> None:
    """Nothing observed is never a valid report."""
    value = json.loads(render_json(partial))
    value["gates"][0]["subjects"] = []
    with pytest.raises(jsonschema.ValidationError, match="should be non-empty"):
        jsonschema.validate(value, SCHEMA)


@pytest.mark.parametrize("screen", [Screen(), Screen(width=60), Screen(width=60, colour=True)])
def test_no_table_lets_a_name_act(screen: Screen) -> None:
    """Control, bidirectional and invisible characters are shown as escapes, never raw."""
    text = render_table(nasty_report(), screen)
    without_colours = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\ufeff\ud800]", without_colours)
    assert "\x1b[31mred" not in text
    assert "x1b[31mred" in re.sub(r"\s", "", without_colours)


def test_markdown_lets_no_name_act() -> None:
    """No raw HTML, no broken table, no live control character."""
    text = render_markdown(nasty_report())
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\ufeff\ud800]", text)
    for line in text.splitlines():
        outside_code = re.sub(r"(`+) .*? \1(?!`)|`[^`]*`", "", line)
        assert "<img" not in outside_code
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert widths == {4, 6}


def test_json_is_ascii_and_keeps_the_name() -> None:
    """JSON carries the very name, escaped."""
    made = nasty_report()
    text = render_json(made)
    assert text.isascii()
    assert json.loads(text)["release"]["name"] == NASTY
    assert report_value(made)["state"] == "partial"


VISIBLE = {
    "plain name-1.0_x": "plain name-1.0_x",
    "tab\tline\n": "tab\\tline\\n",
    "\x1b[0m": "\\x1b[0m",
    "\u202e": "\\u202e",
    "\u2028": "\\u2028",
    "\u00a0": "\\xa0",
    "é日本": "é日本",
    "\U000e0041": "\\U000e0041",
}


@pytest.mark.parametrize("text", VISIBLE)
def test_visible(text: str) -> None:
    """Letters stay, what cannot be seen becomes an escape."""
    assert visible(text) == VISIBLE[text]


def test_visible_ascii_has_no_other_letters() -> None:
    """Old terminals get escapes for every letter outside ASCII."""
    assert visible_ascii("é日") == "\\xe9\\u65e5"


def test_code_spans_survive_backticks() -> None:
    """The fence is longer than any run inside."""
    assert code("a`b") == "`` a`b ``"
    assert code("``") == "``` `` ```"
    assert code("plain") == "`plain`"


def test_escape_breaks_mentions_links_and_html() -> None:
    """Nothing from outside pings people or becomes markup."""
    assert escape("@a/b <b> [x](y) #1") == "&#64;a/b &lt;b&gt; \\[x\\]\\(y\\) \\#1"


def test_few_complete_subjects_are_listed_and_many_counted() -> None:
    """Up to three complete subjects are named; more become one line with a count."""
    few = tuple(finding("checksums", f"a{i}", "checksums.verified") for i in range(3))
    many = tuple(finding("checksums", f"a{i}", "checksums.verified") for i in range(4))
    assert "complete  a2  checksums.verified" in render_table(report(gate("checksums", *few)))
    text = render_table(report(gate("checksums", *many)))
    assert "complete  4 subjects  checksums.verified" in text
    assert "a2" not in text


def test_every_open_subject_is_shown_among_a_thousand() -> None:
    """Collapsing never hides a subject that is not complete."""
    findings = tuple(
        finding("asset-upload", f"asset-{i}", "asset.absent" if i % 2 else "asset.uploaded")
        for i in range(1000)
    )
    made = report(gate("asset-upload", *findings))
    for text in (render_table(made), render_table(made, Screen(width=80)), render_markdown(made)):
        assert sum(f"asset-{i}" in text for i in range(1, 1000, 2)) == 500


def test_selected_gates_are_named_as_no_verdict_of_the_release(partial: Report) -> None:
    """A report of some gates says so in its state line."""
    assert "(exit 2, only source-tag)" in render_table(replace(partial, selected=("source-tag",)))


def test_an_error_shows_every_problem_and_nothing_raw() -> None:
    """One block a problem, escapes made visible."""
    error = ConfigError.of(
        (
            Problem(message="bad \x1b[31m", file="release.toml", place="a.b", fix="mend"),
            Problem(message="two"),
        )
    )
    assert render_error(error) == "error: release.toml: a.b: bad \\x1b[31m\n  fix: mend\nerror: two\n"
