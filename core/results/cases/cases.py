"""Samples of one dataset or several as arrays: labels, documents, minimal pairs, and one column of scores for each metric."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.base import Profile
from core.errors import TouchstoneError, UnknownNameError
from core.results.cases.code_versions import newest_code_only
from core.scoring import METRICS, metric_title
from core.stats import SELECTION_PROBABILITY, Mask, Numbers, Values, number_documents
from core.text import count_unverified
from core.types import Direction, Example, Sample, Split, Verdict

_LABEL_VALUES: dict[Verdict | None, float] = {Verdict.CONSISTENT: 1.0, Verdict.INCONSISTENT: 0.0}
_DIRECTIONS: dict[str, Direction] = {"higher": "higher", "lower": "lower", "neutral": "neutral"}


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumn:
    """The scores of one metric, (samples,), nan where there is none; `failed` of them for a reason that was kept.

    `signature` is empty for scores that the authors of a dataset released: these are higher where more consistent.
    `scales`, (samples,), numbers the scale of each score; None where all are on one.
    """

    name: str
    values: Values
    direction: Direction = "higher"
    signature: str = ""
    failed: int = 0
    scales: Numbers | None = None

    @property
    def released(self) -> bool:
        return not self.signature


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Samples in rows, with their labels, their pairs and the scores of each metric."""

    samples: Sequence[Sample]
    """The samples, one for each row."""
    labels: Values
    """1 consistent, 0 inconsistent, nan neither, (samples,)."""
    documents: Numbers
    """Number of the document, (samples,): the bootstrap keeps samples of one document together."""
    pairs: Numbers
    """Rows of the faithful and the broken side of each minimal pair, (pairs, 2); without borderline ones."""
    harmless: Numbers
    """Rows of an original and its edit that are both consistent, (pairs, 2); without borderline ones."""
    columns: tuple[MetricColumn, ...]
    """Scores of each metric on one scale."""
    development: Mask
    """True for samples on which thresholds are chosen, (samples,)."""
    warnings: tuple[str, ...] = ()
    """Sentences on scores that were left out or are unverified for their language, and on datasets that overlap."""
    unfinished: tuple[str, ...] = ()
    """Sentences on metrics that have scored a dataset in part: their figures are not final."""
    separate: tuple[MetricColumn, ...] = ()
    """Metrics on several scales, which have figures in slices of one scale only."""
    probabilities: Values | None = None
    """Probability of selection for a label, (samples,), nan where it was not stored; None if no sample has one."""

    @property
    def all_columns(self) -> tuple[MetricColumn, ...]:
        """Every metric, those on several scales last."""
        return (*self.columns, *self.separate)

    @property
    def score_keys(self) -> tuple[list[str], list[str]]:
        """The ids of the stored texts, and the signatures of the columns, under which a database has more of the scores."""
        stored = dict.fromkeys(sample.stored for sample in self.samples if sample.stored)
        return list(stored), [column.signature for column in self.all_columns if column.signature]

    @property
    def clusters(self) -> int:
        return int(self.documents.max()) + 1 if len(self.documents) else 0

    @property
    def paired(self) -> bool:
        """True if every labelled summary is a side of a minimal pair."""
        sides = np.isin(np.arange(len(self.samples)), self.pairs)
        return bool(len(self.pairs)) and not np.any(~sides & ~np.isnan(self.labels))


