"""Results of RAGAS, as its datasets and results are written: `user_input`, `retrieved_contexts`, `response` and a column for each metric.

Until version 0.1 `question`, `contexts` and `answer`. CSV has lists in Python's or, by way of pandas, in numpy's notation.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.datasets.formats.cells import listed_texts
from core.data.datasets.formats.known_forms import FORMS, SCORE, Form
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError

_NAMES = ({"user_input", "retrieved_contexts", "response"}, {"question", "contexts", "answer"})
_TEXTS = {
    "user_input": "question",
    "question": "question",
    "retrieved_contexts": "contexts",
    "contexts": "contexts",
    "response": "summary",
    "answer": "summary",
}
_METRICS = (
    *(
        "faithfulness",
        "answer_relevancy",
        "answer_relevance",
        "answer_correctness",
        "answer_similarity",
        "answer_accuracy",
    ),
    *("semantic_similarity", "factual_correctness", "context_precision", "context_recall", "context_entity_recall"),
    *("context_relevance", "context_relevancy", "context_utilization", "response_relevancy", "response_groundedness"),
    *("nv_", "noise_sensitivity", "summary_score", "bleu_score", "rouge_score", "chrf_score", "string_present"),
    *(
        "exact_match",
        "non_llm_",
        "llm_context_",
        "id_based_context_",
        "aspect_critic",
        "faithfulness_with_hhem",
        "harmfulness",
    ),
    *("maliciousness", "coherence", "conciseness", "entity_recall", "multi_modal_"),
)
_WORSE = frozenset({"noise_sensitivity", "harmfulness", "maliciousness"})
_GOLD = ("reference", "ground_truth", "ground_truths", "reference_contexts", "rubrics", "multi_responses")


@FORMS.add
class Ragas(Form):
    """The response is the summary of the contexts that were retrieved; the reference is nobody's and left out."""

    name = "ragas"
    title = "results of RAGAS"
    higher_is_better = True
    lower_is_better = frozenset(
        {*_WORSE, *(f"{name}_{mode}" for name in _WORSE for mode in ("relevant", "irrelevant"))}
    )

    def matches(self, rows: Sequence[Row]) -> bool:
        return any(all(names <= row.keys() for row in rows) for names in _NAMES)

    def pairs(self, row: Row) -> list[Row]:
        pair: dict[str, object] = {}
        for name, value in row.items():
            metric = name.partition("(")[0].lower()
            if name in _TEXTS:
                pair[_TEXTS[name]] = value
            elif metric.startswith(_METRICS):
                pair[f"{SCORE}{name.replace('(mode=', '_').rstrip(')')}"] = "n/a" if value in (None, "") else value
            elif name not in _GOLD:
                pair[name] = value
        contexts = listed_texts(pair["contexts"])
        if isinstance(contexts, str) and "..." in contexts:
            raise TouchstoneError(
                "The contexts were cut with … when they were written (numpy shortens long lists). Write JSON lines: to_jsonl."
            )
        return [{**pair, "contexts": contexts}]
