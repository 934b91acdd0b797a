"""Reports to print."""

from pathlib import Path

import pytest
from report_samples import finding, gate, report

from release.domain.finding import Claim
from release.domain.report import Report


@pytest.fixture
def partial() -> Report:
    """One complete gate, one pending one, one long one and one that is not required."""
    uploaded = tuple(finding("asset-upload", f"a{i}.zip", "asset.uploaded") for i in range(31))
    return report(
        gate("source-tag", finding("source-tag", "v1.2.3", "tag.agrees", evidence=("git:1",))),
        gate(
            "npm-publish",
            finding(
                "npm-publish",
                "acme@1.2.3",
                "npm.absent",
                "acme@1.2.3 is not in the registry",
                next="release converge v1.2.3",
                claims=(Claim(channel="npm", commit=None),),
            ),
        ),
        gate("asset-upload", *uploaded, finding("asset-upload", "b.zip", "asset.absent", "b.zip is missing")),
        gate("evaluation", finding("evaluation", "unit", "evaluation.not-run", "not run"), required=False),
    )


@pytest.fixture
def golden() -> Path:
    """The folder of expected texts."""
    return Path(__file__).parent / "golden"
