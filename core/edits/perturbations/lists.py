"""Lists and prose: the same sentences as list items, items as sentences, and items in another order."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from core.edits.perturbation import OUR_RULE, PERTURBATIONS, LayoutTwin, PerturbationCard, layout_words
from core.text import STOP, TextLine, layout_units, part_of_speech_tags, read_lines, refers_back, words
from core.types import Edit, Span

_MARKS = {"dash": "-", "star": "*", "bullet": "•", "number": ""}
_PLAIN_BULLET = re.compile(r"[-–—*•‣⁃◦∙·▪▫■□●○◆◇➢➤►▶→][ \t\u00a0]+|[^\[]*\w[^\[]*")
_AFTER_ANOTHER = re.compile(
    r"\b(?:after (?:that|this)|as a (?:result|consequence)|later|afterwards?|since then|consequently|subsequently|eventually|"
    r"because|in (?:response|return|reply|turn))\b",
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"(?:[:;,(–—-]|\b(?:and|or))$")
_BULLET = re.compile(r"[^\w\s]+[ \t\u00a0]+(?:\[[ xX]\][ \t]+)?")
_ORDERED = re.compile(
    r"\b(?:steps?|order(?:ed)?|rank\w*|top (?:three|five|ten|\d+)|chronolog\w*|timeline|first|second|third|next|then|finally|lastly)\b",
    re.IGNORECASE,
)


@PERTURBATIONS.add
@dataclass(frozen=True)
class AsList(LayoutTwin):
    """Writes each sentence as an item, in the same order; the `mark` is a dash, a star, a bullet or a number."""

    name: ClassVar[str] = "as-list"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Prose as a list",
        intent="preserving",
        does="Writes each sentence as an item of a list.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = (
        "The summary is no prose of two sentences or more without lists, headings and tables."
    )

    mark: Literal["dash", "star", "bullet", "number"] = "dash"

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        units = layout_units(summary)
        if len(units) < 2 or any(line.is_marked for line in read_lines(summary)):
            return []
        gaps = [Span(0, units[0].start), *(Span(before.end, after.start) for before, after in pairwise(units))]
        return [
            Edit(gap, f"{chr(10) if number > 1 else ''}{_MARKS[self.mark] or f'{number}.'} ")
            for number, gap in enumerate(gaps, start=1)
        ]


@PERTURBATIONS.add
class AsProse(LayoutTwin):
    """Writes list items as sentences after each other: with a capital, and with a full stop where an item has none.

    Items that a line before them, or the item before, says more of are left alone, and so are boxes, ticks, and plus and minus.
    """

    name: ClassVar[str] = "as-prose"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="List as prose",
        intent="preserving",
        does="Writes the items of a list as sentences after each other.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = (
        "The summary is no list of two items or more that are sentences by themselves: without a line over them, headings, "
        "tables, items of items, and marks that say something, as boxes and ticks do."
    )

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        lines = [line for line in read_lines(summary) if line.content.start < line.content.end]
        if sum(line.is_marked for line in lines) < 2 or any(_is_no_sentence(summary, line) for line in lines):
            return []
        edits = [_opened(summary, Span(0, lines[0].content.start), "")]
        for before, after in pairwise(lines):
            gap = Span(before.content.end, after.content.start)
            if after.joins:
                edits.append(Edit(gap, " "))
            else:
                edits.append(_opened(summary, gap, f"{_stop_after(summary, before)} "))
        end = lines[-1].content.end
        return [*edits, Edit(Span(end, len(summary)), _stop_after(summary, lines[-1]))]


def _is_no_sentence(summary: str, line: TextLine) -> bool:
    """True for a heading, a row, code, an item of an item or with a mark that says something, a line that is no item or goes on."""
    content = line.content.of(summary)
    starts_line = summary.rfind("\n", 0, line.content.start) + 1
    indent = re.match(r"\s*", summary[starts_line : line.content.start])
    nested = line.is_marked and indent is not None and len(indent.group()) > 1
    unmarked = not line.is_marked and not line.joins  # it may deny the items, or say whose words they are
    mark = summary[starts_line : line.content.start].lstrip()
    says_more = line.is_marked and bool(mark) and not _PLAIN_BULLET.fullmatch(mark)
    is_open = bool(_OPEN_END.search(content)) or "`" in content
    return line.is_heading or bool(line.pipes) or nested or unmarked or says_more or is_open


def _stop_after(summary: str, line: TextLine) -> str:
    return "" if STOP.search(line.content.of(summary)) else "."


def _opened(summary: str, gap: Span, new: str) -> Edit:
    """The text before a sentence, and the first letter of this as a capital where its word has small letters alone."""
    word = re.match(r"[a-z]+(?![\w.-])", summary[gap.end :])
    if word is None:
        return Edit(gap, new)
    return Edit(Span(gap.start, gap.end + 1), new + word.group()[0].upper())


@PERTURBATIONS.add
class ItemOrder(LayoutTwin):
    """Puts the bullets of a list into another order by the seed; what refers back, and items of an item, move with the one before.

    Numbered lists, questions, instructions, enumerations, and texts that speak of steps, ranks or an order, are left alone.
    Bullets with different marks, as ticked and empty boxes, do not change places.
    """

    name: ClassVar[str] = "item-order"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Bullets in another order",
        intent="preserving",
        does="Puts the bullets of a list into another order; a bullet that refers back stays behind the one before it.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = (
        "The summary has no two bullets that can change places: they must have no numbers, refer to none before them, and not "
        "be instructions, questions, ranks or a sequence."
    )

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:
        if _ORDERED.search(summary):
            return []
        edits: list[Edit] = []
        for items in _lists(summary):
            texts = [item.of(summary) for item in items]
            if len({*texts}) < 2 or _have_an_order(texts):
                continue
            order = texts
            while order == texts:
                order = rng.sample(texts, len(texts))
            edits += [Edit(item, new) for item, new in zip(items, order, strict=True)]
        return edits

    def says_the_same(self, before: str, after: str) -> bool:
        return sorted(layout_words(before)) == sorted(layout_words(after))


def _lists(summary: str) -> list[list[Span]]:
    """The contents of the bullets of each list, with what belongs to them."""
    lists: list[list[Span]] = []
    indent: int | None = None  # of the bullets of the list that is read; None outside of lists
    mark = ""  # of the same bullets
    for line in read_lines(summary):
        content = line.content.of(summary)
        if not content:
            continue
        begun = summary.rfind("\n", 0, line.content.start) + 1
        before = summary[begun : line.content.start]
        own_indent = len(before) - len(before.lstrip())
        is_bullet = (
            line.is_marked and not line.pipes and not line.is_heading and bool(_BULLET.fullmatch(before.lstrip()))
        )
        is_inner = indent is not None and own_indent > indent
        if indent is not None and (
            line.joins or is_inner or (is_bullet and before == mark and _is_of_another(content))
        ):
            lists[-1][-1] = Span(lists[-1][-1].start, line.content.end)
        elif is_bullet and before == mark and indent is not None:
            lists[-1].append(line.content)
        elif is_bullet and words(content):
            lists.append([line.content])
            indent, mark = own_indent, before
        else:
            indent = None
    return lists


def _have_an_order(items: Sequence[str]) -> bool:
    """True for a question with its answer, an enumeration, and instructions, as of a recipe."""
    if any("?" in item or _OPEN_END.search(item) for item in items):
        return True
    first_tags = [part_of_speech_tags(terms)[0] for item in items if len(terms := tuple(item.split())) > 1]
    return first_tags.count("VB") > 1


def _is_of_another(item: str) -> bool:
    """True for an item that speaks of the one before it: by a pronoun or connective, or as what came after."""
    return refers_back(item) or _AFTER_ANOTHER.search(item) is not None
