"""How many times as fast a metric is here as a plain padded loop, on the same random weights, in CPU seconds of one thread.

`python -m tests.load.plain_loops METRIC [--size small] [--repeats 3] [--sentences 5]` prints it for a first score, for an edit of
each sentence and for 20 pairs on 5 documents. The loop is as the authors write theirs: questions in the order asked, batches of
their size padded to the longest (AlignScore's and FactCC's to 512 tokens), whole heads, and nothing remembered.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from core.bench.comparison import MetricComparison
from core.bench.network_shapes import parse_sizes
from core.bench.recipes import prepare_metric
from core.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool
from core.models.model import Row
from core.models.network import pad_batch, segment_types
from core.types import Checkpoint, Example, Question

BATCH_ROWS = {
    "alignscore-base": 32,
    "bartscore": 4,
    "coco": 4,
    "factcc": 1,
    "hhem": 1_000_000,
    "minicheck-deberta": 16,
    "minicheck-flan-t5": 16,
    "minicheck-roberta": 16,
    "semantic-similarity": 32,
    "summac-conv": 512,
    "summac-zs": 512,
    "unieval-fact": 8,
    "unieval-sum": 8,
}
"""The batch sizes of the authors' code, by metric."""
PADDED_TO = {"alignscore-base": 512, "factcc": 512}
_PAIRS, _DOCUMENTS, _SET_WORDS = 20, 5, 500


def plain_loop(model: Any, metric: str, questions: Sequence[Question]) -> None:
    """One forward pass after the other over the questions of one model."""
    size = BATCH_ROWS[metric]
    with torch.no_grad():
        for start in range(0, len(questions), size):
            rows = model.encode(questions[start : start + size])
            _PASSES.get(questions[0].weights.kind, _encoder_pass)(model._network, rows, PADDED_TO.get(metric, 0))


def _likelihood_pass(network: Any, rows: Sequence[Row], _width: int) -> None:
    ids, mask, _ = pad_batch([row.payload[0] for row in rows], network)
    labels, _, _ = pad_batch([row.payload[1] for row in rows], network)
    logits = network(input_ids=ids, attention_mask=mask, labels=labels).logits.view(-1, network.config.vocab_size)
    torch.nn.NLLLoss(reduction="none", ignore_index=1)(torch.nn.LogSoftmax(dim=1)(logits), labels.view(-1))


def _choice_pass(network: Any, rows: Sequence[Row], _width: int) -> None:
    ids, mask, _ = pad_batch([row.payload[0] for row in rows], network)
    written = torch.zeros((len(rows), 1), dtype=torch.long)
    network(input_ids=ids, attention_mask=mask, decoder_input_ids=written).logits.softmax(-1)


def _encoder_pass(network: Any, rows: Sequence[Row], width: int) -> None:
    ids, mask, types = pad_batch([row.payload[0] for row in rows], network)
    more = max(0, width - ids.shape[1])
    ids = torch.nn.functional.pad(ids, (0, more), value=network.config.pad_token_id)
    mask, types = torch.nn.functional.pad(mask, (0, more)), torch.nn.functional.pad(types, (0, more))
    network(input_ids=ids, attention_mask=mask, **segment_types(network, types))


_PASSES = {"seq2seq_likelihood": _likelihood_pass, "seq2seq_choice": _choice_pass}


class Race:
    """The engine and the loop on the same models."""

    def __init__(self, metric: str, comparison: MetricComparison) -> None:
        self._metric = metric
        self._comparison = comparison
        self._speedups: dict[str, list[float]] = {}

    def run(self, repeats: int, sentences: int) -> dict[str, float]:
        """The median speedup of each workload."""
        for number in range(1, repeats + 1):
            self._first_and_edits(number, sentences)
            self._set(f"{_PAIRS} pairs on {_DOCUMENTS} documents", number, sentences)
        return {name: statistics.median(values) for name, values in self._speedups.items()}

    def _first_and_edits(self, number: int, sentences: int) -> None:
        base = make_pair(number, 1000, sentences)
        first = _cpu_seconds(lambda: self._comparison.engine([base]))
        edits = {}
        for place in reversed(range(sentences)):
            edited = make_pair(number, 1000, sentences, place)
            edits[f"edit of sentence {place + 1}"] = _cpu_seconds(lambda one=edited: self._comparison.engine([one]))
        theirs = self._loop([base])
        for name, seconds in {"first score": first, **edits}.items():
            self._speedups.setdefault(name, []).append(theirs / seconds)

    def _set(self, name: str, number: int, sentences: int) -> None:
        pairs = make_pairs_sharing_documents(1000 * number, _DOCUMENTS, _PAIRS, _SET_WORDS, sentences)
        ours = _cpu_seconds(lambda: self._comparison.engine(pairs))
        self._speedups.setdefault(name, []).append(self._loop(pairs) / ours)

    def _loop(self, examples: Iterable[Example]) -> float:
        by_model: dict[Checkpoint, list[Question]] = {}
        for question in (one for example in examples for one in self._comparison._trace(example)):
            by_model.setdefault(question.weights, []).append(question)
        seconds = 0.0
        for checkpoint, questions in by_model.items():
            with self._comparison._pool.lease(checkpoint) as model:
                seconds += _cpu_seconds(lambda model=model, some=questions: plain_loop(model, self._metric, some))
        return seconds


def _cpu_seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metric", choices=sorted(BATCH_ROWS))
    parser.add_argument("--size", default="small")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=5)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        metric, shapes = prepare_metric(
            asked.metric, parse_sizes([asked.size]), sentence_pool(), Path(folder) / "models"
        )
        with closing(MetricComparison(metric, "cpu", 1.0, Path(folder) / "cache")) as comparison:
            torch.set_num_threads(1)
            comparison.warm_up(make_pair(0, 300, 3))
            for name, speedup in Race(asked.metric, comparison).run(asked.repeats, asked.sentences).items():
                sys.stdout.write(f"{asked.metric} {', '.join(shapes)} {name}: {speedup:.2f} ×\n")


if __name__ == "__main__":
    main()
