"""Mapping of the columns of a table, as a value that can be saved, and the meanings of the words in judges' columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel, ConfigDict, ValidationError

from core.data.datasets.formats.fields import as_word
from core.data.datasets.formats.text_files import Row, open_text
from core.errors import TouchstoneError
from core.types import Split, Verdict

YES_WORDS = ("1", "1.0", "true", "yes", "y", "t")
NO_WORDS = ("0", "0.0", "false", "no", "n", "f")
"""Words whose meaning depends on the question: if a summary is consistent, or if there is an error."""

_TRUE_WORDS = (
    "ja",
    "oui",
    "sí",
    "sim",
    "wahr",
    "vrai",
    "verdadero",
    "verdadeiro",
    "vero",
    "waar",
    "prawda",
    "правда",
    "真",
    *("да", "tak", "是", "はい", "sì", "si"),
)
_FALSE_WORDS = (
    "nein",
    "nee",
    "non",
    "não",
    "falsch",
    "faux",
    "falso",
    "onwaar",
    "fałsz",
    "ложь",
    "假",
    "нет",
    "nie",
    "否",
    "いいえ",
)
CROSSES: Mapping[str, bool] = MappingProxyType(
    {**dict.fromkeys(("✓", "✔", "✔️", "✅"), True), **dict.fromkeys(("✗", "✘", "❌", "✖", "✖️", "x"), False)}
)
"""Marks that answer yes or no; a lone x in some of the rows answers yes."""

YES_ANSWERS = frozenset({*YES_WORDS, *_TRUE_WORDS, *(mark for mark, says in CROSSES.items() if says)})
NO_ANSWERS = frozenset({*NO_WORDS, *_FALSE_WORDS, *(mark for mark, says in CROSSES.items() if not says)})
ANSWER_WORDS = YES_ANSWERS | NO_ANSWERS
"""Words whose meaning depends on the question, in any language."""

CONSISTENT_WORDS = (
    *YES_WORDS,
    *_TRUE_WORDS,
    "consistent",
    "faithful",
    "supported",
    "supports",
    "grounded",
    "factual",
    "correct",
    "entailment",
    "entailed",
    "accurate",
    *("pass", "passed", "ok", "thumbs up", "thumbs_up", "thumbsup", "👍", "✓", "✔", "✔️", "✅"),
)
INCONSISTENT_WORDS = (
    *(
        *NO_WORDS,
        *_FALSE_WORDS,
        "inconsistent",
        "unfaithful",
        "unsupported",
        "nonfactual",
        "incorrect",
        "contradiction",
        "refuted",
        "refutes",
        "not grounded",
        "ungrounded",
    ),
    *(
        "hallucinated",
        "hallucination",
        "not supported",
        "not_supported",
        "not consistent",
        "not faithful",
        "inaccurate",
    ),
    *("fail", "failed", "not ok", "thumbs down", "thumbs_down", "thumbsdown", "👎", "✗", "✘", "❌", "✖", "✖️"),
)
BORDERLINE_WORDS = ("borderline", "0.5", "partial", "partially supported", "partially_supported", "mixed")
UNLABELLED_WORDS = ("unknown", "n/a", "na", "nan", "none", "null", "?", "-", "unsure", "not sure", "skip")

SPLIT_WORDS: Mapping[str, Split] = MappingProxyType(
    {
        **dict.fromkeys(("train", "training"), Split.TRAIN),
        **dict.fromkeys(("dev", "development", "val", "valid", "validation", "eval", "evaluation"), Split.DEV),
        **dict.fromkeys(("test", "testing"), Split.TEST),
    }
)
"""Names of the splits."""


_FIELDS_WITHOUT_COLUMN = {
    *("annotators", "opposed", "scores", "ratings", "slices", "edited_label"),
    *("consistent", "inconsistent", "borderline", "unlabelled"),
}


class ScoreColumn(BaseModel):
    """A column with a metric's scores, of the summaries or of the edited ones.

    Higher is more consistent; where lower is better the scores are kept with the opposite sign, under `<metric> (negated)`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    column: str
    metric: str
    edited: bool = False
    lower_is_better: bool = False

    @property
    def kept_as(self) -> str:
        """The name under which its scores are kept."""
        return f"{self.metric} (negated)" if self.lower_is_better else self.metric


