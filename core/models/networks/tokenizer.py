"""Tokenizers as the checkpoint's authors saved them, there and back."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Literal, TypeVar, cast
from weakref import WeakValueDictionary

from cachetools import LRUCache
from tokenizers import Encoding, Tokenizer, processors

from core.errors import LoadError, Problem, attempt
from core.models.networks.sentencepiece_tokenizer import sentencepiece_tokenizer
from core.models.weights.weight_files import read_json_object

Input = str | tuple[str, str]
Ids = tuple[int, ...]
Strategy = Literal["longest_first", "only_first", "only_second"]

_KNOWN_TOKENS = 200_000  # of texts that were read last: about 10 MB


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


@dataclass(frozen=True)
class PairTemplate:
    """The special tokens before, between and after two texts, and the segment types of all five."""

    before: Ids
    between: Ids
    after: Ids
    types: tuple[Ids, int, Ids, int, Ids]

    @cached_property
    def length(self) -> int:
        """Number of the special tokens."""
        return len(self.before) + len(self.between) + len(self.after)

    def fill(self, first: Ids, second: Ids) -> Tokens:
        return Tokens(
            self.before + first + self.between + second + self.after, _pair_types(self.types, len(first), len(second))
        )


@lru_cache(4096)  # the pairs of a grid have a few lengths
def _pair_types(types: tuple[Ids, int, Ids, int, Ids], first: int, second: int) -> Ids:
    before, first_type, between, second_type, after = types
    return (*before, *(first_type,) * first, *between, *(second_type,) * second, *after)


_Kind = TypeVar("_Kind", bound="TextTokenizer")
_loaded: WeakValueDictionary[tuple[type[TextTokenizer], str], TextTokenizer] = WeakValueDictionary()
"""Tokenizers in memory by their class and all that they are made of: metrics of one encoder have one, of some 10 MB."""


class TextTokenizer:
    """Tokenizes texts and pairs with a limit; safe among threads."""

    def __init__(self, backend: Tokenizer) -> None:
        backend.no_truncation()
        backend.no_padding()
        self._backend = backend
        self._serial = backend.to_str()
        self._shortening: dict[tuple[int, Strategy], Tokenizer] = {}
        self._known_ids: LRUCache[str, Ids] = LRUCache(_KNOWN_TOKENS, lambda ids: len(ids) + 1)
        self._lock = threading.Lock()

    @classmethod
    def load(cls: type[_Kind], folder: Path) -> _Kind:
        """Read the tokenizer of a checkpoint's folder; raises LoadError."""
        read = cls(load_backend(folder))
        return cast(_Kind, _loaded.setdefault((cls, read._serial), read))

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

    def encode_ids(self, inputs: Sequence[Input], limits: Sequence[int]) -> list[Tokens]:
        """The same ids, types and cuts as of `encode`, without offsets; a text that stands in many pairs is tokenized once."""
        pairs = [pair for pair in inputs if isinstance(pair, tuple)]
        template = self._pair_template
        if template is None or len(pairs) < len(inputs):
            return self.encode(inputs, limits)
        ids = self._text_ids(dict.fromkeys(chain.from_iterable(pairs)))
        return [
            template.fill(first, second)
            if template.length + len(first) + len(second) <= limit
            else self._short(pair, limit, "longest_first", self._whole(pair))
            for pair, limit in zip(pairs, limits, strict=True)
            for first, second in [(ids[pair[0]], ids[pair[1]])]
        ]

    def _text_ids(self, texts: Iterable[str]) -> dict[str, Ids]:
        """The ids of texts without those of the template."""
        with self._lock:
            ids = {text: self._known_ids.get(text) for text in texts}
        unknown = [text for text, cached in ids.items() if cached is None]
        fresh = self._backend.encode_batch_fast(unknown, add_special_tokens=False)
        read = {text: tuple(encoding.ids) for text, encoding in zip(unknown, fresh, strict=True)}
        with self._lock:
            for text, text_ids in read.items():
                if len(text_ids) < _KNOWN_TOKENS:
                    self._known_ids[text] = text_ids
        return {text: read[text] if cached is None else cached for text, cached in ids.items()}

    @cached_property
    def _pair_template(self) -> PairTemplate | None:
        """The template of pairs, read from one; None where its parts do not stand in the order of the texts."""
        example = self._whole(("a", "b"))
        places = example.sequence_ids
        first, second = ([place for place, text in enumerate(places) if text == number] for number in (0, 1))
        if not first or not second or first[-1] > second[0]:
            return None
        ids, types = tuple(example.ids), tuple(example.type_ids)
        parts = slice(0, first[0]), slice(first[-1] + 1, second[0]), slice(second[-1] + 1, len(ids))
        before, between, after = (ids[part] for part in parts)
        of_before, of_between, of_after = (types[part] for part in parts)
        return PairTemplate(
            before, between, after, (of_before, types[first[0]], of_between, types[second[0]], of_after)
        )

    def _whole(self, text: Input) -> Encoding:
        [encoding] = self._backend.encode_batch([text])
        return encoding

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
        tokenizer = attempt(lambda: Tokenizer.from_file(str(path)))
        if isinstance(tokenizer, Problem):
            raise LoadError(f"{path} is not a readable tokenizer ({tokenizer.error}). Get the file again.")
        return tokenizer
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
        self._tokenizer = backend

    def text(self, ids: Sequence[int], special: bool) -> str:
        """Text of ids, with or without special tokens."""
        return self._tokenizer.decode(list(ids), skip_special_tokens=not special)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The pieces as the vocabulary spells them; "" for an id that it lacks."""
        return [self._tokenizer.id_to_token(token) or "" for token in ids]

    def words(self, words: Sequence[str]) -> list[list[int]]:
        """The ids of each word by itself, without special tokens."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(words), add_special_tokens=False)]

    def normal(self, text: str) -> str:
        """A text as it is before it is cut into pieces: normalised, its words and marks between single blanks."""
        normalizer, splitter = self._tokenizer.normalizer, self._tokenizer.pre_tokenizer
        normalized = normalizer.normalize_str(text) if normalizer else text
        return " ".join(word for word, _ in splitter.pre_tokenize_str(normalized)) if splitter else normalized
