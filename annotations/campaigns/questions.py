"""Question sets: the questions about an item, read from YAML and checked, and the checks of answers against them and the texts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml  # type: ignore[import-untyped]  # it ships no types
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from annotations.campaigns.error_types import MEANINGS_OF_BEFORE, error_type_meanings
from annotations.store.records import PairRecord, RecordError, require_storable
from core.errors import EditError
from core.text import apply, parse, recover
from core.types import Edit, ErrorType, Example, Verdict

Unit = Literal["pair", "summary", "explanation"]
"""Kind of the items of a campaign: an original with its edited version, a summary, or an explanation with its pair."""

QuestionKind = Literal[
    "choice", "several", "scale", "slider", "ranking", "best-worst", "soft", "text", "span", "link", "edit"
]
WITH_OPTIONS = frozenset({"choice", "several", "ranking", "best-worst", "soft"})
"""Kinds of questions that have options."""
_WHOLE = 100  # per cent that the options of a soft label share
_MOST_STEPS = 1000
Answer = str | int | list[Any] | None
Answers = Mapping[str, Answer]

_SETS_FOLDER = Path(__file__).parent / "sets"
_ID_PATTERN = r"^[a-z][a-z0-9_]*$"
_MAX_OPTIONS = 12
_MOST_CATEGORIES = 9  # keys 1 to 9


class _FrozenQuestionPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Option(_FrozenQuestionPart):
    """One answer to choose: what is stored, what is read, and what it means."""

    value: str = Field(min_length=1, max_length=80)
    text: str = Field(min_length=1)
    means: str = ""


class CampaignQuestion(_FrozenQuestionPart):
    """One question of a set, with the answers that it allows.

    A `choice` has one of `options`, `several` any of them; a `scale` runs from `low` to `high` by buttons, a `slider` in up to 1,000
    steps; an `edit` is made in the editor. A `ranking` has all options, the first one first, `best-worst` two of them, and a `soft`
    label the per cent of each option, in their order, 100 in all. A `span` has pieces of the document or of the summary, each [start, end) in code points, of a pair with the side:
    [start, end, "left"]; one with options has the category of each piece as its last: [start, end, "EntE"]. A `link` has claims of the summary with the passages that decide them, each
    {"claim": [start, end], "evidence": [start, end]}.
    """

    id: Annotated[str, Field(pattern=_ID_PATTERN)]
    """Name of the question in answers and exports, unique in its set."""
    ask: str = Field(min_length=1)
    """Text that annotators read."""
    kind: QuestionKind
    """Form of the answer."""
    options: tuple[Option, ...] = Field(default=(), max_length=_MAX_OPTIONS)
    """Answers to choose from, of a `span` the categories of a piece; empty for kinds that have none."""
    low: int = 1
    """Lowest value of a scale or slider."""
    high: int = 5
    """Highest value of a scale or slider."""
    of: Literal["document", "summary"] = "document"
    """Text in which the passages of a `span` are marked."""
    required: bool = True
    """True if a label cannot be saved without an answer, where the question is asked."""
    when: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Earlier questions, each with the answers after which this one is asked; empty: always."""
    ordered: bool = False
    """True if the options are an order, so that agreement counts the distance between answers."""
    hint: str = ""
    """Note below the question; "" for none."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind != "span" and (self.kind in WITH_OPTIONS) != bool(self.options):
            raise ValueError(f"question {self.id!r}: {self.kind} {'needs' if not self.options else 'has no'} options")
        if self.kind == "span" and len(self.options) > _MOST_CATEGORIES:
            raise ValueError(f"question {self.id!r}: a span has up to {_MOST_CATEGORIES} categories, one for each key")
        if self.kind == "best-worst" and len(self.options) < 3:
            raise ValueError(f"question {self.id!r}: best-worst needs three options or more")
        if len({option.value for option in self.options}) < len(self.options):
            raise ValueError(f"question {self.id!r}: two options have the same value")
        if self.kind == "scale" and not self.low < self.high <= self.low + 9:
            raise ValueError(f"question {self.id!r}: a scale has two to ten steps; got {self.low} to {self.high}")
        if self.kind == "slider" and not self.low < self.high <= self.low + _MOST_STEPS:
            raise ValueError(
                f"question {self.id!r}: a slider has up to {_MOST_STEPS} steps; got {self.low} to {self.high}"
            )
        return self

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(option.value for option in self.options)


class QuestionSet(_FrozenQuestionPart):
    """Questions of a campaign, with the texts that they are about."""

    name: str = Field(min_length=1, max_length=80)
    """Identifier of the set in files and lists."""
    title: str = Field(min_length=1)
    """Title for people."""
    unit: Unit
    """Kind of text that is labelled: a summary, a pair or an explanation."""
    source: str = ""
    """Paper that the questions are from; "" for none."""
    questions: tuple[CampaignQuestion, ...] = Field(min_length=1)
    """Questions in the order in which they are asked."""
    measure: str
    """Id of the question that agreement, gold and qualification look at."""
    required_type: bool = False
    """True if every item comes with the error type that is to be written."""
    edits: Literal["some", "one", "any"] = "some"
    """Pairs and explanations that fit: of an edited summary (`some`), of a single edit (`one`), or, explanations only, of an unedited summary as well (`any`)."""
    guidelines: str = ""
    """Guidelines (Markdown) for campaigns that state none of their own."""
    error_types: int = MEANINGS_OF_BEFORE
    """Version of the meanings of error types that its texts carry."""

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        earlier: dict[str, CampaignQuestion] = {}
        for question in self.questions:
            if question.id in earlier:
                raise ValueError(f"two questions are called {question.id!r}")
            for name, values in question.when.items():
                if name not in earlier:
                    raise ValueError(f"question {question.id!r}: when names {name!r}, which is no earlier question")
                wrong = sorted(set(values) - set(earlier[name].values))
                if wrong:
                    raise ValueError(f"question {question.id!r}: {name!r} has no option {', '.join(map(repr, wrong))}")
            if self.unit != "summary" and question.kind == "link":
                raise ValueError(f"question {question.id!r}: a link needs one summary; unit: summary")
            if self.unit == "explanation" and question.kind == "span" and question.of == "summary":
                raise ValueError(
                    f"question {question.id!r}: words of a marked difference cannot be marked; of: document"
                )
            earlier[question.id] = question
        if self.edits == "any" and self.unit == "pair":
            raise ValueError("edits: a pair is edited; edits: some or one")
        if self.measure not in earlier or earlier[self.measure].kind not in {"choice", "scale"}:
            raise ValueError(f"measure: {self.measure!r} is not the id of a choice or a scale among the questions")
        return self

    @property
    def by_id(self) -> dict[str, CampaignQuestion]:
        return {question.id: question for question in self.questions}

    def measured(self, answers: Answers) -> Answer:
        """The answer to the question that agreement looks at."""
        return answers.get(self.measure)


_MAX_QUESTION_SET = 50_000  # characters: ten times the longest that comes with Touchstone; YAML is read slowly


@lru_cache(maxsize=256)  # reading YAML takes longer than all else between a label and the next task
def read_questions(text: str) -> QuestionSet:
    """The question set of a YAML text. Raises RecordError, which names the place, for one that cannot be used."""
    require_storable("the question set", text, most=_MAX_QUESTION_SET)
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:
        raise RecordError(f"The question set is no YAML: {' '.join(str(error).split())}. Fix it there.") from None
    except RecursionError:
        raise RecordError(
            "The question set is nested too deeply to be read. Write it as the ready-made ones."
        ) from None
    if not isinstance(data, dict):
        raise RecordError(
            "The question set is no mapping. It begins with name:, title:, unit:, measure: and questions:."
        )
    try:
        return QuestionSet.model_validate(data)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, detail['loc'])) or 'the set'}: {detail['msg']}" for detail in error.errors()
        )
        raise RecordError(f"The question set cannot be used: {wrong}.") from None


@cache
def bundled_question_sets() -> Mapping[str, str]:
    """The YAML of each question set that comes with Touchstone, by its name."""
    fill = error_type_meanings().fill
    return {file.stem: fill(file.read_text(encoding="utf-8")) for file in sorted(_SETS_FOLDER.glob("*.yaml"))}


def is_asked(question: CampaignQuestion, answers: Answers) -> bool:
    """True if the answers so far lead to a question."""
    return all(answers.get(name) in values for name, values in question.when.items())


def check_answers(questions: QuestionSet, answers: Answers) -> dict[str, Answer]:
    """The answers that belong to questions that came up, in their order.

    Raises RecordError for one that is missing, of another kind, or to a question that is not asked.
    """
    unknown = sorted(set(answers) - set(questions.by_id))
    if unknown:
        raise RecordError(f"There is no question {unknown[0]!r} in {questions.name!r}. Reload the page.")
    accepted: dict[str, Answer] = {}
    for question in questions.questions:
        answer = answers.get(question.id)
        if not is_asked(question, accepted):
            continue
        if answer in (None, "", []):
            if question.required:
                raise RecordError(f"“{question.ask}” is not answered yet.")
            continue

        if not _is_answer(question, answer):
            raise RecordError(f"{answer!r} is no answer to “{question.ask}”. Choose one of those that are offered.")
        for text in (part for part in (answer if isinstance(answer, list) else [answer]) if isinstance(part, str)):
            require_storable(f"the answer to “{question.ask}”", text)
        accepted[question.id] = answer
    return accepted


_OTHER_SIDE = {"left": "right", "right": "left"}


def unswap_answers(questions: QuestionSet, answers: Mapping[str, Any], swapped: bool) -> dict[str, Any]:
    """Answers with left and right exchanged if `swapped`: from the sides as shown to the original on the left, or back."""
    if not swapped:
        return dict(answers)
    return {name: _mirror_answer(questions.by_id.get(name), answer) for name, answer in answers.items()}


def _mirror_answer(question: CampaignQuestion | None, answer: Any) -> Any:
    match question.kind if question else None:
        case "choice":
            return _OTHER_SIDE.get(answer, answer)
        case "ranking" | "best-worst":
            return [_OTHER_SIDE.get(value, value) for value in answer]
        case "soft" if question:
            shares = dict(zip(question.values, answer, strict=True))
            return [shares.get(_OTHER_SIDE.get(value, value), shares[value]) for value in question.values]
        case "span":
            return [
                [*piece[:2], *(_OTHER_SIDE[side] for side in _side(question, piece)), *_category(question, piece)]
                for piece in answer
            ]
    return answer


def _side(question: CampaignQuestion | None, piece: Sequence[Any]) -> Sequence[str]:
    return piece[2:-1] if question and question.options else piece[2:]


def _category(question: CampaignQuestion | None, piece: Sequence[Any]) -> Sequence[str]:
    return piece[-1:] if question and question.options else ()


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A piece of a text that was marked; `side` of a pair and `category` are "" where there is none."""

    start: int
    end: int
    side: str = ""
    category: str = ""


