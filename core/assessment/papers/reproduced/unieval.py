"""UniEval (Zhong et al. 2022): correlations of its released scores with people, by task and aspect."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from core.assessment.papers.paper import PAPERS, Computation, DataFile, Figures, Paper, ReleasedData
from core.evaluation import metric_correlations
from core.results import draw_resamples

_FROM = "https://github.com/maszhongming/UniEval, reproduce/unieval_predict"
_COEFFICIENTS = ("Pearson", "Spearman", "Kendall")
_CONSISTENCY = ("consistency",)
_DATA_TO_TEXT = ("naturalness", "informativeness", "overall")
_DIALOGUE = ("naturalness", "coherence", "engagingness", "groundedness", "understandability", "overall")


def _result(task: str, folder: str) -> DataFile:
    return DataFile("unieval", f"unieval/{task}_result.json", f"copy {folder}/{task}_result.json of {_FROM}")


_TASKS = {
    "QAGS-CNN/DM": (_result("qags_cnndm", "fact"), _CONSISTENCY),
    "QAGS-XSum": (_result("qags_xsum", "fact"), _CONSISTENCY),
    "Topical-Chat": (_result("topical_chat", "dialogue"), _DIALOGUE),
    "SFRES": (_result("sfres", "data2text"), _DATA_TO_TEXT),
    "SFHOT": (_result("sfhot", "data2text"), _DATA_TO_TEXT),
}
"""By the paper's name of a task, its file and the aspects that were rated."""


@PAPERS.add
class UniEvalPaper(Paper):
    """Released scores against released ratings, over all records of a task."""

    name: ClassVar[str] = "unieval"
    data: ClassVar[tuple[DataFile, ...]] = tuple(file for file, _ in _TASKS.values())
    by: ClassVar[str | None] = "domain"

    def computations(self) -> Mapping[str, Computation]:
        return {task: partial(_correlations, *arguments) for task, arguments in _TASKS.items()}


def _correlations(file: DataFile, aspects: tuple[str, ...], data: ReleasedData) -> Figures:
    cases = data.cases(file)
    resamples = draw_resamples(cases, 1)
    return {
        (aspect, name): value
        for aspect in aspects
        for row in metric_correlations(cases, aspect, resamples, names=_COEFFICIENTS)
        if row.metric == f"UniEval {aspect}"
        for name in _COEFFICIENTS
        if (value := row.figures[name].estimate.value) is not None
    }
