"""What a model says for a rewritten summary: what is cleaned away, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.data.datasets.bundled import bundled_items
from core.errors import UnscorableError
from core.models.llm.rewrites import (
    check_added_from_document,
    check_sentences_kept,
    check_sentences_moved,
    check_shorter,
    clean_rewrite,
)
from core.types import Example

DOCUMENT = "The harbour of Lindvale was closed on Tuesday after a storm. Nobody was hurt. Repairs take until June."
SUMMARY = "A storm closed the harbour on Tuesday. Nobody was hurt."
PAIR = Example("pair", DOCUMENT, SUMMARY)
GOOD = "On Tuesday the harbour was closed by a storm. No one was hurt."


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"  {GOOD}\n",
        f"Here is the paraphrased summary:\n\n{GOOD}",
        f"Sure! Here's a simpler version of the summary: {GOOD}",
        f"**Rewritten summary:**\n{GOOD}",
        f"Summary: {GOOD}",
        f'"{GOOD}"',
        f"“{GOOD}”",
        f"```\n{GOOD}\n```",
        f"```text\n{GOOD}\n```",
        f"<summary-0a1b2c3d>\n{GOOD}\n</summary-0a1b2c3d>",
        f'Here is the summary:\n```\n"{GOOD}"\n```',
    ],
)
def test_what_is_put_around_a_summary_is_taken_away(answer: str) -> None:
    assert clean_rewrite(PAIR, answer) == GOOD


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (f"{GOOD}\n\nNote: I kept the date.", "adds text besides the summary"),
        (f"{GOOD} Note that the date is kept.", "adds text besides the summary"),
        (f"{GOOD}\n\nI have replaced two words.", "adds text besides the summary"),
        (f"{GOOD} Let me know if you want another.", "adds text besides the summary"),
        (f"Sure, {GOOD}", "adds text besides the summary"),
        ("I'm sorry, but I cannot rewrite the harbour on Tuesday.", "adds text besides the summary"),
        ("As an AI, I was closed on Tuesday by a storm.", "adds text besides the summary"),
        (f"# Harbour\n{GOOD}", "markup into the summary: #"),
        ("- On Tuesday the harbour was closed.\n- No one was hurt.", "markup into the summary: -"),
        ("On **Tuesday** the harbour was closed by a storm. No one was hurt.", r"markup into the summary: \*\*"),
        (f"<summary-0a1b2c3d>\n{GOOD}", "markup into the summary: <summary-0a1b2c3d>"),
        ("On Tuesday the harbour was closed.\n\nNo one was hurt.", "2 paragraphs for 1"),
        ("Am Dienstag schloss ein Sturm den Hafen. Niemand wurde verletzt.", "another language"),
        ("Шторм закрыл гавань во вторник. Никто не пострадал.", "another language"),
        (SUMMARY, "changed nothing"),
        (f'"{SUMMARY}"', "changed nothing"),
        (SUMMARY.replace(". ", ".\n"), "changed nothing"),
    ],
)
def test_what_is_no_rewritten_summary_is_refused(answer: str, problem: str) -> None:
    with pytest.raises(UnscorableError, match=problem):
        clean_rewrite(PAIR, answer)


@pytest.mark.parametrize(
    ("summary", "answer"),
    [
        ('"We were closed," she said. Nobody was hurt.', '"The harbour was closed," she said. "No one was hurt."'),
        ("- The harbour closed.\n- Nobody was hurt.", "- A storm closed the harbour.\n- No one was hurt."),
        ("One closed.\n\nNobody was hurt.", "The harbour was closed.\n\nNo one was hurt."),
        ("Note: the harbour closed.", "Note: a storm closed the harbour."),
        ("The court gave its answer: closed.", "The court's short answer: the harbour was closed."),
        ("Here is what was closed: the harbour.", "Here is what a storm closed: the harbour of Lindvale."),
    ],
)
def test_what_belongs_to_the_summary_is_left_in_it(summary: str, answer: str) -> None:
    assert clean_rewrite(Example("pair", DOCUMENT, summary), answer) == answer


def test_blanks_around_the_summary_stay() -> None:
    assert clean_rewrite(Example("pair", DOCUMENT, f"\n{SUMMARY} \n"), GOOD) == f"\n{GOOD} \n"


def test_a_language_without_blanks_between_words_is_known_by_its_characters() -> None:
    pair = Example(
        "pair", "港は火曜日に嵐のため閉鎖された。けが人はなかった。", "嵐で港が閉鎖された。けが人はなかった。"
    )
    assert clean_rewrite(pair, "港は嵐で閉鎖され、けが人はなかった。") == "港は嵐で閉鎖され、けが人はなかった。"


def test_every_harmless_variant_of_the_bundled_examples_is_taken_as_it_is() -> None:
    parents = {item.example.id: item.example for item in bundled_items()}
    for item in bundled_items():
        if item.parent:
            assert clean_rewrite(parents[item.parent], item.example.summary) == item.example.summary


@pytest.mark.parametrize(
    ("check", "variant"),
    [
        (check_sentences_kept, GOOD),
        (check_sentences_kept, "It was Tuesday. A storm came. It closed the harbour. Nobody was hurt."),
        (check_shorter, "A storm closed the harbour."),
        (check_sentences_moved, "Nobody was hurt. A storm closed the harbour on Tuesday."),
        (check_added_from_document, f"{SUMMARY} Repairs take until June."),
    ],
)
def test_what_was_asked_for_is_accepted(check: Callable[[Example, str], None], variant: str) -> None:
    assert check(PAIR, variant) is None  # type: ignore[func-returns-value]  # it says nothing, or raises


@pytest.mark.parametrize(
    ("check", "variant", "problem"),
    [
        (check_sentences_kept, "A storm closed the harbour.", "dropped sentences: 2 became 1"),
        (check_shorter, GOOD, "10 words became 13"),
        (
            check_sentences_moved,
            "Nobody was hurt. A storm shut the harbour on Tuesday.",
            "instead of moving it: “A storm closed",
        ),
        (check_sentences_moved, "Nobody was hurt.", "dropped a sentence"),
        (check_sentences_moved, f"Nobody was hurt. {SUMMARY}", "added a sentence .*“Nobody was hurt.”"),
        (check_added_from_document, "Nobody was hurt. Repairs take until June.", "dropped a sentence of the summary"),
        (
            check_added_from_document,
            f"{SUMMARY} Repairs take until July.",
            "not say in these words: “Repairs take until July.”",
        ),
    ],
)
def test_what_was_not_asked_for_is_refused(check: Callable[[Example, str], None], variant: str, problem: str) -> None:
    with pytest.raises(UnscorableError, match=problem):
        check(PAIR, variant)
