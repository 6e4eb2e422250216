"""The stress test of long documents (Mujahid et al. 2025, arXiv 2511.07689): the sizes of its data, and how far people agree on such summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from core.assessment.papers.longdoc_scores import (
    CHECK,
    KINDS,
    OURS,
    ItemsOf,
    contradiction_rates,
    perturbed_means,
    table_metric,
    window_means,
)
from core.assessment.papers.paper import (
    PAPERS,
    Computation,
    DataFile,
    EndpointWork,
    Paper,
    ReleasedData,
    by_row,
)
from core.assessment.papers.published import read_published
from core.evaluation import annotator_agreements, dataset_statistics
from core.results import build_cases, draw_resamples
from core.scoring import NLI_CHECKS, Metric, NliCheck
from core.types import Item, Sample

_SQUALITY = DataFile(
    "squality", "squality/dev.jsonl", "copy data/v1-3/txt/dev.jsonl of https://github.com/nyu-mll/SQuALITY"
)
_SQUALITY_TEST = DataFile(
    "squality", "squality/test.jsonl", "copy data/v1-3/txt/test.jsonl of https://github.com/nyu-mll/SQuALITY"
)
_SCHOLAR = DataFile(
    "scholarqabench",
    "scholarqabench/human_answers.json",
    "copy scholarqa_multi/human_answers.json of https://github.com/AkariAsai/ScholarQABench",
)
_LEXABSUMM = DataFile("lexabsumm", "lexabsumm", "download MahmoudAly/LexAbSumm from the Hugging Face hub")
_LONGSCIVERIFY = "https://github.com/jbshp/LongDocFACTScore, data/human_eval_results/LongSciVerify"


def _reviewed(corpus: str) -> DataFile:
    return DataFile(
        "longsciverify",
        f"longsciverify/{corpus}_reviewer_1.csv",
        f"copy {corpus}_reviewer_*.csv of {_LONGSCIVERIFY}",
    )


_DATASETS = {"SQuALITY, dev": _SQUALITY, "ScholarQABench, multi": _SCHOLAR, "LexAbSumm": _LEXABSUMM}
_REWRITES, _PROMPT_TOKENS = 7, 60  # of each summary; of the instruction of a rewrite
_CORPORA = {"PubMed": "pubmed", "arXiv": "arxiv"}
_UNITS = {"sentences, nominal": ("sentence", "nominal"), "summaries, interval": ("summary mean", "interval")}


@PAPERS.add
class LongDocPaper(Paper):
    """Counts, lengths and agreement; the scores of tables 1 and 3 to 6 with the weights of six metrics and an endpoint that rewords."""

    name: ClassVar[str] = "longdoc"
    data: ClassVar[tuple[DataFile, ...]] = (*_DATASETS.values(), _SQUALITY_TEST, *map(_reviewed, _CORPORA.values()))
    kinds: ClassVar[Mapping[str, Mapping[str, str]]] = {"Tables 4 to 6: mean scores": KINDS}
    score_tables: ClassVar[tuple[str, ...]] = ("6", "5", "4")

    def metrics(self) -> Sequence[Metric]:
        return [table_metric(name) for name in OURS]

    def metric_rows(self) -> Mapping[str, str]:
        return {table_metric(name).spec: name for name in OURS}

    def checks(self) -> Sequence[NliCheck]:
        return [NLI_CHECKS.parse(CHECK)]

    def endpoint_work(self) -> EndpointWork:
        """Seven rewrites of the summaries of table 2, one of which reads the document, and MiniCheck of all of them."""
        used = read_published(self.name).table("2").rows.values()
        questions = read = written = 0
        for examples, sentences, summary, _, document in used:
            texts = int(examples or 0)
            questions += texts * (_REWRITES + (1 + _REWRITES) * round(sentences or 0))
            read += texts * round(_REWRITES * (_PROMPT_TOKENS + (summary or 0)) + (document or 0))
            read += texts * round((1 + _REWRITES) * (sentences or 0) * (document or 0))
            written += texts * round(_REWRITES * (summary or 0) + (1 + _REWRITES) * (sentences or 0))
        return EndpointWork(questions, read, written)

    def computations(self) -> Mapping[str, Computation]:
        return {
            "1": partial(window_means, _USED),
            # lengths of the texts that the tables are computed from here, which are the paper's for SQuALITY alone
            "2": partial(by_row, {name: partial(_lengths_of, name, items_of) for name, items_of in _USED.items()}),
            "3": partial(contradiction_rates, _USED),
            "4": partial(perturbed_means, "LexAbSumm", _USED["LexAbSumm"]),
            "5": partial(perturbed_means, "ScholarQABench", _USED["ScholarQABench"]),
            "6": partial(perturbed_means, "SQuALITY", _USED["SQuALITY"]),
            "sizes": partial(by_row, {row: partial(_document_counts, file) for row, file in _DATASETS.items()}),
            "LongSciVerify": partial(
                by_row, {row: partial(_review_counts, corpus) for row, corpus in _CORPORA.items()}
            ),
            "alpha": partial(by_row, {row: partial(_alphas_of, corpus) for row, corpus in _CORPORA.items()}),
        }


def _squality_items(data: ReleasedData) -> list[Item]:
    """The first of the four summaries of each question of the test split, which has the paper's sentences and tokens."""
    first: dict[tuple[str, str], Item] = {}
    for item in data.items(_SQUALITY_TEST):
        first.setdefault((item.group, item.title), item)
    return [*first.values()]