def build_cases(samples: Sequence[Sample]) -> Cases:
    """Samples of one dataset or several; see `core.results.cases.pooling` for the scales of released scores."""
    samples, code_warnings = newest_code_only(samples)
    edited = {(sample.dataset, sample.item.parent) for sample in samples if sample.item.parent}
    keys = ((sample.dataset, sample.item.example.id) for sample in samples)
    places = {key: place for place, key in enumerate(keys) if key in edited}
    parents = np.array(
        [places.get((sample.dataset, sample.item.parent or ""), -1) for sample in samples], dtype=np.intp
    )
    labels = np.array([_LABEL_VALUES.get(sample.item.intended, np.nan) for sample in samples], dtype=np.float64)
    borderline = np.array([sample.item.intended is Verdict.BORDERLINE for sample in samples], dtype=np.bool_)
    pairs, harmless = link_edits(labels, borderline, parents)

    directions = read_directions({score.metric for sample in samples for score in sample.kept})
    released: dict[str, Values] = defaultdict(lambda: np.full(len(samples), np.nan))
    for place, sample in enumerate(samples):
        for score in sample.item.scores:
            released[score.metric][place] = score.value
    probabilities = released.pop(SELECTION_PROBABILITY, None)  # stored as a score of the sample, and no metric's
    return Cases(
        samples=tuple(samples),
        labels=labels,
        documents=number_documents(_document_marks(sample) for sample in samples),
        pairs=pairs,
        harmless=harmless,
        development=np.array([sample.item.split is Split.DEV for sample in samples], dtype=np.bool_),
        columns=(
            *[MetricColumn(name, values) for name, values in released.items()],
            *_own_columns(samples, directions),
        ),
        warnings=(
            *code_warnings,
            *left_out_metrics(directions),
            *_language_warnings(samples, directions),
            *borderline_warnings(borderline),
        ),
        unfinished=tuple(_unfinished_sentences(samples, directions)),
        probabilities=probabilities,
    )


def link_edits(labels: Values, borderline: Mask, parents: Numbers) -> tuple[Numbers, Numbers]:
    """The rows of the minimal pairs and of the harmless edits, (pairs, 2) each, as `Cases` has them.

    `parents`, (samples,), is the row of what a sample is an edit of, -1 of one that is none.
    """
    edited = np.flatnonzero((parents >= 0) & ~borderline)
    edited = edited[~borderline[parents[edited]]]
    origins = parents[edited]
    # the faithful and the broken side; an original without a label counts as faithful to its broken edit
    forward = labels[edited] == 0
    either = forward | (labels[origins] == 0)
    good, bad = np.where(forward, origins, edited)[either], np.where(forward, edited, origins)[either]
    opposed = (labels[bad] == 0) & (labels[good] != 0)
    harmless = (labels[edited] == 1) & (labels[origins] != 0)
    return np.column_stack([good[opposed], bad[opposed]]), np.column_stack([origins[harmless], edited[harmless]])


def read_directions(specs: Iterable[str]) -> dict[str, str]:
    """The direction of each metric, or why its scores are left out: it was removed, or its settings have changed."""
    directions = {}
    for spec in sorted(specs):
        try:
            directions[spec] = str(METRICS.parse(spec).card.direction)
        except TouchstoneError as error:
            message = str(error).partition(" Known: ")[0]  # nobody typed the name: the list of all others is no help
            directions[spec] = f"The kept scores of {spec} are left out. {message}"
    return directions


def borderline_warnings(borderline: Mask) -> list[str]:
    """The number of summaries whose label is neither side, where there are any: no figure that compares the sides counts them."""
    number = int(np.count_nonzero(borderline))
    if not number:
        return []
    return [
        f"Of {len(borderline):,} summaries {number:,} {'is' if number == 1 else 'are'} labelled borderline, neither consistent nor "
        "inconsistent: AUC, consistency and thresholds are of the others."
    ]


def left_out_metrics(directions: Mapping[str, str]) -> list[str]:
    """The reasons among these directions."""
    return [sentence for sentence in directions.values() if sentence not in _DIRECTIONS]


def select_metrics(cases: Cases, names: Sequence[str]) -> Cases:
    """The same cases with the columns of these metrics only. Raises UnknownNameError for one that has no score."""
    columns = {column.name: column for column in cases.all_columns}
    for name in names:
        if name not in columns:
            raise UnknownNameError("metric with scores here", name, columns)
    selected, separate = (
        tuple(column for column in of if column.name in names) for of in (cases.columns, cases.separate)
    )
    return replace(cases, columns=selected, separate=separate)


