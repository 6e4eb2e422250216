"""Processor time of the engine beside that of another version, in turn, in processes of their own with the same Python.

Both read the same pairs with the same random weights; the other version is read from Git into a folder. It is timed twice in
each turn: by how much it differs from itself is the noise of the machine, which the bound allows for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from core.errors import TouchstoneError
from tests.bench import timed_version
from tests.bench.metric_cost import COST_METRIC, COST_PAIRS, COST_SIZES, cost_pairs
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import sentence_pool

MOST_TIMES = 1.1
"""As dear as the other version a question may be at most, beside the noise."""
TURNS = 5
_ROOT = Path(__file__).resolve().parents[2]
_GATED = ("asked", "cached")
_UNITS = {"asked": "µs", "cached": "µs", "memory": "MB"}

Cost = Mapping[str, float]
"""Microseconds of a question that is asked and of one from the cache, and the most memory in MB."""


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Costs of this version and of another by turns, the other one twice in each."""

    reference: str
    this: Sequence[Cost]
    other: Sequence[Cost]
    again: Sequence[Cost]

    def ratio(self, name: str) -> float:
        """Median of this version, divided by that of the other."""
        return _median(self.this, name) / _median([*self.other, *self.again], name)

    def noise(self, name: str) -> float:
        """Larger median of the two series of the other version, divided by the smaller."""
        medians = _median(self.other, name), _median(self.again, name)
        return max(medians) / min(medians)

    def most(self, name: str) -> float:
        """Ratio above which this version is slower."""
        return MOST_TIMES * self.noise(name)

    @property
    def slower(self) -> list[str]:
        """The workloads of which a question became dearer."""
        return [name for name in _GATED if self.ratio(name) > self.most(name)]


def compare_versions(
    reference: str, pairs: int = COST_PAIRS, turns: int = TURNS, tree: Path = _ROOT
) -> VersionComparison:
    """The costs of a working tree and of a commit, branch or tag of its repository; raises TouchstoneError for none such."""
    with TemporaryDirectory(prefix="touchstone-bench-") as temporary:
        folder = Path(temporary)
        _unpack(reference, tree, folder / "other")
        metric, _ = prepare_metric(COST_METRIC, COST_SIZES, sentence_pool(), folder / "models")
        texts = [(example.document, example.summary) for example in cost_pairs(pairs)]
        (folder / "pairs.json").write_text(json.dumps(texts), encoding="utf-8")
        other = folder / "other"
        costs: dict[str, list[Cost]] = {"other": [], "this": [], "again": []}
        for turn in range(turns):
            for name, version in (("other", other), ("this", tree), ("again", other)):
                costs[name].append(_time(version, metric.spec, folder, f"{name}-{turn}"))
    return VersionComparison(reference, **costs)


def format_comparison(compared: VersionComparison) -> str:
    """A table of both versions, and a line on each workload that became dearer."""
    lines = [f"{'':12}{'this':>10}{compared.reference[:20]:>22}{'ratio':>8}{'noise':>8}{'at most':>9}"]
    for name, unit in _UNITS.items():
        most = f"{compared.most(name):9.2f}" if name in _GATED else f"{'-':>9}"
        this, other = _median(compared.this, name), _median([*compared.other, *compared.again], name)
        lines.append(
            f"{name:8}{unit:>4}{this:10.1f}{other:22.1f}{compared.ratio(name):8.2f}{compared.noise(name):8.2f}{most}"
        )
    lines += [
        f"Slower: a question {'from the cache' if name == 'cached' else 'that is asked'} takes {compared.ratio(name):.2f} "
        f"times the processor time that it takes in {compared.reference}, and at most {compared.most(name):.2f} is allowed."
        for name in compared.slower
    ]
    return "\n".join(lines if compared.slower else [*lines, f"No slower than {compared.reference}."])


def _median(costs: Sequence[Cost], name: str) -> float:
    return median(cost[name] for cost in costs)


def _unpack(reference: str, tree: Path, folder: Path) -> None:
    """Write `core` as it is in a commit."""
    archive = subprocess.run(["git", "archive", "--format=tar", reference, "core"], cwd=tree, capture_output=True)
    if archive.returncode:
        raise TouchstoneError(
            f"Git has no version {reference!r} here ({archive.stderr.decode(errors='replace').strip()}). Name a commit, "
            "branch or tag of this repository; in CI, fetch its history first."
        )
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")


def _time(version: Path, spec: str, folder: Path, run: str) -> Cost:
    """The cost of one version in a process of its own, with a cache of its own."""
    command = [sys.executable, "-P", str(Path(timed_version.__file__)), spec, str(folder / "pairs.json")]
    environment = {**os.environ, "PYTHONPATH": str(version), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([*command, str(folder / run)], cwd=version, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise TouchstoneError(f"The version in {version} cannot be timed: {done.stderr.strip().splitlines()[-1]}")
    cost: Cost = json.loads(done.stdout.splitlines()[-1])
    return cost
