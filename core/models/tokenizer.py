"""Tokenizers as the checkpoint's authors saved them: tokenizer.json verbatim, never rebuilt."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tokenizers import Encoding, Tokenizer, processors

from core.errors import LoadError
from core.models.configuration import entries
from core.models.spiece import albert_tokenizer
from core.trouble import Trouble, attempt

Input = str | tuple[str, str]
Strategy = Literal["longest_first", "only_first", "only_second"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """One input as ids and segment types; `offsets` are character positions, `cut` tokens did not fit the limit.

    A special token that the template added has `special` set; one written in the text has not.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...] = ()
    offsets: tuple[tuple[int, int], ...] = ()
    special: tuple[bool, ...] = ()
    cut: int = 0

    def __len__(self) -> int:
        return len(self.ids)


class TextTokenizer:
    """Tokenizes texts and pairs with a limit; safe among threads."""

    def __init__(self, backend: Tokenizer) -> None:
        backend.no_truncation()
        backend.no_padding()
        self._backend = backend
        self._serial = backend.to_str()
        self._shortening: dict[tuple[int, Strategy], Tokenizer] = {}
        self._lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path) -> TextTokenizer:
        """Read the tokenizer of a checkpoint's folder; raises LoadError."""
        if (folder / "tokenizer.json").is_file():
            return cls(_verbatim(folder / "tokenizer.json"))
        if (folder / "spiece.model").is_file() and entries(folder / "config.json").get("model_type") == "albert":
            return cls(albert_tokenizer(folder))
        if (folder / "vocab.txt").is_file() or (
            (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file()
        ):
            return cls(_rebuilt(folder))
        raise LoadError(
            f"{folder} has no tokenizer.json (nor vocab.txt, nor vocab.json with merges.txt). Save one there once, "
            "with PreTrainedTokenizerFast.save_pretrained of the transformers version that the model was trained with."
        )

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, without the special tokens of the template."""
        return [len(encoding) for encoding in self._backend.encode_batch(list(texts), add_special_tokens=False)]

    def encode(
        self, inputs: Sequence[Input], limits: Sequence[int], strategy: Strategy = "longest_first"
    ) -> list[Tokens]:
        """The tokens of each text or pair with special tokens, shortened to its limit on the right."""
        whole = self._backend.encode_batch(list(inputs))
        return [
            _tokens(encoding) if len(encoding) <= limit else self._short(text, limit, strategy, encoding)
            for text, limit, encoding in zip(inputs, limits, whole, strict=True)
        ]

    def _short(self, text: Input, limit: int, strategy: Strategy, whole: Encoding) -> Tokens:
        with self._lock:
            if (limit, strategy) not in self._shortening:
                backend = Tokenizer.from_str(self._serial)
                backend.enable_truncation(limit, strategy=strategy)
                self._shortening[limit, strategy] = backend
            backend = self._shortening[limit, strategy]
        [encoding] = backend.encode_batch([text])
        return _tokens(encoding, cut=len(whole) - len(encoding))


def _tokens(encoding: Encoding, cut: int = 0) -> Tokens:
    return Tokens(
        ids=tuple(encoding.ids),
        types=tuple(encoding.type_ids),
        offsets=tuple(encoding.offsets),
        special=tuple(flag == 1 for flag in encoding.special_tokens_mask),
        cut=cut,
    )


def _verbatim(path: Path) -> Tokenizer:
    # the library raises nothing narrower than Exception
    found = attempt(lambda: Tokenizer.from_file(str(path)))
    if isinstance(found, Trouble):
        raise LoadError(f"{path} is not a readable tokenizer ({found.message}). Get the file again.")
    return found


def _rebuilt(folder: Path) -> Tokenizer:
    # byte-level and WordPiece tokenizers are the ones that transformers rebuilds without changing ids
    from transformers import AutoTokenizer

    try:
        backend = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        ).backend_tokenizer
    except (OSError, ValueError) as error:
        raise LoadError(f"The tokenizer files of {folder} are not readable ({error}). Get them again.") from error
    if entries(folder / "config.json").get("model_type") == "deberta":
        _join_pairs_by_one_separator(backend)
    return backend


def _join_pairs_by_one_separator(backend: Tokenizer) -> None:
    """The pairs of DeBERTa's first version as transformers 4 wrote them; version 5 writes two separators, as for RoBERTa."""
    specials = [(name, backend.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=specials
    )
