"""Two columns of which one has codes and the other says in words what they mean, as `label` and `label_text`."""

from __future__ import annotations

from collections.abc import Iterable

from core.data.datasets.formats.column_map import is_filled, label_words
from core.data.datasets.formats.label_column import TEXT_ENDINGS, spelling
from core.data.datasets.formats.polarity import value_direction
from core.data.datasets.formats.text_files import Row
from core.errors import TouchstoneError
from core.types import Verdict


class Codebook:
    """Meanings of codes by the words beside them, learnt row by row."""

    def __init__(self, codes: str, words: str) -> None:
        self._codes, self._words = codes, words
        self._meanings: dict[str, Verdict] = {}

    def check(self, row: Row) -> None:
        """Raises TouchstoneError for a row whose words contradict those of an earlier row with the same code."""
        if not is_filled(row, self._codes) or not is_filled(row, self._words):
            return
        [code, *_], [word, *_] = label_words(row, self._codes), label_words(row, self._words)
        verdict = value_direction(word)
        if verdict is None:
            return
        before = self._meanings.setdefault(code, verdict)
        if before is not verdict:
            raise TouchstoneError(
                f"{self._codes} is {code}, and {self._words} says {verdict} here and {before} in an earlier row. Correct the row, or "
                "leave one of the two columns out."
            )


def codebook_of(columns: Iterable[str], label: str) -> Codebook | None:
    """The codebook of a label: the column of codes beside its words, or of words beside its codes; None without one."""
    names = {spelling(column): column for column in columns}
    own = spelling(label)
    for ending in TEXT_ENDINGS:
        codes = own.removesuffix(ending)
        if own != codes and codes in names:
            return Codebook(names[codes], label)
        if f"{own}{ending}" in names:
            return Codebook(label, names[f"{own}{ending}"])
    return None
