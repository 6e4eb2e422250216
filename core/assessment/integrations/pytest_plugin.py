"""The plug-in of pytest, which it finds by an entry point: the fixture `touchstone`, to assert audits and scores, and the contract of a metric."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from core.assessment.gate.assertions import AuditAssertions, ScoreAssertions
    from core.assessment.gate.metric_contract import MetricContract
    from core.assessment.notebook.session import Pairs
    from core.scoring import Metric


@dataclass(frozen=True)
class TouchstoneFixture:
    """Fixture of tests; relative paths begin at the root of the tests."""

    root: Path

    def audit(
        self, metric: str, data: str | Path, *, most: int | None = 100, seed: int = 0, battery: str = "touchstone-1"
    ) -> AuditAssertions:
        """The audit of a metric on a file of labelled pairs, as `touchstone audit` makes it, by a battery of perturbations.

        Raises TouchstoneError for a metric or battery that does not exist, and for a file that cannot be read.
        """
        from core.assessment.gate.scoring import audit_file

        return audit_file(metric, self.root / data, most, seed, battery)

    def score(self, pairs: Pairs | str | Path, metric: str) -> ScoreAssertions:
        """The scores of pairs, or of a file of them, by one metric; raises as `audit` does."""
        from core.assessment.gate.scoring import score_given

        return score_given(self.root / pairs if isinstance(pairs, (str, Path)) else pairs, metric)


@pytest.fixture(scope="session")
def touchstone(request: pytest.FixtureRequest) -> Iterator[TouchstoneFixture]:
    """Audits and scores by the settings of `TOUCHSTONE_*`, with one engine for all tests."""
    yield TouchstoneFixture(request.config.rootpath)
    from core.assessment.notebook.session import close

    close()


class ContractTest(pytest.Item):
    """One check of the contract of a metric; one without a check says why the metric is not there."""

    def __init__(self, *, contract: MetricContract | None = None, missing: str = "", **about: object) -> None:
        super().__init__(**about)  # type: ignore[arg-type]  # of pytest
        self._contract = contract
        self._missing = missing

    def runtest(self) -> None:
        from core.assessment.gate.metric_contract import CHECKS

        sentence = self._missing
        if self._contract:
            sentence = CHECKS[self.name.partition(": ")[2]](self._contract)
        if sentence:
            raise ContractError(sentence)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, ContractError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))  # type: ignore[arg-type]  # of pytest

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class ContractError(Exception):
    """Breach of the contract, in a sentence."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--touchstone-contract",
        nargs="?",
        const="",
        action="append",
        default=[],
        metavar="METRIC",
        help="test the contract of a metric of Touchstone; without a name of those that pyproject.toml gives entry points",
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the checks of each metric behind the tests that there are."""
    named: Sequence[str] = config.getoption("--touchstone-contract")
    if not named:
        return
    from core.assessment.gate.metric_contract import CHECKS, MetricContract

    metrics, missing = _contract_metrics(named, config.rootpath)
    for metric in metrics:
        contract = MetricContract(metric)
        items += [
            ContractTest.from_parent(session, name=f"{metric.spec}: {check}", contract=contract) for check in CHECKS
        ]
    items += [ContractTest.from_parent(session, name=name, missing=sentence) for name, sentence in missing.items()]


def _contract_metrics(named: Sequence[str], root: Path) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to test, and for each that is not there the reason."""
    from core.errors import TouchstoneError
    from core.scoring import METRIC_GROUP, METRICS, plugin_reports

    specs, missing = [spec for spec in named if spec], dict[str, str]()
    METRICS.names()
    reports = {report.source: report for report in plugin_reports()}
    file = root / "pyproject.toml"
    project = (
        tomllib.loads(file.read_text(encoding="utf-8")).get("project", {}) if "" in named and file.is_file() else {}
    )
    points: dict[str, str] = project.get("entry-points", {}).get(METRIC_GROUP, {})
    for name, source in points.items():
        report = reports.get(source)
        specs += report.names if report else ()
        if report is None:
            missing[name] = f"The entry point {name} = {source!r} is not installed. Run: python -m pip install -e ."
        elif report.error:
            missing[name] = report.error
    if not specs and not missing:
        missing["touchstone"] = (
            f"{root / 'pyproject.toml'} has no entry point of {METRIC_GROUP}. Name a metric: --touchstone-contract=NAME."
        )
    metrics = []
    for spec in dict.fromkeys(specs):
        try:
            metrics.append(METRICS.parse(spec))
        except TouchstoneError as error:
            missing[spec] = str(error)
    return metrics, missing
