"""Speed of a metric beside the unmodified code of its authors, on the same random weights and sentences, in one thread.

`python -m tests.load.authors_code METRIC FOLDER [--size base] [--repeats 3]` takes a checkout of the authors' repository and prints a line for
each measurement: a first score of ten sentences over 1,000 words, the same after an edit of one of them, and 20 pairs on 5 documents of
500 words. Each is run by both in turns, and the largest difference of their scores is printed beside the times.

- bartscore: github.com/neulab/BARTScore
- longdocfactscore: github.com/jbshp/LongDocFACTScore
- minicheck-roberta: github.com/Liyan06/MiniCheck
- summac-zs: github.com/tingofurro/summac
- unieval-fact: github.com/maszhongming/UniEval
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedTokenizerFast

from core.engine.engine import Engine
from core.metric import Metric
from core.settings import Settings
from core.text import sentences
from core.types import Example, Result
from tests.bench.network_shapes import parse_sizes
from tests.bench.recipes import prepare_metric
from tests.bench.workloads import make_pair, make_pairs_sharing_documents, sentence_pool

Scorer = Callable[[Sequence[Example]], list[float]]

_SENTENCES = 10
_EDITED = 4
_DOCUMENTS, _PAIRS = 5, 20
_BERT_TOKENS = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
_ALBERT_TOKENS = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "<pad>", "unk_token": "<unk>"}
_ROBERTA_TOKENS = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
}


def _bartscore(code: Path, metric: Any) -> Scorer:
    module = _import(code, "bart_score")
    module.BartTokenizer = _tokenizer(metric.checkpoint, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    scorer = module.BARTScorer(device="cpu", checkpoint=metric.checkpoint)
    return lambda pairs: scorer.score([one.document for one in pairs], [one.summary for one in pairs])


def _longdocfactscore(code: Path, metric: Any) -> Scorer:
    module = _import(code / "src" / "longdocfactscore", "ldfacts")
    # a tokenizer of random weights has no file of settings, which sentence-transformers needs
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512, **_BERT_TOKENS}
    (Path(metric.encoder) / "tokenizer_config.json").write_text(json.dumps(settings))
    encoder, bart_score = module.SentenceTransformer, module.BARTScore
    module.SentenceTransformer = lambda _: encoder(metric.encoder)
    module.BARTScore = lambda device: bart_score(device, metric.checkpoint)
    module.sent_tokenize = _split
    scorer = module.LongDocFACTScore(device="cpu")
    return lambda pairs: scorer.score_src_hyp_long([one.document for one in pairs], [one.summary for one in pairs])


def _minicheck(code: Path, metric: Any) -> Scorer:
    module = _import(code, "minicheck.minicheck")
    inference = importlib.import_module("minicheck.inference")
    inference.sent_tokenize, inference.tqdm = _split, lambda pairs, **_: pairs
    inference.AutoTokenizer = _tokenizer(metric.checkpoint, **_ROBERTA_TOKENS)
    inference.AutoConfig = _fixed(AutoConfig.from_pretrained(metric.checkpoint))
    inference.AutoModelForSequenceClassification = _fixed(
        AutoModelForSequenceClassification.from_pretrained(metric.checkpoint)
    )
    scorer = module.MiniCheck("roberta-large")

    def score(pairs: Sequence[Example]) -> list[float]:
        claims = [_split(pair.summary) for pair in pairs]
        documents = [pair.document for pair, of_pair in zip(pairs, claims, strict=True) for _ in of_pair]
        given = iter(scorer.score(documents, [claim for of_pair in claims for claim in of_pair])[1])
        return [statistics.fmean(next(given) for _ in of_pair) for of_pair in claims]

    return score


def _summac(code: Path, metric: Any) -> Scorer:
    module = _import(code, "summac.model_summac")
    module.nltk.tokenize.sent_tokenize = _split
    module.AutoTokenizer = _tokenizer(
        metric.checkpoint, model_input_names=["input_ids", "token_type_ids", "attention_mask"], **_ALBERT_TOKENS
    )
    # transformers 5 does not have the name that they call, with a setting that it did not heed
    tokenizer = module.AutoTokenizer.from_pretrained()
    tokenizer.batch_encode_plus = lambda pairs, truncation_strategy, **settings: tokenizer(  # noqa: ARG005
        *map(list, zip(*pairs, strict=True)), **settings
    )
    module.model_map["vitc"]["model_card"] = metric.checkpoint
    scorer = module.SummaCZS("vitc", granularity="sentence", imager_load_cache=False, device="cpu")
    return lambda pairs: scorer.score([one.document for one in pairs], [one.summary for one in pairs])["scores"]


def _unieval(code: Path, metric: Any) -> Scorer:
    module = _import(code / "metric", "scorer")
    module.AutoTokenizer = _tokenizer(metric.checkpoint, eos_token="</s>", pad_token="<pad>")
    module.tqdm = lambda batches: batches
    scorer = module.UniEvaluator(metric.checkpoint, device="cpu")

    def score(pairs: Sequence[Example]) -> list[float]:
        asked = [[question.inputs[0] for question in metric.plan(pair)] for pair in pairs]
        given = iter(scorer.score([text for texts in asked for text in texts]))
        return [statistics.fmean(next(given) for _ in texts) for texts in asked]

    return score


AUTHORS: Mapping[str, Callable[[Path, Metric], Scorer]] = {
    "bartscore": _bartscore,
    "longdocfactscore": _longdocfactscore,
    "minicheck-roberta": _minicheck,
    "summac-zs": _summac,
    "unieval-fact": _unieval,
}


def _import(folder: Path, name: str) -> ModuleType:
    file = folder / f"{name.replace('.', '/')}.py"
    if not file.is_file():
        raise SystemExit(f"There is no {file}. Name a checkout of the authors' repository.")
    sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def _tokenizer(folder: str, **tokens: Any) -> SimpleNamespace:
    """In place of the class of a tokenizer that the authors load by name: that of the random weights."""
    return _fixed(PreTrainedTokenizerFast(tokenizer_file=f"{folder}/tokenizer.json", **tokens))


def _fixed(loaded: object) -> SimpleNamespace:
    """In place of a class of transformers: whatever is named, this is loaded."""
    return SimpleNamespace(from_pretrained=lambda *_, **__: loaded)


def _split(text: str) -> list[str]:
    return [span.of(text) for span in sentences(text)]


class Ours:
    """The metric through an engine, whose cache is empty after `forget`."""

    def __init__(self, metric: Metric, folder: Path) -> None:
        self._metric, self._folder, self._number = metric, folder, 0
        self.forget()

    def forget(self) -> None:
        if self._number:
            self.close()
        self._number += 1
        self._engine = Engine.open(Settings(device="cpu", cache_dir=self._folder / str(self._number)))
        self.score([make_pair(0, 60, 2)])  # the weights are loaded

    def score(self, pairs: Sequence[Example]) -> list[float]:
        outcomes = [outcome for _, outcome in self._engine.run([self._metric], pairs)]
        failed = [one for one in outcomes if not isinstance(one, Result)]
        if failed:
            raise SystemExit(f"Not scored here: {failed[0]}")
        return [one.score for one in outcomes if isinstance(one, Result)]

    def close(self) -> None:
        self._engine.close()


def compare(theirs: Scorer, ours: Ours, repeats: int, words: int) -> None:
    """Print what both took for each work, in turns."""
    theirs([make_pair(0, 60, 2)])
    for number in range(1, repeats + 1):
        works = {
            "first score": [make_pair(number, words, _SENTENCES)],
            "one edited sentence": [make_pair(number, words, _SENTENCES, _EDITED)],
            f"{_PAIRS} pairs on {_DOCUMENTS} documents": make_pairs_sharing_documents(
                1000 * number, _DOCUMENTS, _PAIRS, words // 2, 3
            ),
        }
        for name, pairs in works.items():
            if name != "one edited sentence":  # which comes after the first score
                ours.forget()
            sides: list[Scorer] = [theirs, ours.score] if number % 2 else [ours.score, theirs]
            timed = {side: _time(side, pairs) for side in sides}
            (their_s, their_scores), (our_s, our_scores) = timed[theirs], timed[sides[number % 2]]
            apart = max(abs(one - other) for one, other in zip(their_scores, our_scores, strict=True))
            sys.stdout.write(
                f"{name}: {their_s / our_s:.2f} × ({their_s:.2f} s / {our_s:.2f} s of CPU), scores differ by {apart:.0e}, "
                f"load {os.getloadavg()[0]:.1f}\n"
            )
            sys.stdout.flush()


def _time(score: Scorer, pairs: Sequence[Example]) -> tuple[float, list[float]]:
    began = time.process_time()
    scores = score(pairs)
    return time.process_time() - began, scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metric", choices=sorted(AUTHORS))
    parser.add_argument("folder", type=Path, help="checkout of the authors' repository")
    parser.add_argument("--size", action="append", help="base by default")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--words", type=int, default=1000, help="of the document of a first score; of those of the set half"
    )
    asked = parser.parse_args()
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        metric, shapes = prepare_metric(
            asked.metric, parse_sizes(asked.size or []), sentence_pool(), Path(folder) / "models"
        )
        sys.stdout.write(f"{asked.metric}, random weights of {', '.join(shapes)}\n")
        theirs = AUTHORS[asked.metric](asked.folder, metric)
        with closing(Ours(metric, Path(folder) / "answers")) as ours:
            compare(theirs, ours, asked.repeats, asked.words)


if __name__ == "__main__":
    main()
