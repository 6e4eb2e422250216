"""Limit of padded tokens in one pass and in one turn: few enough for a person not to wait, and not soon again a size that did not fit."""

from __future__ import annotations

_SLICE_S = (
    0.15  # what one forward pass should take, and a turn of several: a person who comes meanwhile waits for its end
)
_MOST_PASSES = 16  # of one turn: their answers are kept and handed out together
# Of the first pass, when nobody knows how fast a model is and how much memory it takes, and of every later one where there
# are so many: a pass reads all weights, so that of 50 tokens each costs 1.6 times as much, and of 16 3.6 times (BERT, one thread).
_FEW_TOKENS = 256
# Of texts that are generated: a decoder reads all its weights for each token of its answer, so that of T5 with 144 tokens
# to read one row costs 3.3 times what each of 16 does, and with 512 tokens 1.5 times what each of 4 does (one thread).
_FEW_TOKENS_WRITING = 2048
_MEMORY_SHARE = 0.8  # of what is free, for a pass: longer texts take more for each token
_PASSES_BEFORE_MORE = 100  # that fitted, before a lowered limit is raised by a quarter; doubled each time that it fails
# A processor gains nothing from large batches and cannot stop in the middle of one.
BATCH_TOKENS = {"cpu": 1024, "mps": 16_384, "cuda": 65_536}


class BatchSize:
    """The padded tokens of the next forward pass of one model, learned from those before; `most` is what the device gains from.

    `turn_tokens` are those of the passes of a run that are made in one go, as many as a pass may take time.
    """

    def __init__(self, most: int) -> None:
        self._gain = most
        self._most = most
        self._fitted = 0  # passes near the limit since it was lowered or raised
        self._patience = _PASSES_BEFORE_MORE
        self._few_writing = _FEW_TOKENS_WRITING
        self.tokens = self.turn_tokens = min(most, _FEW_TOKENS)

    @property
    def tokens_writing(self) -> int:
        """The same where the model generates its answers."""
        return max(self.tokens, self._few_writing)

    def passed(self, tokens: int, seconds: float) -> None:
        """Learn from a pass over so many padded tokens that fitted: after many near a lowered limit more is tried."""
        self._fitted += self._most < self._gain and tokens > self._most // 2
        if self._fitted >= self._patience:
            self._fitted = 0
            self._most = min(self._gain, self._most + self._most // 4 + 1)
        fit = max(1, int(max(1, tokens) * _SLICE_S / seconds)) if seconds else self._most
        self.tokens = min(self._most, max(fit, _FEW_TOKENS))
        self.turn_tokens = min(fit, _MOST_PASSES * self.tokens)

    def took(self, tokens: int, nbytes: int, free: int) -> None:
        """Learn from the memory that a pass over so many padded tokens took, where so much of the device is free without it."""
        self._most = max(1, min(self._most, int(_MEMORY_SHARE * free * tokens / nbytes)))
        self.tokens = min(self.tokens, self._most)

    def overflowed(self, tokens: int) -> None:
        """Remember that so many padded tokens did not fit into memory: at most half of them, and twice as long before more is tried."""
        self._fitted, self._patience = 0, 2 * self._patience
        self._most = max(1, min(self._most, tokens // 2))
        self._few_writing = min(self._few_writing, self._most)
        self.tokens = min(self.tokens, self._most)
