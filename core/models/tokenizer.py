"""Tokenizers as the checkpoint's authors saved them, there and back."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from tokenizers import Encoding, Tokenizer, processors

from core.errors import LoadError, Problem, attempt
from core.models.sentencepiece_tokenizer import sentencepiece_tokenizer
from core.weights.files import read_json_object

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
        return cls(load_backend(folder))

    @property
    def special_names(self) -> list[str]:
        """The spellings that are one token wherever a text has them, and no words: as </s>, <|im_end|>."""
        return [token.content for token in self._backend.get_added_tokens_decoder().values() if token.special]

    def count(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each text, without the special tokens of the template."""
        return [len(encoding) for encoding in self._backend.encode_batch(list(texts), add_special_tokens=False)]

    def encode(
        self, inputs: Sequence[Input], limits: Sequence[int], strategy: Strategy = "longest_first"
    ) -> list[Tokens]:
        """The tokens of each text or pair with special tokens, shortened to its limit on the right."""
        whole = self._backend.encode_batch(list(inputs))
        return [
            _tokens_of(encoding) if len(encoding) <= limit else self._short(text, limit, strategy, encoding)
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
        return _tokens_of(encoding, cut=len(whole) - len(encoding))


def without_special_tokens(text: str, names: Iterable[str]) -> str:
    """The text with a blank inside each spelling of a special token, which is then read as the characters that it is."""
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 1:
            text = text.replace(name, f"{name[0]} {name[1:]}")
    return text


def _tokens_of(encoding: Encoding, cut: int = 0) -> Tokens:
    return Tokens(
        ids=tuple(encoding.ids),
        types=tuple(encoding.type_ids),
        offsets=tuple(encoding.offsets),
        special=tuple(flag == 1 for flag in encoding.special_tokens_mask),
        cut=cut,
    )


def load_backend(folder: Path) -> Tokenizer:
    """The tokenizer of a checkpoint's folder as the library has it; raises LoadError."""
    if (folder / "tokenizer.json").is_file():
        path = folder / "tokenizer.json"
        # the library raises nothing narrower than Exception
        found = attempt(lambda: Tokenizer.from_file(str(path)))
        if isinstance(found, Problem):
            raise LoadError(f"{path} is not a readable tokenizer ({found.message}). Get the file again.")
        return found
    if converted := sentencepiece_tokenizer(folder):
        return converted
    if (folder / "vocab.txt").is_file() or ((folder / "vocab.json").is_file() and (folder / "merges.txt").is_file()):
        # byte-level and WordPiece tokenizers are the ones that transformers rebuilds without changing ids
        from transformers import AutoTokenizer

        try:
            backend = AutoTokenizer.from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            ).backend_tokenizer
        except (OSError, ValueError) as error:
            raise LoadError(f"The tokenizer files of {folder} are not readable ({error}). Get them again.") from error
        # transformers 4 wrote pairs of DeBERTa's first version so; version 5 writes two separators, as for RoBERTa
        if read_json_object(folder / "config.json").get("model_type") == "deberta":
            specials = [(name, backend.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
            backend.post_processor = processors.TemplateProcessing(
                single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=specials
            )
        return backend
    raise LoadError(
        f"{folder} has no tokenizer that is known here: no tokenizer.json, no vocab.txt, no vocab.json with merges.txt, and "
        "no spiece.model or spm.model of an ALBERT, T5 or DeBERTa. Put the model's tokenizer.json there."
    )


class DecodingTokenizer(TextTokenizer):
    """A tokenizer whose pieces can be read; `load` as of every tokenizer."""

    def __init__(self, backend: Tokenizer) -> None:
        super().__init__(backend)
        self._known = backend

    @classmethod
    def load(cls, folder: Path) -> DecodingTokenizer:
        return cast(DecodingTokenizer, super().load(folder))

    def text(self, ids: Sequence[int], special: bool) -> str:
        """Text of ids, with or without special tokens."""
        return self._known.decode(list(ids), skip_special_tokens=not special)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The pieces as the vocabulary spells them; "" for an id that it lacks."""
        return [self._known.id_to_token(token) or "" for token in ids]

    def words(self, words: Sequence[str]) -> list[list[int]]:
        """The ids of each word by itself, without special tokens."""
        return [encoding.ids for encoding in self._known.encode_batch(list(words), add_special_tokens=False)]

    def normal(self, text: str) -> str:
        """A text as it is before it is cut into pieces: normalised, its words and marks between single blanks."""
        normalizer, splitter = self._known.normalizer, self._known.pre_tokenizer
        kept = normalizer.normalize_str(text) if normalizer else text
        return " ".join(word for word, _ in splitter.pre_tokenize_str(kept)) if splitter else kept