class ColumnMap(BaseModel):
    """The columns of a table by what they mean, "" for a field that has none.

    Without a `document` the `contexts` make it, or it is joined later by `group`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    summary: str
    """The summary, or the one that was edited where there is an edit."""

    document: str = ""
    """The source text, or its sentences or turns as a list."""

    id: str = ""
    """The name of the sample; rows without one are numbered."""

    edited: str = ""
    """The summary after an edit."""

    edits: str = ""
    """The executable edits of the summary, as JSON."""

    label: str = ""
    """The verdict on the summary, of the edited one if there is an edit."""

    consistent: tuple[str, ...] = CONSISTENT_WORDS
    """Words of the label and of annotators, in lower case, that mean consistent."""

    inconsistent: tuple[str, ...] = INCONSISTENT_WORDS
    """Words in lower case that mean inconsistent; together these lists are the polarity."""

    borderline: tuple[str, ...] = BORDERLINE_WORDS
    """Words in lower case that mean borderline."""

    unlabelled: tuple[str, ...] = UNLABELLED_WORDS
    """Words in lower case that say nothing."""

    edited_label: Verdict | None = None
    """The verdict on edited summaries in a table without a label, in which the originals are consistent; else None."""

    error_type: str = ""
    """The name of an error type."""

    group: str = ""
    """The key of the document: summaries of one document share it."""

    domain: str = ""
    """The kind or corpus of the document."""

    title: str = ""
    """The heading of the document."""

    claims: str = ""
    """The claims of the summary, as a list of texts or of objects with text, start and end."""

    contexts: str = ""
    """The passages or turns of the document, as a list or JSON."""

    question: str = ""
    """The question that the summary answers."""

    system: str = ""
    """The model or person that wrote the summary."""

    split: str = ""
    """The part of the dataset: train, dev or test."""

    annotators: tuple[str, ...] = ()
    """Columns of one judge each, with that judge's verdict."""

    annotator: str = ""
    """The judge's name, in a table that has a row for each judge."""

    opposed: bool = False
    """True if an annotator's yes means the label's no."""

    ratings: tuple[str, ...] = ()
    """Columns of levels that people gave, higher is better."""

    slices: tuple[str, ...] = ()
    """Columns whose values name parts of the data as "COLUMN: value"; one that is called slices, the values alone."""

    scores: tuple[ScoreColumn, ...] = ()
    """Columns of metrics' scores."""

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """Verdict of each word; of a word that is listed twice, the latter."""
        return (
            dict.fromkeys(self.consistent, Verdict.CONSISTENT)
            | dict.fromkeys(self.inconsistent, Verdict.INCONSISTENT)
            | dict.fromkeys(self.borderline, Verdict.BORDERLINE)
        )

    @property
    def yes(self) -> bool:
        """True if a label of yes or 1 says that the summary is consistent."""
        return self.verdicts.get("1") is Verdict.CONSISTENT

    @property
    def votes(self) -> dict[str, Verdict]:
        """Verdict of each word when an annotator says it."""
        return self.flipped().verdicts if self.opposed else self.verdicts

    def single(self) -> dict[str, str]:
        """Field → column, for the fields of one column that the table has."""
        values: dict[str, str] = self.model_dump(exclude=_FIELDS_WITHOUT_COLUMN)
        return {field: column for field, column in values.items() if column}

    def used(self) -> list[tuple[str, str]]:
        """Purpose and name of each mapped column."""
        judges = [("annotator", column) for column in self.annotators]
        ratings = [("rating", column) for column in self.ratings]
        slices = [("slices", column) for column in self.slices]
        scores = [(f"score of {score.metric}", score.column) for score in self.scores]
        return [*self.single().items(), *judges, *ratings, *slices, *scores]

    def flipped(self) -> ColumnMap:
        """The same columns where yes says that an error is there, instead of that none is."""
        return self.model_copy(
            update={
                "consistent": _swap_answers(self.consistent, self.inconsistent),
                "inconsistent": _swap_answers(self.inconsistent, self.consistent),
            }
        )

    def to_json(self) -> str:
        """JSON that `load_column_map` reads again; the words of a label are listed, so that a person can move them."""
        spelt = ("consistent", "inconsistent", "borderline", "unlabelled")
        words = set(spelt) if self.label or self.annotators else set()
        filled = self.model_dump(exclude_defaults=True).keys()
        return self.model_dump_json(indent=2, include=filled | words) + "\n"


