"""How many times as fast a metric is here as a plain padded loop, on the same random weights, in seconds of one thread.

`python -m tests.load.plain_loops METRIC [--size small] [--repeats 3] [--words 1000] [--sentences 5]` prints it for a first score, for an edit of
each sentence and for pairs that share documents, four on each, in processor time and by the clock. The loop is as the authors write theirs:
questions in the order asked, batches of their size padded to the longest (AlignScore's and FactCC's to 512 tokens), whole
networks as transformers has them, and nothing remembered. What writes, parses or counts runs as here, in those batches.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from transformers.activations import GELUActivation, NewGELUActivation

from core.model_reference import Checkpoint
from core.models.networks.attention import FixedPositions
from core.models.networks.first_token import FirstTokenLayer, OneTokenAttention
from core.models.networks.linear import ActiveLinear, GatedDense, LargeLinear
from core.models.networks.model import Row
from core.models.networks.network import pad_batch, segment_types
from core.types import Example, Question
from tests.bench.comparison import MetricComparison
from tests.bench.meters import clear_model_memory
from tests.bench.network_shapes import parse_sizes
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool

BATCH_ROWS: Mapping[str, Mapping[str, int]] = {
    "alignscore-base": {"checkpoint": 32},
    "bartscore": {"checkpoint": 4},
    "bertscore": {"checkpoint": 64},
    "bertscore-minilm": {"checkpoint": 64},
    "bleurt-20": {"checkpoint": 16},
    "coco": {"checkpoint": 4},
    "dae-spacy": {"checkpoint": 1},
    "factcc": {"checkpoint": 1},
    "factcg": {"checkpoint": 32},
    "fenice": {"extractor": 256, "entailment": 256},
    "hhem": {"checkpoint": 1_000_000},
    "lettucedetect": {"checkpoint": 1},
    "longdocfactscore": {"checkpoint": 4, "encoder": 32},
    "minicheck-deberta": {"checkpoint": 16},
    "minicheck-flan-t5": {"checkpoint": 16},
    "minicheck-roberta": {"checkpoint": 16},
    "q2": {"generator": 1, "answerer": 1, "entailment": 1},
    "qafacteval": {"generator": 32, "answerer": 32, "rater": 8},
    "questeval": {"generator": 36, "answerer": 48, "encoder": 64},
    "semantic-similarity": {"checkpoint": 32},
    "summac-conv": {"checkpoint": 512},
    "summac-zs": {"checkpoint": 512},
    "unieval-fact": {"checkpoint": 8},
    "unieval-sum": {"checkpoint": 8},
}
"""The batch sizes of the authors' code by metric and by the setting that names the model; what is not named reads all at once."""
PADDED_TO = {"alignscore-base": 512, "factcc": 512}
ALONE = {"fenice": 4096}
"""The limit in tokens of texts, of a metric, that the authors' code reads one by one."""
_PAIRS_OF_DOCUMENT = 4


def plain_loop(model: Any, metric: str, questions: Sequence[Question]) -> None:
    """One forward pass after the other over the questions of one model, whose network is as transformers has it."""
    read = _PASSES.get(questions[0].weights.kind, _own_pass)
    with torch.no_grad():
        for some in _batches(metric, questions):
            clear_model_memory(model)
            read(model, model.encode(some), PADDED_TO.get(metric, 0))


