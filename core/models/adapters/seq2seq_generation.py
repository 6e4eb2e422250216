"""Kind "seq2seq_generation": the texts that an encoder-decoder writes, greedily or by beam search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, LogitsProcessor, LogitsProcessorList, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.model import UNLIMITED, Row, int_option
from core.models.networks.network import freeing_memory, load_network, network_bytes, pad_batch
from core.models.networks.tokenizer import DecodingTokenizer, Tokens
from core.types import Answer, Option, Question

_DEFAULT_MAX_LENGTH = 20
"""Tokens written at most, the start token among them, where neither question nor checkpoint says: transformers' old default."""

_OPTION_NAMES = {
    "beams": "num_beams",
    "returned": "num_return_sequences",
    "max_length": "max_length",
    "no_repeat": "no_repeat_ngram_size",
}

# what the libraries of 2020 to 2023 did to every decoded text
_PUNCTUATION_FIXES = {" .": ".", " ?": "?", " !": "!", " ,": ",", " ' ": "'", " n't": "n't"}
_PUNCTUATION_FIXES |= {f" '{ending}": f"'{ending}" for ending in ("m", "s", "ve", "re")}


class _FirstTokenWatch(LogitsProcessor):
    """Changes nothing, and remembers how probable a token was as the first one, (rows,); None where none is watched."""

    def __init__(self, token: int | None, beams: int) -> None:
        self._token = token
        self._beams = beams
        self.seen: Tensor | None = None

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:  # noqa: ARG002  # as every processor
        if self.seen is None and self._token is not None:  # one row per beam, equal at first
            self.seen = scores[:: self._beams].float().softmax(-1)[:, self._token]
        return scores


class TextGenerator:
    """Inputs: the parts of one text, joined and closed by end tokens; the blanks around each part are dropped.

    Options: "limit", tokens read at most; "beams", 1 for greedy search; "returned", how many texts; "max_length", tokens
    written at most with the start token; "no_repeat", the length of phrases that may not come twice; where these are not
    given the checkpoint's own configuration decides; "watched", a token; "framed", 1 for the special tokens that the tokenizer puts
    around a text, as BART reads it. Texts: the best first, without special tokens, blanks before punctuation removed.
    Values: how probable the watched token was as the first one.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: DecodingTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        tokens = [self._read(question) for question in questions]
        return [Row(question, len(row), (row,), writes=True) for question, row in zip(questions, tokens, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            # those with equal options can be written together; "limit" is done with
            groups: dict[tuple[Option, ...], list[int]] = {}
            for number, row in enumerate(rows):
                options = tuple(option for option in row.question.options if option[0] != "limit")
                groups.setdefault(options, []).append(number)
            answers: dict[int, Answer] = {}
            for options, numbers in groups.items():
                written = self._write([rows[number] for number in numbers], cast(dict[str, int], dict(options)))
                answers.update(zip(numbers, written, strict=True))
        return [answers[number] for number in range(len(rows))]

    def _read(self, question: Question) -> Tokens:
        """SentencePiece drops the blanks around an end token, which tokenizer.json would keep as a piece."""
        parts = self._tokenizer.encode([part.strip() for part in question.inputs], [UNLIMITED] * len(question.inputs))
        ids = [token for part in parts for token in (*_text_ids(part), self._end)]
        if int_option(question, "framed", 0):
            ids = [token for part in parts for token in part.ids]
        elif len(parts) > 1 and not _text_ids(parts[-1]):
            ids.pop()  # a text that ends in a literal end token gets no second one
        length = min(len(ids), int_option(question, "limit", UNLIMITED))
        shortened = (*ids[: length - 1], self._end) if length < len(ids) else tuple(ids)
        return Tokens(ids=shortened, types=(0,) * length, cut=len(ids) - length)

    def _write(self, rows: Sequence[Row], options: dict[str, int]) -> list[Answer]:
        tokens = [row.payload[0] for row in rows]
        ids, mask, _ = pad_batch(tokens, self._network)
        own = self._network.generation_config
        watch = _FirstTokenWatch(options.get("watched"), options.get("beams", own.num_beams or 1))
        generate = cast(Callable[..., Tensor], self._network.generate)
        # in the words of transformers: options of the question, else those of the checkpoint's own configuration
        arguments: dict[str, int | bool] = {
            _OPTION_NAMES[name]: value for name, value in options.items() if name in _OPTION_NAMES
        }
        arguments.setdefault("num_return_sequences", 1)
        if "beams" in options:
            arguments["early_stopping"] = options["beams"] > 1
        if "max_length" not in options and not own.max_new_tokens:
            arguments["max_length"] = own.max_length or _DEFAULT_MAX_LENGTH
        written = generate(
            input_ids=ids,
            attention_mask=mask,
            do_sample=False,
            logits_processor=LogitsProcessorList([watch]),
            **arguments,
        )
        texts = self._texts(written.tolist(), options.get("returned", 1))
        values = [()] * len(rows) if watch.seen is None else [(share,) for share in watch.seen.tolist()]
        return [
            Answer(value, texts=text, tokens=len(row), cut=row.cut)
            for value, text, row in zip(values, texts, tokens, strict=True)
        ]

    def _texts(self, sequences: Sequence[list[int]], returned: int) -> list[tuple[str, ...]]:
        texts = [clean_spaces(self._tokenizer.text(ids, special=False)) for ids in sequences]
        return [tuple(texts[start : start + returned]) for start in range(0, len(texts), returned)]

    @property
    def _end(self) -> int:
        return int(self._network.config.eos_token_id)


def clean_spaces(text: str) -> str:
    """A decoded text without the blanks before punctuation and contractions."""
    for blank, tight in _PUNCTUATION_FIXES.items():
        text = text.replace(blank, tight)
    return text


def _text_ids(part: Tokens) -> list[int]:
    return [token for token, special in zip(part.ids, part.special, strict=True) if not special]


def load(path: Path, checkpoint: Checkpoint, device: str) -> TextGenerator:
    network = load_network(AutoModelForSeq2SeqLM.from_pretrained, path, checkpoint, device)
    return TextGenerator(network, DecodingTokenizer.load(path))