def read_passage(question: CampaignQuestion, piece: Sequence[Any]) -> MarkedPassage:
    """The passage of one piece of an answer to a `span`."""
    return MarkedPassage(*piece[:2], "".join(_side(question, piece)), "".join(_category(question, piece)))


def _is_answer(question: CampaignQuestion, answer: Answer) -> bool:
    match question.kind:
        case "choice":
            return answer in question.values
        case "scale" | "slider":
            return type(answer) is int and question.low <= answer <= question.high
        case "text":
            return isinstance(answer, str)
        case _:
            return isinstance(answer, list) and _is_list_answer(question, answer)


def _is_list_answer(question: CampaignQuestion, answer: list[Any]) -> bool:
    values = question.values
    match question.kind:
        case "several":
            fits = all(values.count(value) == answer.count(value) == 1 for value in answer)
        case "ranking":
            fits = len(answer) == len(values) and all(answer.count(value) == 1 for value in values)
        case "best-worst":
            fits = len(answer) == 2 and all(values.count(value) == answer.count(value) == 1 for value in answer)
        case "soft":
            whole = all(type(share) is int and share >= 0 for share in answer)
            fits = whole and len(answer) == len(values) and sum(map(int, answer)) == _WHOLE
        case "span":
            fits = all(
                isinstance(piece, list)
                and _is_span([*piece[:2], *_side(question, piece)])
                and all(category in values for category in _category(question, piece))
                for piece in answer
            )
        case "link":
            fits = all(_is_link(piece) for piece in answer)
        case _:
            fits = all(isinstance(record, dict) for record in answer)
    return fits


