"""Tokenizers that also go back, from ids to pieces and text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tokenizers import Tokenizer

from core.models.tokenizer import TextTokenizer


class DecodingTokenizer(TextTokenizer):
    """A tokenizer whose pieces can be read; `load` as of every tokenizer."""

    def __init__(self, backend: Tokenizer) -> None:
        super().__init__(backend)
        self._known = backend

    @classmethod
    def load(cls, folder: Path) -> DecodingTokenizer:
        return cast(DecodingTokenizer, super().load(folder))

    def text(self, ids: Sequence[int], special: bool) -> str:
        """What ids say, with or without special tokens."""
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