def _swap_answers(side: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words of one side, with yes and no from the other instead of its own."""
    return (*(word for word in other if word in ANSWER_WORDS), *(word for word in side if word not in ANSWER_WORDS))


def load_column_map(path: Path) -> ColumnMap:
    """A mapping that was saved. Raises TouchstoneError with the name of the field that is wrong."""
    with open_text(path) as file:
        text = file.read()
    try:
        return ColumnMap.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the file"
        field_names = ", ".join(ColumnMap.model_fields)
        raise TouchstoneError(
            f"{path.name} is no mapping: {field}: {first['msg']}. Known fields: {field_names}."
        ) from None


def is_filled(row: Row, column: str) -> bool:
    """True if a cell holds something; NaN is nothing, and neither is a list without entries."""
    value = row.get(column)
    return (
        value is not None and value == value and value != [] and str(value).strip() != ""
    )  # only NaN differs from itself


def label_word(row: Row, column: str) -> str:
    """A cell as a word of a label."""
    return as_word(row[column])


def label_words(row: Row, column: str) -> list[str]:
    """The words of a label: one, or that of each sentence where the cell lists as many as the row has sentences."""
    cell = row[column]
    if not isinstance(cell, list) or len(cell) < 2:
        return [label_word(row, column)]
    lists = (value for name, value in row.items() if name != column and isinstance(value, list))
    if not any(
        len(entries) == len(cell) and all(isinstance(text, str) and " " in text for text in entries)
        for entries in lists
    ):
        return [label_word(row, column)]
    return [as_word(word) for word in cell]


NLI_COLUMNS = frozenset(
    {("premise", "hypothesis"), ("context", "hypothesis"), ("sentence1", "sentence2"), ("text1", "text2")}
)
"""Names of document and summary in data of natural language inference, whose numbers mostly count entailment as 0."""


def open_classes(rows: Sequence[Row], columns: ColumnMap) -> tuple[str, ...]:
    """The words of a label, where the mapping gives none of them a meaning: they wait for a person.

    Without a label those of the judges who vote.
    """
    sources = (columns.label,) if columns.label else voting_columns(rows, columns)
    cells = (label_words(row, column) for row in rows for column in sources if is_filled(row, column))
    words = {word for cell in cells for word in cell if word not in UNLABELLED_WORDS}
    return () if any(word in columns.verdicts for word in words) else tuple(sorted(words))


def with_consistent_words(rows: Sequence[Row], columns: ColumnMap, consistent_words: Sequence[str]) -> ColumnMap:
    """The mapping in which these words of the label mean a consistent summary, and its others in these rows an inconsistent one.

    Where classes are counted from 0 a label of -1 is none. Raises TouchstoneError for a word that the label does not say.
    """
    cells = (label_words(row, columns.label) for row in rows if columns.label and is_filled(row, columns.label))
    words = dict.fromkeys(word for cell in cells for word in cell)
    unknown = [word for word in consistent_words if word not in words]
    if unknown or not consistent_words:
        raise TouchstoneError(
            f"The label {columns.label!r} does not say {', '.join(unknown) or 'anything'}. Its words are {', '.join(words) or 'none'}."
        )
    none = {*UNLABELLED_WORDS, *({"-1"} if {"0", "-1"} <= words.keys() else ())} - {*consistent_words}
    return columns.model_copy(
        update={
            "consistent": tuple(consistent_words),
            "inconsistent": tuple(word for word in words if word not in none and word not in consistent_words),
            "borderline": (),
            "unlabelled": tuple(dict.fromkeys((*UNLABELLED_WORDS, *(word for word in words if word in none)))),
        }
    )


def voting_columns(rows: Sequence[Row], columns: ColumnMap) -> frozenset[str]:
    """The judges whose first words all are words of a label; the others rate, among them who once says 1 of 5."""
    votes = {*columns.votes, *columns.unlabelled}
    return frozenset(
        judge
        for judge in columns.annotators
        if all(label_word(row, judge) in votes for row in rows if is_filled(row, judge))
    )


def votes_oppose_label(rows: Sequence[Row], columns: ColumnMap) -> bool:
    """True if the votes contradict the label more often than they agree: their yes then means its no."""
    if not columns.label:
        return False
    verdicts, votes = columns.verdicts, voting_columns(rows, columns)
    agreed = Counter(
        verdicts.get(label_word(row, columns.label)) is verdicts.get(label_word(row, judge))
        for row in rows
        for judge in votes
        if is_filled(row, columns.label) and is_filled(row, judge)
    )
    return agreed[False] > agreed[True]