def _is_link(link: object) -> bool:
    match link:
        case {"claim": [_, _] as claim, "evidence": [_, _] as evidence, **rest}:
            return not rest and _is_span(claim) and _is_span(evidence)
    return False


def _is_span(piece: object) -> bool:
    match piece:
        case [start, end] | [start, end, "left" | "right"]:
            return type(start) is int and type(end) is int and 0 <= start < end
    return False


_WORD = re.compile(r"\w+")
_MAX_STRETCH_WORDS = 15  # words of the summary between the first and the last that changed
_MIN_LENGTH_RATIO, _MAX_LENGTH_RATIO = 0.6, 1.6  # words of the new summary by those of the old one
_MOST_CHARACTERS_RATIO = 4  # characters of the new summary by those of the old one
_MIN_KEPT_SHARE = 0.5  # share of the old words that stay


@dataclass(frozen=True, slots=True)
class EditSource:
    """Author of an edit, its campaign and its error type."""

    by: str
    source: str
    error_type: str


def check_text_answers(
    questions: QuestionSet, answers: Answers, document: str, left_text: str, right_text: str | None
) -> None:
    """Raise RecordError for a marked passage that lies outside its text and for an edit that is not as BUMP asks.

    `left_text` and `right_text` are the summaries as they were shown; `right_text` is None for a single summary.
    """
    for question in questions.questions:
        answer = answers.get(question.id)
        if question.kind == "span" and isinstance(answer, list):
            for piece in answer:
                side = _side(question, piece)
                expected = 1 if question.of == "summary" and right_text is not None else 0
                if len(side) != expected:
                    raise RecordError(f"A passage of “{question.ask}” does not say on which side it is. Mark it again.")
                if question.of == "document":
                    marked_text = document
                else:
                    marked_text = right_text if right_text is not None and "right" in side else left_text
                _check_span(piece[:2], marked_text)
        if question.kind == "link" and isinstance(answer, list):
            for link in answer:
                _check_span(link["claim"], left_text)
                _check_span(link["evidence"], document)
        if question.kind == "edit" and isinstance(answer, list):
            parse_answer_edits(answer, left_text, _given_explanation(answers))


