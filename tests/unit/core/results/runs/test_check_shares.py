"""Labels of sentences as shares by dataset and kind, counted by hand."""

from __future__ import annotations

from core.evaluation.studies.shifts import Shifts
from core.evaluation.study import StudyData
from core.results.runs.shifts import check_shares
from core.results.runs.stress_run import Check, Plan, Source, StressRun, run_from_lines, run_lines
from core.scoring.nli_check import NliResult, SentenceLabel
from core.types import Example


def labelled_run(*checks: tuple[str, str, str, tuple[SentenceLabel, ...]]) -> StressRun:
    """A run with one check for each domain, source, kind and labels."""
    run = StressRun(Plan("books", ("shuffled", "negated"), ("rouge2",), guard="entailment-label"))
    for domain, source, kind, labels in checks:
        run.add(Source(Example(source, f"The document of {source}.", "It is so."), source, domain))
        run.add(Check(source, kind, NliResult("contradiction" in labels, "a model", labels=labels)))
    return run_from_lines(run_lines(run))


def test_the_shares_are_of_the_sentences_of_all_variants_of_a_dataset_and_kind() -> None:
    run = labelled_run(
        ("law", "a", "shuffled", ("entailment", "entailment", "contradiction")),
        ("law", "b", "shuffled", ("neutral",)),
        ("", "c", "negated", ("entailment",)),
        ("law", "b", "negated", ("contradiction", "entailment")),
    )
    found = check_shares(run, resamples=50)
    assert [(one.dataset, one.kind, one.variants, one.sentences) for one in found] == [
        ("books", "negated", 1, 1),
        ("law", "shuffled", 2, 4),
        ("law", "negated", 1, 2),
    ]
    shares = [[one.shares[label].value for label in ("entailment", "neutral", "contradiction")] for one in found]
    assert shares == [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.5, 0.0, 0.5]]
    table = Shifts().run(StudyData(run=run)).table("checks")
    assert [table.cells(name) for name in ("dataset", "variants", "sentences")] == [
        ["books", "law", "law"],
        [1, 2, 1],
        [1, 4, 2],
    ]


def test_a_check_without_labels_has_no_table() -> None:
    run = labelled_run(("law", "a", "shuffled", ()))
    assert check_shares(run) == []
    assert "checks" not in {table.name for table in Shifts().run(StudyData(run=run)).tables}
