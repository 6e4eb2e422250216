"""Kind "translation": a text in another language, by a Marian model of one pair of languages or a model of many as M2M100."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from core.errors import BadSettingError, LoadError
from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.networks.network import LOAD_ERRORS, freeing_memory, load_network, network_bytes, pad_batch
from core.models.networks.tokenizer import Tokens
from core.types import Answer, Question

_MOST_TOKENS = 400
"""Tokens that are read and written at most: a sentence, and within the positions of every Marian model."""


class Translator:
    """Inputs: one text. Options: "from" and "to", the codes of the languages for a model of many, as en and de.

    Texts: the translation, found as the checkpoint's own configuration says and never drawn. `cut` is above 0 where the text was too
    long, and values has 1 where the translation ended before the limit, 0 where it was cut.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        rows = [self._read(question) for question in questions]
        return [Row(question, len(row), (row,), writes=True) for question, row in zip(questions, rows, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        answers: dict[int, Answer] = {}
        for language in dict.fromkeys(self._language(row.question, "to") for row in rows):
            numbers = [n for n, row in enumerate(rows) if self._language(row.question, "to") == language]
            tokens = [rows[number].payload[0] for number in numbers]
            with torch.inference_mode(), freeing_memory("The text does not fit"):
                ids, mask, _ = pad_batch(tokens, self._network)
                # the number of tokens is ours, whatever generation_config says
                written = self._network.generate(  # type: ignore[operator]  # of GenerationMixin
                    input_ids=ids,
                    attention_mask=mask,
                    do_sample=False,
                    max_new_tokens=_MOST_TOKENS,
                    forced_bos_token_id=language,
                ).tolist()
            for number, row, out in zip(numbers, tokens, written, strict=True):
                ended = float(self._tokenizer.eos_token_id in out[1:])
                text = self._tokenizer.decode(out, skip_special_tokens=True)
                answers[number] = Answer((ended,), texts=(str(text).strip(),), tokens=len(row), cut=row.cut)
        return [answers[number] for number in range(len(rows))]

    def _read(self, question: Question) -> Tokens:
        source = self._language(question, "from")
        pieces = self._tokenizer(question.inputs[0], add_special_tokens=False, verbose=False)["input_ids"]
        shortened = pieces[:_MOST_TOKENS]
        ids = (*([] if source is None else [source]), *shortened, int(self._tokenizer.eos_token_id))
        return Tokens(ids, (0,) * len(ids), cut=len(pieces) - len(shortened))

    def _language(self, question: Question, option: str) -> int | None:
        """The token of a language; None where the question names none, as for a model of one pair."""
        code = dict(question.options).get(option)
        if code is None:
            return None
        tokens = [self._tokenizer.convert_tokens_to_ids(name) for name in (f"__{code}__", str(code))]
        ids = [token for token in tokens if isinstance(token, int) and token != self._tokenizer.unk_token_id]
        if not ids:
            raise BadSettingError(
                f"{question.weights.source} has no language {code!r}. Set a code as the model spells it, as de or deu_Latn; a model "
                "of one pair of languages takes none."
            )
        return ids[0]


def load(path: Path, checkpoint: Checkpoint, device: str) -> Translator:
    try:
        with warnings.catch_warnings():  # that sacremoses would normalise punctuation; the models read it as it is, too
            warnings.simplefilter("ignore")
            tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except LOAD_ERRORS as error:
        raise LoadError(
            f"The tokenizer files of {path} are not readable ({error}). A Marian model has source.spm, target.spm and vocab.json, "
            "M2M100 sentencepiece.bpe.model and vocab.json: put all of them there."
        ) from error
    network = load_network(AutoModelForSeq2SeqLM.from_pretrained, path, checkpoint, device)
    return Translator(network, tokenizer)
