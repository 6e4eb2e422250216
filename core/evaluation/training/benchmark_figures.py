"""The imported benchmarks of a hardened metric, of whose documents it learned nothing, beside the same training without the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.evaluation.training.card import DIFFERENCE, PAIR_SHARE, RESAMPLES, WITHOUT, CardFigure
from core.stats import (
    LabelledScores,
    Resamples,
    ScorePairs,
    Values,
    auc,
    compare_paired,
    consistency_share,
    markdown_table,
    number_documents,
)
from core.types import Example, Item, Verdict

Benchmarks = Mapping[str, Sequence[Item]]
_AUC = "AUC"


def judged_examples(benchmarks: Benchmarks) -> list[Example]:
    """The texts of all benchmarks, in their order."""
    return [item.example for items in benchmarks.values() for item in items]


def benchmark_figures(benchmarks: Benchmarks, before: Values, after: Values) -> list[CardFigure]:
    """AUC of the labels and share of minimal pairs in order, of each benchmark that has them, hardened and without the run.

    Scores are those of `judged_examples`, (examples,), nan where there is none; documents are resampled.
    """
    figures: list[CardFigure] = []
    start = 0
    for name, items in benchmarks.items():
        of_name = slice(start, start + len(items))
        start += len(items)
        scored = ((after[of_name], name), (before[of_name], f"{name}{WITHOUT}"))
        documents = number_documents([item.example.document] for item in items)
        labelled = np.array([item.intended in (Verdict.CONSISTENT, Verdict.INCONSISTENT) for item in items], dtype=bool)
        labelled &= ~(np.isnan(before[of_name]) | np.isnan(after[of_name]))
        consistent = np.array([item.intended is Verdict.CONSISTENT for item in items], dtype=bool)
        if len(set(consistent[labelled].tolist())) < 2:
            continue
        draws = Resamples.draw(int(documents.max()) + 1, RESAMPLES)
        hardened, plain = (
            draws.of(auc(LabelledScores(scores[labelled], consistent[labelled], documents[labelled])))
            for scores, _ in scored
        )
        figures += [
            CardFigure(name, _AUC, hardened.estimate()),
            CardFigure(f"{name}{WITHOUT}", _AUC, plain.estimate()),
            CardFigure(f"{name}, above the same{WITHOUT}", DIFFERENCE, compare_paired(hardened, plain).difference),
        ]
        places = {item.example.id: place for place, item in enumerate(items) if consistent[place]}
        pairs = [
            (places[item.parent], place)
            for place, item in enumerate(items)
            if item.parent in places and item.intended is Verdict.INCONSISTENT
        ]
        if pairs:
            originals, edited = np.array(pairs).T
            for scores, of in scored:
                share = consistency_share(ScorePairs(scores[originals], scores[edited], documents[edited]))
                figures.append(CardFigure(of, PAIR_SHARE, draws.estimate(share)))
    return figures


def benchmark_section(benchmarks: Benchmarks, figures: Sequence[CardFigure]) -> str:
    """The part of the card on benchmarks: the figures, and which ones were kept apart."""
    if not benchmarks:
        return "\nNo benchmark is imported here to keep apart and to judge by.\n"
    estimates = {(figure.of, figure.measure): figure for figure in figures}
    rows = []
    for name, items in benchmarks.items():
        for measure in (_AUC, PAIR_SHARE):
            if (name, measure) not in estimates:
                continue
            hardened, plain = estimates[name, measure], estimates[f"{name}{WITHOUT}", measure]
            above = estimates[f"{name}, above the same{WITHOUT}", DIFFERENCE].text if measure == _AUC else ""
            counts = [str(hardened.estimate.n), str(hardened.estimate.documents)]
            rows.append([name, measure, plain.text, hardened.text, above, *counts])
        if (name, _AUC) not in estimates:
            remark = f"{len(items)} texts of documents that nothing was learned from, not of both labels"
            rows.append([name, remark, "", "", "", "", ""])
    heads = ["benchmark", "measure", "without the run", "hardened", "difference", "n", "documents"]
    return f"""
No document of {", ".join(benchmarks)} was learned from by its labels or in the run, nor one that is nearly the same. On them:

{markdown_table(heads, rows)}
"""
