"""Line breaks, Markdown and the letters of headings."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from core.edits.perturbation import OUR_RULE, PERTURBATIONS, LayoutTwin, PerturbationCard
from core.errors import UnscorableError
from core.text import entities, layout_units, read_again, read_lines, read_markup, recover, words
from core.types import Edit, Span

_MIN_WIDTH = 20
_MAY_OPEN_LINE = re.compile(r"[^\W\d_](?![.)])|[“\"'‘$€£]\w|\d+(?![\d.)])")
_HASHES = re.compile(r"^#{1,6}[ \t]+(?P<title>[^\n]*?)[ \t#]*$", re.MULTILINE)
_REST_OF_WORD = re.compile(r"[\w%]*")
_STRUCK_OUT = re.compile(r"~~|<(?:s|del|strike)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*_`~\[\]]")


@PERTURBATIONS.add
@dataclass(frozen=True)
class LineBreaks(LayoutTwin):
    """Breaks lines of prose at `width` characters, after each sentence or with a blank line between paragraphs of one; or joins them."""

    name: ClassVar[str] = "line-breaks"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Other line breaks",
        intent="preserving",
        does="Breaks the lines of prose at a width, as a PDF does, after each sentence or paragraph, or joins broken lines.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = (
        "The summary is no prose, without lists, headings and verse, whose lines could be broken or joined in this way."
    )

    at: Literal["width", "sentence", "paragraph", "none"] = "width"
    width: int = 60

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        if self.width < _MIN_WIDTH:
            raise UnscorableError(f"width={self.width} is too narrow for lines. Set width={_MIN_WIDTH} or more.")
        if any(line.is_marked for line in read_lines(summary)):
            return []
        if self.at == "none":
            return _joined_lines(summary)
        if "\n" in summary.strip():
            return []
        if self.at == "width":
            return [Edit(blank, "\n") for blank in _breaks(summary, self.width)]
        gap = "\n" if self.at == "sentence" else "\n\n"
        return [Edit(Span(before.end, after.start), gap) for before, after in pairwise(layout_units(summary))]


def _breaks(summary: str, width: int) -> Iterator[Span]:
    """The blanks at which lines end so that none is longer, or of which none could be broken earlier."""
    begun, last = 0, None
    for blank in re.finditer(r"(?<=\S) +(?=\S)", summary):
        if last and blank.start() - begun > width:
            yield last
            begun, last = last.end, None
        if _MAY_OPEN_LINE.match(summary, blank.end()):
            last = Span(*blank.span())
    if last and len(summary.rstrip()) - begun > width:
        yield last


def _joined_lines(summary: str) -> list[Edit]:
    """Blanks for the breaks within paragraphs of which every line goes on with the one before."""
    lines = read_lines(summary)
    edits = []
    for before, after in pairwise(lines):
        if before.content.start == before.content.end or after.content.start == after.content.end:
            continue
        if not after.joins:
            return []
        edits.append(Edit(Span(before.content.end, after.content.start), " "))
    return edits


@PERTURBATIONS.add
@dataclass(frozen=True)
class Markdown(LayoutTwin):
    """Sets names and numbers in bold, puts the heading “Summary” over the text, or takes the marks of Markdown away (`to=plain`)."""

    name: ClassVar[str] = "markdown"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Markdown on or off",
        intent="preserving",
        does="Sets names and numbers in bold, puts a heading over the summary, or leaves the marks of Markdown out.",
        paper=OUR_RULE,
    )

    to: Literal["bold", "heading", "plain"] = "bold"

    @property
    def no_twin_message(self) -> str:  # type: ignore[override]  # another one for each form
        return {
            "bold": "The summary has no name or number that is not in Markdown already.",
            "heading": "The summary has a heading of its own already, or is empty.",
            "plain": "The summary has no emphasis, links, code or headings of Markdown, or has words that are struck out.",
        }[self.to]

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        if self.to == "heading":
            has_heading = any(line.is_heading for line in read_lines(summary))
            return [] if has_heading or not words(summary) else [Edit(Span(0, 0), "## Summary\n\n")]
        if self.to == "bold":
            plain = [] if _EMPHASIS.search(summary) else _names_and_numbers(summary)
            return [Edit(span, f"**{span.of(summary)}**") for span in plain]
        if _STRUCK_OUT.search(summary):  # without its line it would be said again
            return []
        reading = read_markup(summary)
        return recover(summary, _HASHES.sub(r"\g<title>", reading.text if reading else summary))

    def says_the_same(self, before: str, after: str) -> bool:
        return (
            _marked_words(before) == _marked_words(after)
            if self.to == "plain"
            else super().says_the_same(before, after)
        )


def _names_and_numbers(summary: str) -> list[Span]:
    """Names and numbers as whole words, those that stand beside each other together, and none over the end of a line."""
    spans: list[Span] = []
    for span in entities(summary):
        if re.search(r"\d[.,]\Z", summary[: span.start]) and summary[span.start].isdigit():
            continue  # the rest of a number that is written without blanks around it
        end = span.end + len(_REST_OF_WORD.match(summary, span.end).group())  # type: ignore[union-attr]  # it matches nothing too
        if spans and summary[spans[-1].end : span.start] in {"", " "}:
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
        elif not spans or span.start >= spans[-1].end:
            spans.append(Span(span.start, end))
    return [span for span in spans if "\n" not in span.of(summary)]


def _marked_words(text: str) -> tuple[str, ...]:
    """The words of a text with those of its headings, the marks of Markdown left out."""
    reading = read_again(text, read_markup)
    return words(reading.text if reading else text)


@PERTURBATIONS.add
@dataclass(frozen=True)
class HeadingCase(LayoutTwin):
    """Writes the headings of a summary in capitals, or with a capital to each word; no letter becomes a small one."""

    name: ClassVar[str] = "heading-case"
    card: ClassVar[PerturbationCard] = PerturbationCard(
        title="Headings in capitals",
        intent="preserving",
        does="Writes the headings in capitals, or with a capital to each word.",
        paper=OUR_RULE,
    )
    no_twin_message: ClassVar[str] = "The summary has no heading with a small letter that could be a capital."

    to: Literal["upper", "title"] = "upper"

    def layout_edits(self, summary: str, rng: random.Random) -> Sequence[Edit]:  # noqa: ARG002  # nothing is left to chance
        headings = [line.content for line in read_lines(summary) if line.is_heading and not line.pipes]
        return [Edit(heading, self._written(heading.of(summary))) for heading in headings]

    def _written(self, heading: str) -> str:
        if self.to == "upper":
            return heading.upper()
        return re.sub(r"(?<![\w'’])[^\W\d_]", lambda letter: letter.group().upper(), heading)
