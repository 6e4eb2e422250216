"""Samples of several sources put together, without released scores whose scales differ between them.

Documents that a trained metric learned from are looked for: figures on these are no test of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import MappingProxyType

import numpy as np
from pydantic import ValidationError

from core.errors import TouchstoneError
from core.model_reference import local_checkpoints
from core.models import CONFIG_FILE, DOCUMENTS_FILE, HeadConfig, locate
from core.results.cases.cases import Cases, MetricColumn, build_cases
from core.scoring import METRICS, metric_title
from core.stats import Numbers, Values
from core.types import Sample

_ROUNDING = 1e-4  # of the range of scores: what releases of the same scores differ by


def scale_warning(first: Values, second: Values) -> str:
    """Reason why the scores of one metric in two sources must not be pooled; empty where they may.

    Both are (n,), scores of the same texts, nan where a source lacks one.
    """
    both = ~np.isnan(first) & ~np.isnan(second)
    x, y = first[both], second[both]
    if not len(x):
        return "The two sources share no text with a score, so nobody can tell whether their scales are the same."
    differ = np.abs(x - y) > _ROUNDING * max(np.ptp(x), np.abs(x).max())
    if not differ.any():
        return ""
    sentence = f"The two sources score {differ.sum()} of {len(x)} common texts differently"
    if np.ptp(x) != 0:
        slope, offset = np.polyfit(x, y, 1)
        if np.abs(slope * x + offset - y).max() <= _ROUNDING * np.ptp(y):
            sign = "+" if offset >= 0 else "−"
            sentence += f": the second is {slope:.4f} times the first {sign} {abs(offset):.4f}"
    return f"{sentence}. Their scores cannot be pooled."


def pool_cases(datasets: Sequence[Sequence[Sample]]) -> Cases:
    """All samples together. A released metric on different scales, or on scales that nobody can compare, is separate.

    Datasets are compared by the texts that they have in common, and so are the sources, splits and domains of one. A
    warning names what differs and says why; others name documents that datasets have in common, or that a metric learned from. Our own scores of
    a signature have one scale.
    """
    together = build_cases([sample for samples in datasets for sample in samples])
    rows: dict[str, list[int]] = defaultdict(list)
    for row, sample in enumerate(together.samples):
        if sample.stored:
            rows[sample.stored].append(row)
    repeated = [of_text for of_text in rows.values() if len(of_text) > 1]
    checks = [_check_scales(together.samples, column, repeated) for column in together.columns]
    warnings = (sentence for _, sentences in checks for sentence in sentences)
    # datasets that have documents in common: what they hold of these is no evidence of its own
    texts = {samples[0].dataset: {sample.document for sample in samples} - {""} for samples in datasets if samples}
    specs = {score.metric for sample in together.samples for score in sample.kept}
    common = [(first, second, len(texts[first] & texts[second])) for first, second in combinations(texts, 2)]
    shared_documents = [
        f"{first} and {second} have {number} documents in common, which the bootstrap draws together."
        for first, second, number in common
        if number
    ]
    return replace(
        together,
        columns=tuple(column for column, _ in checks if column.scales is None),
        separate=tuple(column for column, _ in checks if column.scales is not None),
        warnings=(
            *together.warnings,
            *training_overlaps({sample.document for sample in together.samples} - {""}, specs),
            *shared_documents,
            *warnings,
        ),
    )


_Rows = Sequence[Sequence[int]]
_Part = tuple[str, str]
"""A dataset and what divides it; "" for all of it."""

_DIVISIONS: Mapping[str, Callable[[Sample], str]] = MappingProxyType(
    {
        "source": lambda sample: sample.item.source,
        "split": lambda sample: sample.item.split or "",
        "domain": lambda sample: sample.item.domain,
    }
)
"""Fields of slices that may divide a dataset into parts of different scales."""


def _check_scales(samples: Sequence[Sample], column: MetricColumn, repeated: _Rows) -> tuple[MetricColumn, list[str]]:
    """The column with its scales, and sentences on scores that cannot be pooled or contradict each other."""
    if not column.released:
        return column, []
    for field, value in _DIVISIONS.items():
        # differences between the parts of one dataset that score a text in common
        parts = [(sample.dataset, value(sample)) for sample in samples]
        shared = _common_scores(column, parts, repeated)
        differing = {
            (part, other): scale_warning(*scores.T) for (part, other), scores in shared.items() if part[0] == other[0]
        }
        inside = [
            f"{column.name} in {part[0]}, {part[1] or 'the rest'} and {other[1] or 'the rest'}: {why} Slices by {field} keep it."
            for (part, other), why in differing.items()
            if why
        ]
        if inside:
            return replace(column, scales=_part_numbers(parts)), inside
    datasets = [(sample.dataset, "") for sample in samples]
    # differences between datasets, also where they cannot be compared
    scored = {datasets[row] for row in np.flatnonzero(~np.isnan(column.values))}
    common, none = _common_scores(column, datasets, repeated), np.zeros((0, 2))
    pairs = list(combinations(sorted(scored), 2))
    differences = [(part[0], other[0], scale_warning(*common.get((part, other), none).T)) for part, other in pairs]
    between = [
        f"{column.name} in {first} and {second}: {why} Slices by dataset keep it."
        for first, second, why in differences
        if why
    ]
    if between:
        return replace(column, scales=_part_numbers(datasets)), between
    # the datasets that score a text twice and differently, though nothing says what divides them
    numbers: Counter[str] = Counter()
    for rows in repeated:
        scores = column.values[list(rows)]
        defined = scores[~np.isnan(scores)]
        if len(defined) > 1 and np.ptp(defined) > _ROUNDING * np.abs(defined).max():
            numbers[samples[rows[0]].dataset] += 1
    return column, [
        f"{column.name} in {name} has different scores for the same text ({number} texts): its scores may be of several "
        "runs or scales. Import these under names of their own."
        for name, number in numbers.items()
    ]


def _part_numbers(parts: Sequence[_Part]) -> Numbers:
    numbers = {part: number for number, part in enumerate(dict.fromkeys(parts))}
    return np.array([numbers[part] for part in parts], dtype=np.intp)


def _common_scores(column: MetricColumn, parts: Sequence[_Part], repeated: _Rows) -> dict[tuple[_Part, _Part], Values]:
    """The scores of the texts that every two parts have in common, (texts, 2)."""
    common: dict[tuple[_Part, _Part], list[tuple[float, float]]] = defaultdict(list)
    for rows in repeated:
        scores = {parts[row]: float(column.values[row]) for row in rows if not np.isnan(column.values[row])}
        for part, other in combinations(sorted(scores), 2):
            common[part, other].append((scores[part], scores[other]))
    return {pair: np.array(scores) for pair, scores in common.items()}


_KINDS = {"word_support", "mlp"}


def training_overlaps(documents: Set[str], specs: Iterable[str]) -> Iterator[str]:
    """A starred sentence for each of these metrics that learned from some of these documents."""
    for spec in sorted(specs):
        if learned := documents & training_documents(spec):
            learning = f"★ {metric_title(spec)} learned from {len(learned)} of these {len(documents)} documents"
            if scores_out_of_fold(spec):
                yield (
                    f"{learning}. Each is scored by the part of it that did not learn from that document, so its figures are held out, "
                    "but on texts of a kind that it knows: they say little of other data."
                )
            else:
                yield f"{learning}: its figures here are no test. Leave it out, or choose data that it did not learn from."


def training_documents(spec: str) -> frozenset[str]:
    """The names of the documents that a metric was trained on here; none for any other metric, or where its folder is gone."""
    files = [folder / DOCUMENTS_FILE for folder in _folders(spec)]
    return frozenset(name for file in files if file.is_file() for name in file.read_text(encoding="utf-8").split())


def scores_out_of_fold(spec: str) -> bool:
    """True if a metric that was trained here scores the documents that it learned from by parts that did not."""
    folders = _folders(spec)
    for folder in folders:
        try:
            config = HeadConfig.model_validate_json((folder / CONFIG_FILE).read_bytes())
        except (OSError, ValidationError):  # another recipe's folder
            return False
        if not config.folds:
            return False
    return bool(folders)


def _folders(spec: str) -> list[Path]:
    try:
        models = local_checkpoints(METRICS.parse(spec).checkpoints())
        places = [locate(model) for model in models if model.kind in _KINDS]
    except TouchstoneError:  # a spec of another version, or a folder that was deleted
        return []
    return [place.parent if place.is_file() else place for place in places]
