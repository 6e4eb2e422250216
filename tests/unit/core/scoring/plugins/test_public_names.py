"""The names of `touchstone` on which plug-ins rely: one that goes or comes is a change of its version."""

from __future__ import annotations

import touchstone

CONTRACTS = (
    "Card Metric Checkpoint EndpointModel Perturbation PerturbationCard Importer Refusal Study StudyData".split()
)
REPORTS = "Column Input Pivot Report Table setting".split()
VALUES = "Answer Context Edit ErrorType Example Item Part Question Score Seen Span Verdict WordScore".split()
ERRORS = ["TouchstoneError", "UnscorableError"]
FUNCTIONS = "client close evaluate metric perturb score study".split()
FRAMEWORKS = (
    "autoevals_scorer deepeval_metric evaluate_metric inspect_scorer mlflow_scorer ragas_metric torchmetric".split()
)


def test_the_public_names_are_these() -> None:
    assert sorted(touchstone.__all__) == sorted([*CONTRACTS, *REPORTS, *VALUES, *ERRORS, *FUNCTIONS, *FRAMEWORKS])


def test_each_is_there_and_has_a_docstring() -> None:
    assert [name for name in touchstone.__all__ if not (getattr(touchstone, name).__doc__ or "").strip()] == []
