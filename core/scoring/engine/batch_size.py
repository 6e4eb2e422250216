"""Size of the next forward pass of a model, in tokens: by the seconds that passes take, and by what did not fit into memory."""

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
# For each token of an answer a device reads all weights, however many rows are written: twice as many are tried as long as a token takes
# that much less time. A run of a judge of 7 B parameters has 93 rows of 700 tokens in a pass in place of two.
_LEAST_GAIN = 1.2
_MEMORY_SHARE = 0.4  # of what is free, for each of the two passes of a GPU: longer texts take more for each token
_PASSES_BEFORE_MORE = (
    3  # that fitted, before a limit that was too high is doubled; twice as many each time that this fails
)
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
        self._tried = False  # more than a lowered limit, since memory ran out last
        self._passes_before_more = 1  # where memory did not run out, the limit was a guess
        self._few_writing = _FEW_TOKENS_WRITING
        self._best_rate = 0.0  # padded tokens a second of passes that write
        self.tokens = self.turn_tokens = min(most, _FEW_TOKENS)

    @property
    def tokens_writing(self) -> int:
        """The same where the model generates its answers."""
        return max(self.tokens, self._few_writing)

    def passed(self, tokens: int, seconds: float, *, writes: bool = False) -> None:
        """Learn from a pass of this many padded tokens that fitted: after some near a lowered limit twice as many are tried."""
        self._fitted += self._most < self._gain and tokens > self._most // 2
        if self._fitted >= self._passes_before_more:
            self._fitted, self._best_rate, self._passes_before_more = 0, 0.0, 1
            self._most = min(self._gain, 2 * self._most)
            self._tried = True
        if writes and seconds and 2 * tokens > self.tokens_writing and tokens / seconds > _LEAST_GAIN * self._best_rate:
            self._best_rate = tokens / seconds
            self._few_writing = max(self._few_writing, min(self._most, 2 * self._few_writing))
        fit = max(1, int(max(1, tokens) * _SLICE_S / seconds)) if seconds else self._most
        self.tokens = min(self._most, max(fit, _FEW_TOKENS))
        self.turn_tokens = min(fit, _MOST_PASSES * self.tokens)

    def took(self, tokens: int, nbytes: int, free: int) -> None:
        """Learn from the memory that a pass of this many padded tokens took, and the memory that is free without it."""
        self._most = max(1, min(self._most, int(_MEMORY_SHARE * free * tokens / nbytes)))
        self._few_writing = min(self._few_writing, self._most)
        self.tokens = min(self.tokens, self._most)

    def overflowed(self, tokens: int) -> None:
        """Remember that this many padded tokens did not fit into memory: halve the limit, and wait longer where more was tried."""
        if self._tried:
            self._patience *= 2
        self._fitted, self._tried, self._passes_before_more = 0, False, self._patience
        self._most = max(1, min(self._most, tokens // 2))
        self._few_writing = min(self._few_writing, self._most)
        self.tokens = min(self.tokens, self._most)