def _batches(metric: str, questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    size = BATCH_ROWS[metric].get(questions[0].weights.setting, len(questions))
    alone = [one for one in questions if dict(one.options).get("limit") == ALONE.get(metric, 0)]
    yield from ([one] for one in alone)
    others = [one for one in questions if one not in alone] if alone else list(questions)
    if questions[0].weights.kind == "sentence_embedding":  # as sentence-transformers sorts them
        others.sort(key=lambda one: len(one.inputs[0]), reverse=True)
    yield from (others[start : start + size] for start in range(0, len(others), size))


def _likelihood_pass(model: Any, rows: Sequence[Row], _width: int) -> None:
    network = model._network
    ids, mask, _ = pad_batch([row.payload[0] for row in rows], network)
    labels, _, _ = pad_batch([row.payload[1] for row in rows], network)
    logits = network(input_ids=ids, attention_mask=mask, labels=labels).logits.view(-1, network.config.vocab_size)
    torch.nn.NLLLoss(reduction="none", ignore_index=1)(torch.nn.LogSoftmax(dim=1)(logits), labels.view(-1))


def _choice_pass(model: Any, rows: Sequence[Row], _width: int) -> None:
    network = model._network
    ids, mask, _ = pad_batch([row.payload[0] for row in rows], network)
    written = torch.zeros((len(rows), 1), dtype=torch.long, device=ids.device)
    network(input_ids=ids, attention_mask=mask, decoder_input_ids=written).logits.softmax(-1)


def _encoder_pass(model: Any, rows: Sequence[Row], width: int) -> None:
    network = model._network
    ids, mask, types = pad_batch([row.payload[0] for row in rows], network)
    more = max(0, width - ids.shape[1])
    ids = torch.nn.functional.pad(ids, (0, more), value=network.config.pad_token_id)
    mask, types = torch.nn.functional.pad(mask, (0, more)), torch.nn.functional.pad(types, (0, more))
    network(input_ids=ids, attention_mask=mask, **segment_types(network, types))


def _matching_pass(model: Any, rows: Sequence[Row], _width: int) -> None:
    """Every text once, the longest first, up to the layer that is compared, then every document against its summary."""
    texts = sorted(dict.fromkeys(text for row in rows for text in row.payload), key=len, reverse=True)
    network, layer = model._network, dict(rows[0].question.options)["layer"]
    whole, network.encoder.layer = network.encoder.layer, network.encoder.layer[:layer]
    ids, mask, types = pad_batch(texts, network)
    states = network(input_ids=ids, attention_mask=mask, **segment_types(network, types)).last_hidden_state
    network.encoder.layer = whole
    found = {text: torch.nn.functional.normalize(state, dim=-1) for text, state in zip(texts, states, strict=True)}
    for row in rows:
        (found[row.payload[0]] @ found[row.payload[-1]].T).max(0)


def _own_pass(model: Any, rows: Sequence[Row], _width: int) -> None:
    model.forward(rows)


_PASSES = {
    **dict.fromkeys(
        ("alignscore", "hhem", "sentence_embedding", "sequence_classifier", "sequence_regressor"), _encoder_pass
    ),
    **dict.fromkeys(("bleurt", "qa_span", "token_classifier"), _encoder_pass),
    "bertscore": _matching_pass,
    "seq2seq_choice": _choice_pass,
    "seq2seq_likelihood": _likelihood_pass,
}


def plain_model(model: Any) -> Any:
    """The model with its network as transformers has it: every layer whole, no positions that are projected once, and products of PyTorch."""
    plain = copy.copy(model)
    if hasattr(model, "_network"):
        plain._network = copy.deepcopy(model._network)
        for part in list(plain._network.modules()):
            for name, inner in list(part.named_children()):
                if isinstance(inner, (FixedPositions, FirstTokenLayer, OneTokenAttention)):
                    setattr(part, name, inner.plain)
                if isinstance(inner, (GatedDense, LargeLinear, ActiveLinear)):
                    inner.__class__ = type(inner).__base__
                if isinstance(inner, torch.nn.GELU):
                    setattr(part, name, NewGELUActivation())
                if isinstance(inner, torch.nn.Identity) and name == "activation_fn":
                    setattr(part, name, GELUActivation())
            vars(part).pop("compute_bias", None)
    return plain


@dataclass(frozen=True, slots=True)
class Seconds:
    """Of the processor and of the clock."""

    cpu: float = 0.0
    clock: float = 0.0

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.cpu + other.cpu, self.clock + other.clock)


