"""The fixture `touchstone` of pytest: audits of metrics and scores of summaries, to be asserted; pytest finds it by its entry point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from core.gate.assertions import AuditAssertions, ScoreAssertions
    from core.notebook.session import Pairs


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
        from core.gate.scoring import audit_file

        return audit_file(metric, self.root / data, most, seed, battery)

    def score(self, pairs: Pairs | str | Path, metric: str) -> ScoreAssertions:
        """The scores of pairs, or of a file of them, by one metric; raises as `audit` does."""
        from core.gate.scoring import score_given

        return score_given(self.root / pairs if isinstance(pairs, (str, Path)) else pairs, metric)


@pytest.fixture(scope="session")
def touchstone(request: pytest.FixtureRequest) -> Iterator[TouchstoneFixture]:
    """Audits and scores by the settings of `TOUCHSTONE_*`, with one engine for all tests."""
    yield TouchstoneFixture(request.config.rootpath)
    from core.notebook.session import close

    close()
