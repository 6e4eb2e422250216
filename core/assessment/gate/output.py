"""A comparison as text, Markdown for a pull request, and JUnit XML for a CI service."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from core.assessment.gate.regression import CONSISTENT, MEAN_SCORE, Change, MetricComparison
from core.stats import (
    SIGNIFICANCE_LEVEL,
    Estimate,
    align_columns,
    format_percent,
    format_signed,
    format_unsigned,
    markdown_table,
)
from core.text import with_visible_controls

_HEAD = ("", "metric", "measure", "before [95 %]", "after [95 %]", "change [95 %]", "p", "n")
_NOTE = (
    f"Paired bootstrap by document, p corrected by Holm over all lines; significant below {SIGNIFICANCE_LEVEL:g}. Shares and "
    "areas in percent, changes of them in points; the score in units of the metric, turned so that higher is more consistent."
)
_RATE_NOTE = (
    "Prediction-powered rates of each side (Angelopoulos et al. 2023), interval of the difference by Zou and Donner 2008; n is the "
    f"smaller number of labels; significant below {SIGNIFICANCE_LEVEL:g}. In percent, changes in points."
)
_ENTITIES = {ord(character): f"&#{ord(character)};" for character in "&<>[]`*_@#!~$|\\"}
_MOST_LETTERS = 160
_MOST_LOST = 5


def format_comparisons(comparisons: Sequence[MetricComparison], failed: Sequence[Change]) -> str:
    """The table and the items behind it, for a terminal."""
    rows = [_row(change, failed) for comparison in comparisons for change in comparison.changes]
    examples = [
        f"{sign} {comparison.metric}, {item.id}: {item.before:.3f} → {item.after:.3f}, {item.remark}. {_shorten(item.summary)}".rstrip()
        for comparison in comparisons
        for sign, items in (("↓", comparison.worse), ("↑", comparison.better))
        for item in items
    ]
    return "\n".join([align_columns([_HEAD, *rows]), "", *examples, *([""] if examples else []), _note(comparisons)])


def comparisons_markdown(
    comparisons: Sequence[MetricComparison], failed: Sequence[Change], notes: Sequence[str]
) -> str:
    """A comment for a pull request: the verdict, the table, what these items can show, and the items folded."""
    rows = [_row(change, failed) for comparison in comparisons for change in comparison.changes]
    folded = []
    for comparison in comparisons:
        for title, items in (("worse", comparison.worse), ("better", comparison.better)):
            if items:
                cells = [
                    (item.id, f"{item.before:.3f} → {item.after:.3f}", item.remark, _shorten(item.summary))
                    for item in items
                ]
                table = markdown_table(("item", "score", "", "summary"), [tuple(map(_plain, row)) for row in cells])
                summary = f"{_plain(comparison.metric)}: {len(items)} {title}"
                folded.append(f"<details><summary>{summary}</summary>\n\n{table}\n</details>\n")
    return "\n".join(
        [
            f"### {_plain(verdict_sentence(comparisons, failed))}\n",
            markdown_table(_HEAD, rows),
            *(f"- {_plain(note)}" for note in notes),
            *([""] if notes else []),
            *folded,
            f"{_note(comparisons)}\n",
        ]
    )


def comparisons_junit(comparisons: Sequence[MetricComparison], failed: Sequence[Change], notes: Sequence[str]) -> str:
    """A test case for each measure of each metric, and one where scores are missing; a regression is a failure.

    The notes on what these items can show are the output of the suite.
    """
    changes = [change for comparison in comparisons for change in comparison.changes]
    lost = [comparison for comparison in comparisons if comparison.lost]
    tests, failures = len(changes) + len(lost), len(failed) + len(lost)
    suite = ElementTree.Element(
        "testsuite", name="touchstone compare", tests=str(tests), failures=str(failures), errors="0"
    )
    for change in changes:
        _add_case(suite, change.metric, change.measure, describe_change(change) if change in failed else "")
    for comparison in lost:
        _add_case(suite, comparison.metric, "every item still has a score", _lost_sentence(comparison))
    if notes:
        ElementTree.SubElement(suite, "system-out").text = _clean("\n".join(notes))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ElementTree.Element, metric: str, name: str, failure: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=_clean(f"touchstone.{metric}"), name=name)
    if failure:
        ElementTree.SubElement(case, "failure", message=_clean(failure), type="regression").text = _clean(failure)


def verdict_sentence(comparisons: Sequence[MetricComparison], failed: Sequence[Change]) -> str:
    """The gate's verdict in a line: what became worse, and which items have no score any more."""
    number = f"{len(failed)} regression{'' if len(failed) == 1 else 's'}"
    regressed = [f"{number}: {'; '.join(map(describe_change, failed))}."] if failed else []
    return (
        " ".join([*regressed, *(_lost_sentence(comparison) for comparison in comparisons if comparison.lost)])
        or "No regression."
    )


def _lost_sentence(comparison: MetricComparison) -> str:
    shown = ", ".join(comparison.lost[:_MOST_LOST])
    more = "" if len(comparison.lost) <= _MOST_LOST else f" and {len(comparison.lost) - _MOST_LOST} more"
    return f"{comparison.metric} has no score any more of {len(comparison.lost)} items that it scored before: {shown}{more}."


def describe_change(change: Change) -> str:
    """A change in words, with its interval and p."""
    p = "" if change.p is None else f", p = {change.p:.3f}"
    return (
        f"{change.metric}, {change.measure} {_value(change, change.before)} → {_value(change, change.after)} "
        f"({_difference(change)}{p}, n = {change.difference.n})"
    )


def _note(comparisons: Sequence[MetricComparison]) -> str:
    rates = any(change.measure == CONSISTENT for comparison in comparisons for change in comparison.changes)
    return _RATE_NOTE if rates else _NOTE


def _row(change: Change, failed: Sequence[Change]) -> tuple[str, ...]:
    mark = "✗" if change in failed else "↓" if change.worse else "↑" if change.better else ""
    p = "–" if change.p is None else f"{change.p:.3f}"
    values = (_value(change, change.before), _value(change, change.after), _difference(change))
    return (mark, change.metric, change.measure.replace("_", " "), *values, p, str(change.difference.n))


def _value(change: Change, estimate: Estimate) -> str:
    return format_unsigned(estimate) if change.measure == MEAN_SCORE else format_percent(estimate)


def _difference(change: Change) -> str:
    estimate = change.difference
    if change.measure == MEAN_SCORE or estimate.value is None:
        return format_signed(estimate)
    points = [None if share is None else 100 * share for share in (estimate.value, estimate.low, estimate.high)]
    value, *bounds = ("–" if point is None else f"{point:+.1f}".replace("-", "−") for point in points)
    return value if estimate.low is None else f"{value} [{', '.join(bounds)}]"


def _shorten(text: str) -> str:
    visible = " ".join(with_visible_controls(text).split())
    return visible if len(visible) <= _MOST_LETTERS else f"{visible[:_MOST_LETTERS]}…"


def _plain(text: str) -> str:
    """Text of people in a comment is neither markup nor a link, nor calls it anybody."""
    return text.translate(_ENTITIES)


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(
        character
        for character in text
        if character in "\t\n"
        or " " <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character > "\uffff"
    )