def select_paper_metrics(cases: Cases, profile: Profile) -> Cases:
    """The same with the released scores, and of ours those in the paper's form. Raises TouchstoneError where there are none of either."""
    names = [column.name for column in cases.all_columns if column.released or profile.marks(column.signature)]
    if not names:
        raise TouchstoneError(
            f"No score was released or made in paper mode. Make some: cli.py score-dataset NAME --metric rouge2@{profile.name}"
        )
    return select_metrics(cases, names)


def _document_marks(sample: Sample) -> list[object]:
    """Its group in its dataset, and its text in any; a sample that has neither has a document of its own."""
    group = [(sample.dataset, sample.item.group)] if sample.item.group else []
    return [*group, *([sample.document] if sample.document else [])]


def _language_warnings(samples: Sequence[Sample], directions: Mapping[str, str]) -> list[str]:
    """Sentences on how many scores of each metric of ours are of summaries in a language that it is not for."""
    scored: dict[str, list[Example]] = defaultdict(list)
    for sample in samples:
        for spec in {score.metric for score in sample.kept if score.value is not None}:
            scored[spec].append(sample.item.example)
    return [
        sentence
        for spec, examples in sorted(scored.items())
        if directions[spec] in _DIRECTIONS
        for sentence in count_unverified(spec, METRICS.parse(spec).verified_languages, examples)
    ]


def _unfinished_sentences(samples: Sequence[Sample], directions: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each metric and dataset of which some texts have neither a score nor a failure, and others have."""
    texts: dict[str, set[str]] = defaultdict(set)
    scored: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sample in samples:
        if sample.stored:
            texts[sample.dataset].add(sample.stored)
        for score in sample.kept:
            scored[score.metric, sample.dataset].add(sample.stored)
    for (spec, dataset), done in sorted(scored.items()):
        if directions[spec] in _DIRECTIONS and (missing := len(texts[dataset] - done)):
            have, them = ("has", "it") if missing == 1 else ("have", "them")
            yield (
                f"{metric_title(spec)} is not finished on {dataset}: {missing} of {len(texts[dataset])} summaries {have} no score "
                f"yet, and its figures will move with {them}."
            )


def _own_columns(samples: Sequence[Sample], directions: Mapping[str, str]) -> list[MetricColumn]:
    """A column for each signature: scores of two settings, checkpoints or versions are never mixed in one."""
    values: dict[tuple[str, str], Values] = defaultdict(lambda: np.full(len(samples), np.nan))
    failed: Counter[str] = Counter()
    for place, sample in enumerate(samples):
        for score in sample.kept:
            if score.value is None:
                failed[score.metric] += 1
            else:
                values[score.metric, score.signature][place] = score.value
    return own_columns(values, failed, directions, {score.metric for sample in samples for score in sample.item.scores})


def own_columns(
    values: Mapping[tuple[str, str], Values],
    failed: Mapping[str, int],
    directions: Mapping[str, str],
    released: Container[str] = (),
) -> list[MetricColumn]:
    """The columns of scores by spec and signature, with the number of `failed` of each spec; those left out have none.

    A metric that is `released` too is called ours.
    """
    # the spec of each signature, numbered from the second on, the one with the most scores first
    order = sorted(values, key=lambda key: (key[0], -int(np.sum(~np.isnan(values[key]))), key[1]))
    seen: Counter[str] = Counter()
    names: dict[tuple[str, str], str] = {}
    for key in order:
        seen[key[0]] += 1
        number = f" ({seen[key[0]]})" if seen[key[0]] > 1 else ""
        names[key] = f"{key[0]}{' (ours)' if key[0] in released else ''}{number}"
    return [
        MetricColumn(name, values[key], _DIRECTIONS[directions[key[0]]], key[1], failed.get(key[0], 0))
        for key, name in names.items()
        if directions[key[0]] in _DIRECTIONS
    ]
