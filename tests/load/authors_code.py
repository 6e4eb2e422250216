"""The unmodified code of the authors of five metrics, loaded from a checkout and given the random weights of ours.

What it loads by a name of the hub or a class of a tokenizer is replaced by the folder of random weights, and its splitter of sentences by ours,
so that both score the same sentences.
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedTokenizerFast

from core.errors import TouchstoneError
from core.scoring.metric import Metric
from core.text.segmentation import sentences
from core.types import Example

Scorer = Callable[[Sequence[Example]], list[float]]

_BERT_TOKENS = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]"}
_ALBERT_TOKENS = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "<pad>", "unk_token": "<unk>"}
_ROBERTA_TOKENS = {
    "bos_token": "<s>",
    "eos_token": "</s>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
}


def _bartscore(code: Path, metric: Any, device: str) -> Scorer:
    module = _import(code, "bart_score")
    module.BartTokenizer = _tokenizer(metric.checkpoint, bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    scorer = module.BARTScorer(device=device, checkpoint=metric.checkpoint)
    return lambda pairs: scorer.score([one.document for one in pairs], [one.summary for one in pairs])


def _longdocfactscore(code: Path, metric: Any, device: str) -> Scorer:
    module = _import(code / "src" / "longdocfactscore", "ldfacts")
    # a tokenizer of random weights has no file of settings, which sentence-transformers needs
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 512, **_BERT_TOKENS}
    (Path(metric.encoder) / "tokenizer_config.json").write_text(json.dumps(settings))
    encoder, bart_score = module.SentenceTransformer, module.BARTScore
    module.SentenceTransformer = lambda _: encoder(metric.encoder)
    module.BARTScore = lambda device: bart_score(device, metric.checkpoint)
    module.sent_tokenize = _split
    scorer = module.LongDocFACTScore(device=device)
    return lambda pairs: scorer.score_src_hyp_long([one.document for one in pairs], [one.summary for one in pairs])


def _minicheck(code: Path, metric: Any, device: str) -> Scorer:
    module = _import(code, "minicheck.minicheck")
    inference = importlib.import_module("minicheck.inference")
    inference.sent_tokenize, inference.tqdm = _split, lambda pairs, **_: pairs
    inference.AutoTokenizer = _tokenizer(metric.checkpoint, **_ROBERTA_TOKENS)
    inference.AutoConfig = _fixed(AutoConfig.from_pretrained(metric.checkpoint))
    inference.AutoModelForSequenceClassification = _fixed(
        AutoModelForSequenceClassification.from_pretrained(metric.checkpoint).to(device)
    )
    scorer = module.MiniCheck("roberta-large")

    def score(pairs: Sequence[Example]) -> list[float]:
        claims = [_split(pair.summary) for pair in pairs]
        documents = [pair.document for pair, of_pair in zip(pairs, claims, strict=True) for _ in of_pair]
        given = iter(scorer.score(documents, [claim for of_pair in claims for claim in of_pair])[1])
        return [statistics.fmean(next(given) for _ in of_pair) for of_pair in claims]

    return score


def _summac(code: Path, metric: Any, device: str) -> Scorer:
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
    scorer = module.SummaCZS("vitc", granularity="sentence", imager_load_cache=False, device=device)
    return lambda pairs: scorer.score([one.document for one in pairs], [one.summary for one in pairs])["scores"]


def _unieval(code: Path, metric: Any, device: str) -> Scorer:
    module = _import(code / "metric", "scorer")
    module.AutoTokenizer = _tokenizer(metric.checkpoint, eos_token="</s>", pad_token="<pad>")
    module.tqdm = lambda batches: batches
    scorer = module.UniEvaluator(metric.checkpoint, device=device)

    def score(pairs: Sequence[Example]) -> list[float]:
        asked = [[question.inputs[0] for question in metric.plan(pair)] for pair in pairs]
        given = iter(scorer.score([text for texts in asked for text in texts]))
        return [statistics.fmean(next(given) for _ in texts) for texts in asked]

    return score


@dataclass(frozen=True, slots=True)
class AuthorsCode:
    """The repository of the authors of a metric on GitHub, and what loads their scorer from a checkout, for a metric and a device."""

    repository: str
    load: Callable[[Path, Metric, str], Scorer]

    @property
    def folder(self) -> str:
        """Name of a checkout."""
        return self.repository.partition("/")[2]


AUTHORS: Mapping[str, AuthorsCode] = {
    "bartscore": AuthorsCode("neulab/BARTScore", _bartscore),
    "longdocfactscore": AuthorsCode("jbshp/LongDocFACTScore", _longdocfactscore),
    "minicheck-roberta": AuthorsCode("Liyan06/MiniCheck", _minicheck),
    "summac-zs": AuthorsCode("tingofurro/summac", _summac),
    "unieval-fact": AuthorsCode("maszhongming/UniEval", _unieval),
}


def _import(folder: Path, name: str) -> ModuleType:
    file = folder / f"{name.replace('.', '/')}.py"
    if not file.is_file():
        raise TouchstoneError(f"There is no {file}. Name a folder with a checkout of the authors' repository.")
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
