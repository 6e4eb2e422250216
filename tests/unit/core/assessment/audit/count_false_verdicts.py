"""Counts the false verdicts on metrics of known worth, on three data sets with five seeds: `make false-verdicts`."""

from __future__ import annotations

import logging
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from core.assessment.audit.false_verdicts import FalseVerdicts, count_verdicts, write_false_verdicts
from core.assessment.audit.question import AuditAnswer
from tests.unit.core.assessment.audit.examined_texts import DOCUMENTS, missing_data
from tests.unit.core.assessment.audit.examiners import EXAMINERS, audited, judged

SEEDS = (1, 2, 3, 4, 5)
Judged = tuple[str, str, AuditAnswer, bool]
"""The data set, the metric, the verdict, and whether it is false."""


def seed_verdicts(seed: int) -> list[Judged]:
    """The judged verdicts of one seed on the data sets that are here."""
    logging.disable(logging.ERROR)  # the metrics that fail would fill the screen
    rows: list[Judged] = []
    for dataset, documents in DOCUMENTS.items():
        if dataset not in missing_data():
            with TemporaryDirectory() as folder:
                here = [
                    (dataset, name, replace(finding, pairs=(), details=()), false)
                    for name, finding, false in judged(audited(Path(folder), seed, documents, dataset=dataset))
                ]
            rows += here
            done = f"Seed {seed}, {dataset}: {len(here)} verdicts after {time.process_time():.0f} s of a processor"
            sys.stderr.write("\n".join([done, *(_named(seed, *row) for row in here if row[-1]), ""]))
    return rows


def _named(seed: int, dataset: str, name: str, finding: AuditAnswer, _: bool) -> str:
    return f"{dataset}, seed {seed}: {name}, {finding.title} {finding.level.value} ({finding.figure})"


def main() -> None:
    missing = missing_data()
    for dataset, place in missing.items():
        sys.stdout.write(f"Skipped: {dataset} is not here. Copy {place}.\n")
    with ProcessPoolExecutor(len(SEEDS), get_context("spawn")) as pool:
        by_seed = dict(zip(SEEDS, pool.map(seed_verdicts, SEEDS), strict=True))
    rows = [(seed, *verdict) for seed, verdicts in by_seed.items() for verdict in verdicts]
    problems = [_named(*row) for row in rows if row[-1]]
    sys.stdout.write("\n".join([*problems, f"{len(problems)} of {len(rows)} verdicts are false", ""]))
    counts = count_verdicts((finding.question, finding.title, finding.level, false) for *_, finding, false in rows)
    counted = [f"{documents} of {dataset}" for dataset, documents in DOCUMENTS.items() if dataset not in missing]
    data = f"documents drawn by each seed: {', '.join(counted)}"
    write_false_verdicts(FalseVerdicts(tuple(EXAMINERS), SEEDS, data, counts, tuple(problems)))


if __name__ == "__main__":
    main()
