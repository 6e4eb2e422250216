"""The scores of the long-document paper (2511.07689): tables 1 and 3 to 6, from the texts at hand, in the form of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from types import MappingProxyType

from core.assessment.papers.paper import Figures, MissingDataError, ReleasedData
from core.assessment.papers.published import CellPlace, Waiting
from core.edits import PERTURBATIONS
from core.results import Plan, StressRun
from core.scoring import METRICS, NLI_CHECKS, Metric
from core.types import Item

OURS: Mapping[str, str] = MappingProxyType(
    {
        "BARTScore": "bartscore",
        "MiniCheck": "bespoke-minicheck-7b",
        "SummaC-Conv": "summac-conv",
        "SummaC-ZS": "summac-zs",
        "AlignScore": "alignscore-large",
        "UniEval": "unieval-sum",
    }
)
"""Our metric for each name of the paper."""

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "Synonym Replaced": "synonyms-llm",
        "Summarized": "summarized-llm",
        "Simplified": "simplified-llm",
        "Paraphrased": "paraphrased-llm",
        "Negated": "negated-llm",
        "Less Diverse": "less-diverse-llm",
        "Added Source Text": "added-llm",
    }
)
_WINDOWS = (0, 1, 2)
_FULL_DOCUMENT = "MiniCheck"  # in tables 4 to 6; in table 1 it is inside retrieval
CHECK = "entailment-label@longdoc"

ItemsOf = Callable[[ReleasedData], Sequence[Item]]


def framed(name: str, window: int = 1) -> Metric:
    """A metric of the paper inside retrieval."""
    return METRICS.parse(f"retrieve[w={window},metric={OURS[name]}@longdoc]")


def table_metric(name: str) -> Metric:
    """A metric as tables 4 to 6 have it."""
    return METRICS.parse(f"{OURS[name]}@longdoc") if name == _FULL_DOCUMENT else framed(name)


def window_means(datasets: Mapping[str, ItemsOf], data: ReleasedData) -> Figures:
    """Table 1: the mean score of the original summaries for each window."""
    figures: dict[CellPlace, float | Waiting] = {}
    for dataset, items_of in datasets.items():
        try:
            examples = [item.example for item in items_of(data)]
        except MissingDataError as error:  # the other datasets have their columns all the same
            figures |= {(name, f"{dataset}, w = {w}"): Waiting(str(error)) for name in OURS for w in _WINDOWS}
            continue
        for name in OURS:
            for window in _WINDOWS:
                figures[name, f"{dataset}, w = {window}"] = data.mean_score(framed(name, window), examples)
    return figures


def perturbed_means(dataset: str, items_of: ItemsOf, data: ReleasedData) -> Figures:
    """Tables 4 to 6: the mean score of the original summaries and of each perturbation of a model."""
    items, figures = items_of(data), dict[CellPlace, float | Waiting]()
    metrics = {name: table_metric(name) for name in OURS}
    for name, metric in metrics.items():
        figures[name, "Original"] = data.mean_score(metric, [item.example for item in items])
    ready = {name: metric for name, metric in metrics.items() if data.missing(metric) is None}
    run = _run(dataset, items, list(ready.values()), data)
    for column, kind in KINDS.items():
        spec = f"{kind}@longdoc"
        for name, metric in metrics.items():
            if missing := data.missing(metric):
                figures[name, column] = missing
                continue
            if isinstance(run, Waiting):
                figures[name, column] = run
                continue
            readings = [
                reading for (_, of, by), reading in run.readings.items() if of.startswith(spec) and by == metric.spec
            ]
            scores = [reading.value for reading in readings if reading.value is not None]
            none = _no_score(run, spec, [reading.error for reading in readings])
            figures[name, column] = fsum(scores) / len(scores) if scores else none
    return figures


def contradiction_rates(datasets: Mapping[str, ItemsOf], data: ReleasedData) -> Figures:
    """Table 3: the share of contradicting sentences of a variant, averaged over the variants of a kind."""
    figures: dict[CellPlace, float | Waiting] = {}
    for dataset, items_of in datasets.items():
        try:
            run = _run(dataset, items_of(data), [], data)
        except MissingDataError as error:  # the other datasets have their rows all the same
            run = Waiting(str(error))
        missing = data.missing(NLI_CHECKS.parse(CHECK))
        for column, kind in KINDS.items():
            if missing:
                figures[dataset, column] = missing
                continue
            if isinstance(run, Waiting):
                figures[dataset, column] = run
                continue
            spec = f"{kind}@longdoc"
            checks = [check for (_, of), check in run.checks.items() if of.startswith(spec)]
            labels = [check.mark.labels for check in checks if check.mark and check.mark.labels]
            rates = [of_variant.count("contradiction") / len(of_variant) for of_variant in labels]
            none = _no_score(run, spec, [check.error for check in checks])
            figures[dataset, column] = fsum(rates) / len(rates) if rates else none
    return figures


def _run(dataset: str, items: Sequence[Item], metrics: Sequence[Metric], data: ReleasedData) -> StressRun | Waiting:
    kinds = [PERTURBATIONS.parse(f"{kind}@longdoc") for kind in KINDS.values()]
    if missing := next((missing for kind in kinds if (missing := data.missing(kind))), None):
        return missing
    check = NLI_CHECKS.parse(CHECK)
    guard = None if metrics or data.missing(check) else check
    return data.run(Plan.of(dataset, kinds, metrics, guard=guard), items)


def _no_score(run: StressRun, spec: str, errors: Sequence[str]) -> Waiting:
    """The reason for a cell without a figure: the first error of a score, or the first refusal of a variant."""
    refusals = [variant.error for (_, kind), variant in run.variants.items() if kind.startswith(spec) and variant.error]
    error = next(filter(None, [*errors, *refusals]), "no variant was made")
    return Waiting(f"No figure: {error}", "a figure in the data")
