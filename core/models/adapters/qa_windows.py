"""Kind "qa_windows": the best answer in a text of any length, read in windows, and how probable it is that there is none.

The search of the SQuAD scripts of transformers 3 as QAEval uses it: the twenty best starts and ends of every window.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor
from transformers import AutoModelForQuestionAnswering, PreTrainedModel

from core.model_reference import Checkpoint
from core.models.networks.model import Row
from core.models.networks.network import (
    copy_to_device,
    freeing_memory,
    load_network,
    network_bytes,
    read_back,
    segment_types,
)
from core.models.networks.tokenizer import DecodingTokenizer, Tokens
from core.types import Answer, Question, Span

_WINDOW, _STEP, _QUESTION = 384, 128, 64
_BEST_STARTS = 20
_MAX_ANSWER_PIECES = 30
_WINDOWS_PER_PASS = 32  # windows in one forward pass

_WORD = re.compile(r"[^ \t\r\n\u202f]+")
_NO_ANSWER_TEXT = "empty"


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """A start and an end within a window, and the sum of their logits; no window where it says that there is no answer."""

    logit: float
    window: int = -1
    start: int = 0
    end: int = 0


class WindowModel:
    """Inputs: question, cut after 64 tokens, and text. Texts: the best answer. Spans: the words of the text it lies in.

    Values: its probability and that of no answer, among the distinct best ones.
    """

    def __init__(self, network: PreTrainedModel, tokenizer: DecodingTokenizer) -> None:
        self._network = network
        self._tokenizer = tokenizer
        self._cls, self._sep = (tokenizer.words([name])[0][0] for name in ("[CLS]", "[SEP]"))
        self._pieces = lru_cache(maxsize=64)(self._read)
        self.nbytes = network_bytes(network)

    def encode(self, questions: Sequence[Question]) -> list[Row]:
        windows = [self._windows(*question.inputs) for question in questions]
        return [Row(question, _WINDOW * len(own), own) for question, own in zip(questions, windows, strict=True)]

    def forward(self, rows: Sequence[Row]) -> list[Answer]:
        windows = [window for row in rows for window in row.payload]
        with torch.inference_mode(), freeing_memory("The text does not fit"):
            batches = [
                self._logits(windows[at : at + _WINDOWS_PER_PASS]) for at in range(0, len(windows), _WINDOWS_PER_PASS)
            ]
            logits = iter([pair for batch in read_back(*batches) for pair in batch.unbind()])
        return [self._answer(row, [next(logits) for _ in row.payload]) for row in rows]

    def _read(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """The pieces of each word by itself, and the place of the word that each belongs to."""
        places = [match.span() for match in _WORD.finditer(text)]
        pieces = self._tokenizer.words([text[start:end] for start, end in places])
        return (
            [piece for word in pieces for piece in word],
            [place for word, place in zip(pieces, places, strict=True) for _ in word],
        )

    def _windows(self, question: str, text: str) -> tuple[Tokens, ...]:
        question_ids = self._tokenizer.words([question])[0][:_QUESTION]
        pieces, places = self._pieces(text)
        room = _WINDOW - len(question_ids) - 3
        starts = range(0, max(1, len(pieces) - room + _STEP), _STEP)
        return tuple(self._window(question_ids, pieces[at : at + room], places[at : at + room]) for at in starts)

    def _window(self, question_ids: Sequence[int], pieces: Sequence[int], places: Sequence[tuple[int, int]]) -> Tokens:
        before = len(question_ids) + 2
        return Tokens(
            ids=(self._cls, *question_ids, self._sep, *pieces, self._sep),
            types=(0,) * before + (1,) * (len(pieces) + 1),
            offsets=((0, 0),) * before + tuple(places) + ((0, 0),),
            special=(True,) * before + (False,) * len(pieces) + (True,),
        )

    def _logits(self, windows: Sequence[Tokens]) -> Tensor:
        """Logits of starts and ends of each window, (windows, 2, 384): padding takes part in the choice of the best."""
        batch = torch.zeros((3, len(windows), _WINDOW), dtype=torch.long)
        ids, mask, types = batch
        ids.fill_(self._network.config.pad_token_id or 0)
        for number, window in enumerate(windows):
            ids[number, : len(window)] = torch.tensor(window.ids)
            mask[number, : len(window)] = 1
            types[number, : len(window)] = torch.tensor(window.types)
        ids, mask, types = copy_to_device(batch, self._network.device)
        answer = self._network(input_ids=ids, attention_mask=mask, **segment_types(self._network, types))
        return torch.stack([answer.start_logits.float(), answer.end_logits.float()], dim=1)

    def _answer(self, row: Row, logits: Sequence[Tensor]) -> Answer:
        text, tokens = row.question.inputs[1], sum(map(len, row.payload))
        best = self._best(text, row.payload, logits)
        top = max(guess.logit for _, guess in best)
        weights = [math.exp(guess.logit - top) for _, guess in best]
        shares = [weight / math.fsum(weights) for weight in weights]
        index = next(number for number, (answer, _) in enumerate(best) if answer)
        answer, guess = best[index]
        nothing = next(share for share, (other, _) in zip(shares, best, strict=True) if not other)
        spans = (_covered_words(row.payload, guess),) if guess.window >= 0 else ()
        return Answer((shares[index], nothing), spans, (answer,), tokens=tokens)

    def _best(self, text: str, windows: Sequence[Tokens], logits: Sequence[Tensor]) -> list[tuple[str, SpanCandidate]]:
        """The best distinct answers, "" among them, in the order of their logits."""
        nothing = SpanCandidate(min((float(starts[0] + ends[0]) for starts, ends in logits), default=0.0))
        guesses = [
            guess for number in range(len(windows)) for guess in _window_candidates(windows, number, *logits[number])
        ]
        answers: dict[str, SpanCandidate] = {}
        for guess in sorted([*guesses, nothing], key=lambda candidate: candidate.logit, reverse=True):
            if len(answers) >= _BEST_STARTS:
                break
            answers.setdefault("" if guess.window < 0 else self._said(text, windows, guess), guess)
        answers.setdefault("", nothing)
        return list(answers.items()) if len(answers) > 1 else [(_NO_ANSWER_TEXT, SpanCandidate(0.0)), *answers.items()]

    def _said(self, text: str, windows: Sequence[Tokens], guess: SpanCandidate) -> str:
        ids = windows[guess.window].ids[guess.start : guess.end + 1]
        pieces = " ".join(self._tokenizer.pieces(ids)).replace(" ##", "").split()
        words = " ".join(_WORD.findall(_covered_words(windows, guess).of(text)))
        return original_spelling(" ".join(pieces), words, self._tokenizer.normal(words))


def original_spelling(answer: str, words: str, normal: str) -> str:
    """The part of the words that the pieces stand for, as it is written; all words where they do not tell."""
    start = normal.find(answer)
    if start < 0:
        return words
    written_places = [place for place, letter in enumerate(words) if letter != " "]
    normal_places = [place for place, letter in enumerate(normal) if letter != " "]
    if len(written_places) != len(normal_places):
        return words
    place = dict(zip(normal_places, written_places, strict=True))
    first, last = place.get(start), place.get(start + len(answer) - 1)
    return words if first is None or last is None else words[first : last + 1]


def _window_candidates(windows: Sequence[Tokens], number: int, starts: Tensor, ends: Tensor) -> Iterator[SpanCandidate]:
    """Starts and ends among the best of a window that make an answer; where windows overlap, the one that sees more counts."""
    window = windows[number]
    best_ends = _text_logits(window, ends)
    for start in _text_logits(window, starts):
        before = window.types.index(1)  # after the question and its two separators
        sizes = [len(tokens) - before - 1 for tokens in windows]
        piece = number * _STEP + start - before
        # of each window on its poorer side; the first of equals counts
        context = [
            min(piece - at * _STEP, at * _STEP + size - 1 - piece) + 0.01 * size
            if at * _STEP <= piece < at * _STEP + size
            else -1
            for at, size in enumerate(sizes)
        ]
        if context.index(max(context)) != number:
            continue
        for end in best_ends:
            if start <= end < start + _MAX_ANSWER_PIECES:
                yield SpanCandidate(float(starts[start]) + float(ends[end]), number, start, end)


def _text_logits(window: Tokens, logits: Tensor) -> list[int]:
    best = logits.sort(descending=True, stable=True).indices[:_BEST_STARTS].tolist()
    return [place for place in best if place < len(window) and not window.special[place]]


def _covered_words(windows: Sequence[Tokens], guess: SpanCandidate) -> Span:
    offsets = windows[guess.window].offsets
    return Span(offsets[guess.start][0], offsets[guess.end][1])


def load(path: Path, checkpoint: Checkpoint, device: str) -> WindowModel:
    network = load_network(AutoModelForQuestionAnswering.from_pretrained, path, checkpoint, device)
    return WindowModel(network, DecodingTokenizer.load(path))