def pair_from_answers(
    questions: QuestionSet, answers: Answers, about: Example, source: EditSource
) -> PairRecord | None:
    """Minimal pair that the edit in an answer makes of a summary; None without an edit."""
    summary = about.summary
    for question in questions.questions:
        answer = answers.get(question.id)
        if question.kind == "edit" and isinstance(answer, list):
            edits = tuple(
                replace(edit, by=source.by) for edit in parse_answer_edits(answer, summary, _given_explanation(answers))
            )
            return PairRecord(
                about.document,
                summary,
                apply(summary, edits),
                edits,
                by=source.by,
                intended=Verdict.INCONSISTENT,
                error_type=ErrorType(source.error_type) if source.error_type else None,
                source=source.source,
                contexts=about.contexts,
                question=about.question,
            )
    return None


def apply_answer_edit(summary: str, records: Sequence[Any]) -> str:
    """Summary after a stored edit; unchanged if the edit does not fit it."""
    try:
        return apply(summary, parse(json.dumps([{**record, "explanation": "-"} for record in records]), summary))
    except EditError:
        return summary


def parse_answer_edits(records: Sequence[Any], summary: str, explanation: str) -> list[Edit]:
    """The edits of an answer, with the explanation of the answers. Raises RecordError where they are not one local change that reads as well as before.

    Local: it begins and ends within 15 words. The new summary has six to sixteen tenths of the words, keeps half of the old
    ones, and differs in more than punctuation and case.
    """
    try:
        edits = parse(json.dumps([{**record, "explanation": explanation} for record in records]), summary)
        edited = apply(summary, edits)
    except EditError as error:
        raise RecordError(str(error)) from None
    # lengths before differences, which take seconds to find in a long text
    if len(edited) > _MOST_CHARACTERS_RATIO * len(summary):
        raise RecordError(
            f"The summary had {len(summary):,} characters and has {len(edited):,} now. Keep it about as long as it was."
        )
    before, after = _casefolded_words(summary), _casefolded_words(edited)
    if before == after:
        raise RecordError("Only punctuation, case or blanks changed. Change what the summary says.")
    if not _MIN_LENGTH_RATIO * len(before) <= len(after) <= _MAX_LENGTH_RATIO * len(before):
        raise RecordError(
            f"The summary had {len(before)} words and has {len(after)} now. Keep it about as long as it was."
        )
    if sum((Counter(before) & Counter(after)).values()) < _MIN_KEPT_SHARE * len(before):
        raise RecordError("Less than half of the summary is left. Change one detail and keep the rest.")
    changes = recover(summary, edited)
    if len(_WORD.findall(summary[changes[0].span.start : changes[-1].span.end])) > _MAX_STRETCH_WORDS:
        raise RecordError(f"The changes are more than {_MAX_STRETCH_WORDS} words apart. Make one change in one place.")
    return edits


def _given_explanation(answers: Answers) -> str:
    return str(answers.get("explanation") or "No explanation was asked for.")


def _check_span(span: Sequence[int], text: str) -> None:
    if span[1] > len(text):
        raise RecordError(
            f"A marked passage ends at {span[1]}, and the text has {len(text)} characters. Mark it again."
        )


def _casefolded_words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
