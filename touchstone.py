"""Touchstone in Python: the scores, perturbations and evaluations of the terminal, for notebooks and other people's pipelines.

    import touchstone as ts
    scores = ts.score([ts.Example("a", document, summary)], ["rouge2", "summac-zs[checkpoint=folder]"])

Importing takes no model library; the first call opens an engine, which reads the settings (`TOUCHSTONE_*` variables or
`.env`), keeps answers in its cache and stays until `close` or the end of the process. Threads may call at once; a forked
process opens its own. Whatever goes wrong on purpose is a `TouchstoneError`, with what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import TouchstoneError, UnscorableError
from core.scoring.plugins.declaration import metric
from core.types import (
    Answer,
    Context,
    Edit,
    ErrorType,
    Example,
    Item,
    Part,
    Question,
    Score,
    Seen,
    Span,
    Verdict,
    WordScore,
)

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from mlflow.genai.scorers import Scorer as MlflowScorer

    from core.assessment.integrations.autoevals_scorer import AutoevalsScorer
    from core.assessment.integrations.deepeval_metric import DeepEvalMetric
    from core.assessment.integrations.evaluate_metric import EvaluateMetric
    from core.assessment.integrations.ragas_metric import RagasMetric
    from core.assessment.integrations.torchmetrics_metric import TorchMetric
    from core.assessment.notebook.client import CampaignClient
    from core.assessment.notebook.reports import NotebookReport
    from core.assessment.notebook.scores import Scores
    from core.assessment.notebook.session import Pairs
    from core.data.dataset import Importer, Refusal
    from core.edits.perturbation import Perturbation, PerturbationCard
    from core.evaluation.report import Column, Pivot, Report, Table
    from core.evaluation.study import Input, Study, StudyData, setting
    from core.model_reference import Checkpoint, EndpointModel
    from core.results.runs.stress_run import StressRun
    from core.scoring.metric import Card, Metric
    from core.types import Sample

__all__ = [
    "Answer",
    "Card",
    "Checkpoint",
    "Column",
    "Context",
    "Edit",
    "EndpointModel",
    "ErrorType",
    "Example",
    "Importer",
    "Input",
    "Item",
    "Metric",
    "Part",
    "Perturbation",
    "PerturbationCard",
    "Pivot",
    "Question",
    "Refusal",
    "Report",
    "Score",
    "Seen",
    "Span",
    "Study",
    "StudyData",
    "Table",
    "TouchstoneError",
    "UnscorableError",
    "Verdict",
    "WordScore",
    "autoevals_scorer",
    "client",
    "close",
    "deepeval_metric",
    "evaluate",
    "evaluate_metric",
    "inspect_scorer",
    "metric",
    "mlflow_scorer",
    "perturb",
    "ragas_metric",
    "score",
    "setting",
    "study",
    "torchmetric",
]


def score(pairs: Pairs, metrics: str | Sequence[str]) -> Scores:
    """Every metric on every pair: the records that `touchstone score` writes, pair by pair.

    `pairs` are `Example`s, records or a DataFrame with `id`, `document` and `summary`; a record with `edited` or `edits`
    is two pairs, the second called `<id>/edited`; `contexts` may make the document, and `question` goes with it. One without an id is called `line-<n>`, n from 1. `metrics` are
    specs, `name` or `name[setting=value,…]`. Weights on the hub are downloaded where a metric needs them, and endpoints are
    asked within their budget.

    Gives a list of records with `id`, `metric`, `signature`, `status`, `score` (in the range and direction of the metric's
    card), `sentences` (text, score, evidence with offsets into the document in code points), `seen`, `seconds`, `device`,
    `questions`; `pandas.DataFrame(scores)` is a table, and a notebook shows it with sentence heat and evidence. A score
    that cannot be had is None, with the reason in `error` and the status "failed"; it never stops the others.

    A pair that cannot be read, as one with an empty summary, is such a failure under the id `line-<n>`.

    Raises TouchstoneError for a metric or setting that does not exist, and where no pair can be read, before anything is
    scored.
    """
    from core.assessment.notebook.scores import score_pairs

    return score_pairs(pairs, metrics)


def perturb(pairs: Pairs, kinds: str | Sequence[str] = (), *, battery: str = "", seed: int = 0) -> list[dict[str, Any]]:
    """A variant of every summary for each kind of perturbation: the records that `touchstone perturb` writes.

    Each has `edited`, the summary after the `edits`, and the `label` that it is meant to have; where the perturbation cannot
    be applied both are None, the status is "refused", and `error` says why. The same seed gives the same variants. `score`
    takes those that were made as pairs. Without kinds they are those of a `battery`, its name or file, by default
    "touchstone-1"; further kinds join as in "touchstone-1+number[most=2]".

    Raises TouchstoneError for a kind or battery that does not exist and for pairs that cannot be read.
    """
    from core.assessment.notebook.studies import perturb_pairs

    return perturb_pairs(pairs, kinds, battery, seed)


def evaluate(
    pairs: Pairs,
    scores: Iterable[Mapping[str, Any]],
    *,
    label_of_1: str = "",
    by: str | None = None,
    resamples: int | None = None,
) -> NotebookReport:
    """Evaluate metrics by type of error, from scores that `score` made: the study "measures" of pairs.

    `pairs` have a `label` each (consistent or inconsistent, faithful or hallucinated, …), or an edit and the label of the
    edited summary, which makes a minimal pair. Labels of 1 and 0, yes and no, true and false need `label_of_1`, which is
    "consistent" or "inconsistent": what 1 says of a summary. `rows()` of the report holds consistency (share of minimal pairs whose sides are ordered rightly),
    ties and ROC AUC, in 0..1, with intervals of 95 % from the bootstrap by document, overall and by slice; None where a
    figure is undefined. `by` is a field as `error_type` or `domain`.

    Raises TouchstoneError where no score is of these pairs, for pairs that cannot be read, and for labels of 1 and 0
    without `label_of_1`.
    """
    return study("measures", pairs, scores=scores, label_of_1=label_of_1, by=by, resamples=resamples)


def study(  # noqa: PLR0913  # every kind of data is a keyword of its own
    name: str,
    pairs: Pairs | None = None,
    *,
    scores: Iterable[Mapping[str, Any]] = (),
    label_of_1: str = "",
    dataset: str | Sequence[str] = (),
    run: str | Path | StressRun | None = None,
    files: Sequence[str | Path] = (),
    labels: str | Path | Iterable[Mapping[str, Any]] = (),
    metrics: str | Sequence[str] = (),
    by: str | None = None,
    resamples: int | None = None,
    **settings: str | int | float | bool,
) -> NotebookReport:
    """Run a study: the report that `touchstone study NAME` prints, with its tables, charts and sentences.

    A study takes scored summaries (`pairs` with the `scores` that `score` made of them, or a `dataset` of the database), a
    stress `run` or its file, or both, or `files` of another command; `touchstone study --help` lists them, `touchstone study NAME --help` the settings. `by` is
    the field whose values are slices, `metrics` those to look at, `resamples` 10,000, or fewer for more than 5,000 summaries.
    `label_of_1` is as of `evaluate`. `labels`, a file or records with id, label and where known selection_probability, stand in place of those of the data in
    the studies prevalence, label-plan and drift. A `dataset` is NAME, the newest version, or NAME@2 or NAME@TAG.

    A notebook shows the report; `rows(table)` gives a table for pandas, `table(name).figure(column, metric=…)` one figure with
    its interval, `record()` what `--json` prints, and `save(file)` writes any form by the ending of the file.

    Raises TouchstoneError for a study or setting that does not exist, and for data that give no figure, with what to do.
    """
    from annotations.exchange.labelled_items import load_items
    from annotations.exchange.samples import dataset_references, load_samples, load_sentence_scores
    from annotations.store.store import Store
    from core.assessment.notebook.reports import run_study, study_data, with_pool_labels
    from core.assessment.notebook.session import read_labelled_pairs
    from core.evaluation.study import STUDIES, Input
    from core.settings import Settings

    def load(stored: str) -> list[Sample]:
        with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
            return load_samples(store, stored)

    datasets = [dataset] if isinstance(dataset, str) else list(dataset)
    if datasets:
        with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
            datasets = dataset_references(store, datasets)
    items = read_labelled_pairs(pairs, label_of_1) if pairs is not None else []
    data = replace(study_data(items, scores, datasets, run, by, load), files=tuple(map(Path, files)))
    if datasets and data.cases is not None and Input.SENTENCES in STUDIES.get(name).may_take:
        with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
            stored_scores = load_sentence_scores(store, *data.cases.score_keys)
        data = replace(data, sentence_scores={**data.sentence_scores, **stored_scores})
    if datasets and Input.ITEMS in STUDIES.get(name).takes:
        with closing(Store.open(Settings.read().database_url, read_only=True)) as store:
            data = replace(data, items={**data.items, **{stored: load_items(store, stored) for stored in datasets}})
    specs = [metrics] if isinstance(metrics, str) else list(metrics)
    if labels:
        data = with_pool_labels(data, labels, specs)
    return run_study(name, settings, data, metrics=specs, resamples=resamples)


def inspect_scorer(metric: str, *, document: str = "document") -> Scorer:
    """A scorer of inspect_ai (0.3): the score of the model's output as a summary of the document in the sample's metadata.

    `document` is the key in the metadata. The explanation lists the sentences with their scores, the metadata hold the
    signature and the evidence. A score that cannot be had is unscored, with the reason, and is not in the mean.

    Raises TouchstoneError for a metric that does not exist, ImportError without inspect_ai; a sample without the document
    ends with a TouchstoneError.
    """
    from core.assessment.integrations.inspect_scorer import consistency

    return consistency(metric, document)


def evaluate_metric(metric: str) -> EvaluateMetric:
    """A metric of Hugging Face's evaluate (0.4): `compute(predictions=summaries, references=documents)`.

    Gives `score` (the mean of those that there are, None without any), `scores` (None for one that failed), `failed` (their
    number) and `signatures`. `evaluate.combine` and an `evaluate.evaluator` take it as any other.

    Raises TouchstoneError for a metric that does not exist, ImportError without evaluate.
    """

    from core.assessment.integrations.evaluate_metric import EvaluateMetric

    return EvaluateMetric(metric)


def torchmetric(metric: str) -> TorchMetric:
    """A metric of torchmetrics (1): `update(summaries, documents)`, `compute()`, `forward`, also over several processes.

    `compute` gives the mean of the scores that there are, a float64 of shape (), nan without any; `failed` counts the others.
    `higher_is_better` is None for a metric that has no better side.

    Raises TouchstoneError for a metric that does not exist, ImportError without torchmetrics.
    """

    from core.assessment.integrations.torchmetrics_metric import TorchMetric

    return TorchMetric(metric)


def deepeval_metric(metric: str, *, threshold: float = 0.5) -> DeepEvalMetric:
    """A metric of DeepEval (4): the score of `actual_output` as a summary of the `context`, or else the `retrieval_context`.

    It is successful from the `threshold` on, and where lower is better up to it. `reason` lists the sentences with their scores,
    `evaluation_model` is the signature.

    Raises TouchstoneError for a metric that does not exist, ImportError without deepeval; a score that cannot be had ends in a
    TouchstoneError with the reason.
    """

    from core.assessment.integrations.deepeval_metric import DeepEvalMetric

    return DeepEvalMetric(metric, threshold)


def ragas_metric(metric: str) -> RagasMetric:
    """A metric of RAGAS (0.4): `score(response=summary, retrieved_contexts=[document])`, also `ascore` and in batches.

    `value` of the result is nan where there is no score, with the reason in `reason`; else that lists the sentences with their
    scores, and the signature.

    Raises TouchstoneError for a metric that does not exist, ImportError without ragas.
    """

    from core.assessment.integrations.ragas_metric import RagasMetric

    return RagasMetric(metric)


def autoevals_scorer(metric: str) -> AutoevalsScorer:
    """A scorer of autoevals (0.4): `eval(output=summary, expected=document)`, or the document as `input`.

    `score` is None, which is skipped, where there is none, with the reason in the metadata; else those hold signature and
    sentences.

    Raises TouchstoneError for a metric that does not exist, or whose score is not from 0 to 1 with higher as better;
    ImportError without autoevals.
    """
    from core.assessment.integrations.autoevals_scorer import AutoevalsScorer

    return AutoevalsScorer(metric)


def mlflow_scorer(metric: str, *, document: str = "document") -> MlflowScorer:
    """A scorer of MLflow (3) for `mlflow.genai.evaluate`: the score of the outputs as a summary of the document in the inputs.

    `document` is its key. The rationale lists the sentences with their scores, the metadata hold the signature; a score that cannot
    be had is an error with the reason.

    Raises TouchstoneError for a metric that does not exist and for inputs without the document, ImportError without mlflow.
    """
    from core.assessment.integrations.mlflow_scorer import consistency

    return consistency(metric, document)


def client(server: str, token: str) -> CampaignClient:
    """A client of the HTTP API of a shared server: campaigns, items, labels, progress, people and the state of campaigns.

    `server` is its address, `token` one that a manager makes on Campaigns, People, or with `touchstone people token`. Its methods
    raise TouchstoneError with what the server says; what is written is written once, also where it has to be sent again.
    """
    from core.assessment.notebook.client import CampaignClient

    return CampaignClient(server, token)


def close() -> None:
    """Drop the models from memory; the next call opens an engine again, by the settings of then."""
    from core.assessment.notebook.session import close as close_session

    close_session()


def __getattr__(name: str) -> Any:
    """The contracts of plug-ins, which only those need that write one, and the plug-in of pytest, which its entry point names."""
    if name == "pytest_plugin":
        from core.assessment.integrations import pytest_plugin

        return pytest_plugin
    if name in {"Card", "Metric"}:
        from core.scoring.metric import Card, Metric

        return {"Card": Card, "Metric": Metric}[name]
    if name in {"Checkpoint", "EndpointModel"}:
        from core.model_reference import Checkpoint, EndpointModel

        return {"Checkpoint": Checkpoint, "EndpointModel": EndpointModel}[name]
    if name in {"Perturbation", "PerturbationCard"}:
        from core.edits.perturbation import Perturbation, PerturbationCard

        return {"Perturbation": Perturbation, "PerturbationCard": PerturbationCard}[name]
    if name in {"Importer", "Refusal"}:
        from core.data.dataset import Importer, Refusal

        return {"Importer": Importer, "Refusal": Refusal}[name]
    if name in {"Column", "Input", "Pivot", "Report", "Study", "StudyData", "Table", "setting"}:
        from core.evaluation import report, study

        return getattr(study if name in {"Input", "Study", "StudyData", "setting"} else report, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """The command `touchstone`: what `python cli.py` is in a checkout."""
    from cli import main as run

    run()
