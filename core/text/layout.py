"""The layout of a text: its units without list marks, headings, Markdown and HTML, each located in the text as it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

from core.base import memoize
from core.text.canonical import CanonicalText, read_again
from core.text.english.inflection import is_dictionary_word
from core.text.layout_lines import STOP, TextLine, read_lines
from core.text.markup import replace_parts, without_inline_marks, without_tags
from core.text.pasted_marks import without_inner_marks, without_pasted_marks
from core.text.segmentation import SENTENCES_KEPT, sentences, words
from core.types import Span, SummaryClaim

Units = Literal["sentences", "lines", "layout"]
"""Units of a summary: sentences alone, its lines, or sentences, list items, rows and turns without marks and headings."""

LONG_UNIT_WORDS = 200
"""Words beyond which a sentence is likely several units that no full stop separates."""

LAYOUT_NOTE = "The summary has lines or list marks:"
_MAX_NESTED = 4  # what is left of a mark may look like another
_CUT = re.compile(r"(?<![\w-])(?P<word>[^\W\d_]{2,})-$")
_REST = re.compile(r"[ \t]*\n[ \t]*(?!(?:and|or|to|but)\b)(?P<word>[^\W\d_A-Z][^\W\d_]+)")
_LONGEST_WORD = 40
_MAY_HAVE_TAGS = re.compile(r"<[a-zA-Z/!]|&[#\w]+;")
_MAY_HAVE_MARKS = re.compile(r"[\n*_`~\[|#>•]|^\W*(?:\w{1,4}[.)\u20e3]|[-–—+])", re.ASCII)


@memoize(256)
def read_layout(text: str) -> CanonicalText | None:
    """A summary as its units alone: marks, headings, Markdown and HTML left out, a blank line between blocks; None where it has none of these."""
    return _read(text, headings=False)


@memoize(64)
def read_markup(document: str) -> CanonicalText | None:
    """A document without the marks of Markdown and LaTeX inside of its lines, HTML, citations and times of subtitles; None where it has none of these."""
    reading = without_inline_marks(without_tags(without_inner_marks(_as_it_is(document))))
    return None if reading.text == document else reading


def _read(text: str, *, headings: bool) -> CanonicalText | None:
    reading = without_pasted_marks(_as_it_is(text))
    if _MAY_HAVE_TAGS.search(reading.text):
        reading = without_tags(reading)
    if not _MAY_HAVE_MARKS.search(reading.text):
        return None if reading.text == text else reading
    for _ in range(_MAX_NESTED):
        before = reading.text
        lines = read_lines(before)
        cut = any(line.joins and _cut_word(before, last.content.end) for last, line in pairwise(lines))
        if (
            before != text
            or cut
            or any(line.is_marked for line in lines)
            or without_inline_marks(reading).text != before
        ):
            reading = without_inline_marks(_blocks(reading, lines, headings=headings))
        if reading.text == before:
            break
    return None if reading.text == text else reading


def _cut_word(text: str, end: int) -> str:
    """The word in small letters that a hyphen at the end of a line may have cut; empty where none does."""
    before, after = _CUT.search(text, max(0, end - _LONGEST_WORD), end), _REST.match(text, end)
    return (before["word"] + after["word"]).lower() if before and after else ""


def _as_it_is(text: str) -> CanonicalText:
    return CanonicalText(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))


def _blocks(reading: CanonicalText, lines: list[TextLine], *, headings: bool) -> CanonicalText:
    """The contents of lines: a blank line where a unit ends, a blank within one. Headings stay where there is nothing else."""
    headings = headings or all(line.is_heading or line.content.start == line.content.end for line in lines)
    changes: list[tuple[Span, str]] = []
    end, separator = 0, ""
    for line in lines:
        if line.content.start == line.content.end or (line.is_heading and not headings):
            separator = "\n\n"
            continue
        changes.append(
            (
                Span(end, line.content.start),
                separator if line.joins and separator != "\n\n" else "\n\n" if changes else "",
            )
        )
        changes += [(pipe, ", ") for pipe in line.pipes]
        end, separator = line.content.end, " "
        if cut := _cut_word(reading.text, end):
            end, separator = (end - 1 if is_dictionary_word(cut) else end), ""
    changes.append((Span(end, len(reading.text)), ""))
    return replace_parts(reading, changes)


@memoize(SENTENCES_KEPT, len)
def layout_units(text: str) -> tuple[Span, ...]:
    """The sentences, list items, table rows and turns of a summary; marks and headings belong to none.

    Those of plain prose are its sentences.
    """
    return _units(text, read_layout)


def summary_units(summary: str, units: Units) -> tuple[Span, ...]:
    """The units of a summary, by the splitter of that name; a line without a letter or digit is none."""
    if units == "layout":
        return layout_units(summary)
    if units == "sentences":
        return sentences(summary)
    lines = (Span(*match.span()) for match in re.finditer(r"\S[^\n]*", summary))
    return tuple(line for line in lines if words(line.of(summary)))


def units_without_claim(summary: str, claims: Iterable[SummaryClaim]) -> list[Span]:
    """The sentences and list items of a summary that have words, and that no claim is of."""
    places = [claim.span for claim in claims if claim.span]
    return [
        unit
        for unit in layout_units(summary)
        if words(unit.of(summary)) and not any(place.start < unit.end and unit.start < place.end for place in places)
    ]


def layout_notes(summary: str) -> tuple[str, ...]:
    """Notes on a summary that is read by sentences alone: that lines or list marks make other units, or that one is very long."""
    by_sentence, by_layout = sentences(summary), layout_units(summary)
    longest = max((len(words(span.of(summary))) for span in by_sentence), default=0)
    notes = []
    if by_sentence != by_layout:
        notes.append(
            f"{LAYOUT_NOTE} it was read as {len(by_sentence)} by full stops, and has {len(by_layout)} units by its layout, "
            "which units=layout reads."
        )
    if longest > LONG_UNIT_WORDS:
        notes.append(f"A sentence of the summary has {longest} words, as where full stops are missing.")
    return tuple(notes)


def gap_after(summary: str) -> str:
    """The gap before a sentence that is put after a summary: a blank, or a blank line where the last line is a list item, a heading or without a full stop."""
    lines = [line for line in read_lines(summary) if line.content.start < line.content.end]
    is_open = len(lines) > 1 and not STOP.search(lines[-1].content.of(summary))
    return "\n\n" if lines and (lines[-1].is_marked or is_open) else " "


def gap_before(summary: str) -> str:
    """The gap after a sentence that is put before a summary."""
    first = next(
        (line for line in read_lines(summary) if line.is_marked or line.content.start < line.content.end), None
    )
    return "\n\n" if first and first.is_marked else " "


@memoize(SENTENCES_KEPT, len)
def document_units(document: str) -> tuple[Span, ...]:
    """The sentences, list items, table rows and turns of a document, in which a heading is a unit too."""
    return _units(document, partial(_read, headings=True))


_CAPITALISED = "After|All|An|And|As|At|Both|But|By|During|For|From|He|Her|His|However|I|If|In|It|Its|Many|Most|No|Officials|On|One|Police|Since|She|So|Some|That|The|Their|Then|There|These|They|This|Those|Two|Until|We|When|While|With|You"
_INNER_END = re.compile(
    rf"(?:\b[ap]\.m\.|\b(?:[A-Z]\.){{2,}})(?P<blank>\s+)(?=(?:{_CAPITALISED})\s)"
    r"|[。｡।॥؟۔]+(?![\"'”’»)\]」』。])(?P<between>\s*)(?=\S)"
    r"|[!?]+[」』”’]*(?P<none>)(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af])"
)
_NEVER_LAST = re.compile(r"\b(?:approx|ca|pp?|[Ff]igs?|[Ee]qs?|[Ss]ecs?|[Vv]ols?|[Aa]rts?|[Pp]aras?|[Cc]h|[Nn]os)\.$")
_SHORT_FOR = re.compile(r"\b(?:approx|ca|cf|excl|incl|resp|vs)\.$", re.IGNORECASE)


def _units(text: str, read: Callable[[str], CanonicalText | None]) -> tuple[Span, ...]:
    reading = read_again(text, read)
    spans = _cut_spans(reading.text if reading else text)
    return tuple(reading.original_span(span) for span in spans) if reading else tuple(spans)


def _cut_spans(text: str) -> list[Span]:
    """The sentences of a text, of which none goes over the end of a unit, by its lines, or over a mark that ends one in other scripts."""
    spans: list[Span] = []
    for span in sentences(text):
        sentence = span.of(text)
        before = spans[-1].of(text) if spans else ""
        first = sentence.lstrip()[:1]
        if (first.isdigit() and _NEVER_LAST.search(before)) or (first.islower() and _SHORT_FOR.search(before)):
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    breaks = [line.content.start for line in read_lines(text) if not line.joins] if "\n" in text else []
    return [piece for span in spans for piece in _pieces(text, span, breaks)]


def _pieces(text: str, span: Span, breaks: Sequence[int]) -> list[Span]:
    blanks = len(span.of(text)) - len(span.of(text).lstrip())
    inside = {place for place in breaks if span.start + blanks < place < span.end}
    inside |= {match.end() for match in _INNER_END.finditer(text, span.start, span.end)}
    starts = [span.start, *sorted(inside)]
    ends = [start + len(text[before:start].rstrip()) - (start - before) for before, start in pairwise(starts)]
    return [Span(start, end) for start, end in zip(starts, [*ends, span.end], strict=True) if start < end]