class Race:
    """The engine and the loop on the same weights."""

    def __init__(self, metric: str, comparison: MetricComparison) -> None:
        self._metric = metric
        self._comparison = comparison
        self._plain: dict[Checkpoint, Any] = {}
        self._times: dict[str, list[tuple[Seconds, Seconds]]] = {}

    def run(
        self, repeats: int, words: int, sentences: int, documents: int
    ) -> Mapping[str, list[tuple[Seconds, Seconds]]]:
        """What the loop and the engine took for each workload, time after time, in turns."""
        self._time_engine([make_pair(0, min(words, 300), 3)])
        self._loop([make_pair(0, min(words, 300), 3)])
        for number in range(1, repeats + 1):
            self._first_and_edits(number, words, sentences)
            self._set(number, words // 2, sentences, documents)
        return self._times

    def _first_and_edits(self, number: int, words: int, sentences: int) -> None:
        base = make_pair(number, words, sentences)
        first = self._time_engine([base])
        edits = {
            f"edit of sentence {place + 1}": self._time_engine([make_pair(number, words, sentences, place)])
            for place in reversed(range(sentences))
        }
        theirs = self._loop([base])
        for name, ours in {"first score": first, **edits}.items():
            self._times.setdefault(name, []).append((theirs, ours))

    def _set(self, number: int, words: int, sentences: int, documents: int) -> None:
        number_of_pairs = _PAIRS_OF_DOCUMENT * documents
        pairs = make_pairs_sharing_documents(1000 * number, documents, number_of_pairs, words, sentences)
        ours = self._time_engine(pairs)
        self._times.setdefault(f"{number_of_pairs} pairs on {documents} documents", []).append(
            (self._loop(pairs), ours)
        )

    def _time_engine(self, examples: Sequence[Example]) -> Seconds:
        return _time(lambda: self._comparison._run(examples))  # without the meters of a benchmark

    def _loop(self, examples: Iterable[Example]) -> Seconds:
        by_model: dict[Checkpoint, list[Question]] = {}
        for question in (one for example in examples for one in self._comparison._trace(example)):
            by_model.setdefault(question.weights, []).append(question)
        return sum((self._time_model(*asked) for asked in by_model.items()), Seconds())

    def _time_model(self, checkpoint: Checkpoint, questions: Sequence[Question]) -> Seconds:
        if checkpoint not in self._plain:
            with self._comparison._pool.lease(checkpoint) as model:
                self._plain[checkpoint] = plain_model(model)
        return _time(lambda: plain_loop(self._plain[checkpoint], self._metric, questions))


def _time(work: Callable[[], object]) -> Seconds:
    cpu, clock = time.process_time(), time.perf_counter()
    work()
    return Seconds(time.process_time() - cpu, time.perf_counter() - clock)


def _describe(times: Sequence[tuple[Seconds, Seconds]]) -> str:
    """The median of the speedups, and the seconds of the first time."""
    cpu = statistics.median(theirs.cpu / ours.cpu for theirs, ours in times)
    clock = statistics.median(theirs.clock / ours.clock for theirs, ours in times)
    theirs, ours = times[0]
    return f"{cpu:.2f} × of CPU ({theirs.cpu:.2f} s / {ours.cpu:.2f} s), {clock:.2f} × by the clock"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metric", choices=sorted(BATCH_ROWS))
    parser.add_argument("--size", action="append")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--words", type=int, default=1000, help="of the document of a first score; of those of the set half"
    )
    parser.add_argument("--sentences", type=int, default=5)
    parser.add_argument("--documents", type=int, default=5)
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        sizes = parse_sizes(asked.size or ["small"])
        metric, shapes = prepare_metric(asked.metric, sizes, sentence_pool(), Path(folder) / "models")
        with closing(MetricComparison(metric, "cpu", 1.0, Path(folder) / "cache")) as comparison:
            torch.set_num_threads(1)
            race = Race(asked.metric, comparison)
            for name, times in race.run(asked.repeats, asked.words, asked.sentences, asked.documents).items():
                sys.stdout.write(f"{asked.metric} {', '.join(shapes)} {name}: {_describe(times)}\n")


if __name__ == "__main__":
    main()