_USED: Mapping[str, ItemsOf] = {
    "ScholarQABench": lambda data: data.items(_SCHOLAR),
    "SQuALITY": _squality_items,
    "LexAbSumm": lambda data: data.items(_LEXABSUMM),
}
"""The texts of each dataset that tables 1 and 3 to 6 are computed from here."""


def _lengths_of(name: str, items_of: ItemsOf, data: ReleasedData) -> Mapping[str, float]:
    [used, *_] = dataset_statistics(name, items_of(data))
    _, summary_sentences, summary_tokens = used.summaries
    _, document_sentences, document_tokens = used.documents
    figures = {
        "examples": used.samples,
        "summary sentences": summary_sentences,
        "summary tokens": summary_tokens,
        "document sentences": document_sentences,
        "document tokens": document_tokens,
    }
    return {column: value for column, value in figures.items() if value is not None}


def _document_counts(file: DataFile, data: ReleasedData) -> Mapping[str, float]:
    items = data.items(file)
    return {
        "documents": len({item.group for item in items}),
        "questions": len({(item.group, item.title) for item in items}),
        "summaries": len(items),
    }


def _review_counts(corpus: str, data: ReleasedData) -> Mapping[str, float]:
    items = [sample.item for sample in _reviewed_samples(corpus, data)]
    judged = {
        (item.example.id, rating.sentence) for item in items for rating in item.ratings if rating.sentence is not None
    }
    return {
        "papers": len({item.group for item in items}),
        "summaries": len(items),
        "sentences": len(judged),
    }


def _alphas_of(corpus: str, data: ReleasedData) -> Mapping[str, float]:
    cases = build_cases(_reviewed_samples(corpus, data))
    alphas = {
        agreement.unit: agreement.alphas
        for agreement in annotator_agreements(cases, draw_resamples(cases, 1))
        if agreement.aspect == "factuality"
    }
    figures = {column: alphas[unit][distance].value for column, (unit, distance) in _UNITS.items()}
    return {column: value for column, value in figures.items() if value is not None}


def _reviewed_samples(corpus: str, data: ReleasedData) -> list[Sample]:
    """The importer reads every corpus of the folder."""
    return [sample for sample in data.samples(_reviewed(corpus)) if sample.item.example.id.startswith(f"{corpus}/")]
