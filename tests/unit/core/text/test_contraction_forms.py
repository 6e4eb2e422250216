"""A summary is read with the contractions of its document, and keeps those that the document has in both forms or in none."""

from __future__ import annotations

import pytest

import touchstone as ts
from core.text import read_contractions
from core.types import Span

FERRY = "The harbour master said the ferry {} on Monday. The crew stayed in Malmö, and {} home at night."


@pytest.mark.parametrize(
    ("document", "summary", "read"),
    [
        ("It didn't sail.", "It did not sail.", "It didn't sail."),
        ("It did not sail.", "It didn't sail.", "It did not sail."),
        ("It did not sail.", "It didn’t sail.", "It did not sail."),
        ("They can't go.", "They cannot go.", "They can't go."),
        ("They will\nnot go.", "They won't go.", "They will not go."),
        ("didn't they go?", "Did not all go?", "Didn't all go?"),
        ("We're late.", "They said we are late.", "They said we're late."),
        ("I'll come, I'm sure.", "I will come, I am sure.", "I'll come, I'm sure."),
    ],
)
def test_a_form_is_read_in_the_documents(document: str, summary: str, read: str) -> None:
    reading = read_contractions(summary, document)
    assert reading is not None
    assert reading.text == read
    assert reading.original_span(Span(0, len(read))) == Span(0, len(summary))


@pytest.mark.parametrize(
    ("document", "summary"),
    [
        ("It didn't sail, and did not turn.", "It did not sail."),
        ("Nobody sailed.", "It did not sail."),
        ("It's late.", "It is late."),
        ("They do.", "They do not."),
    ],
)
def test_other_forms_stay(document: str, summary: str) -> None:
    assert read_contractions(summary, document) is None


def score(document: str, summary: str, metric: str = "word-support") -> float:
    [record] = ts.score([ts.Example("ferry", document, summary)], metric)
    return float(record["score"])


@pytest.mark.parametrize("metric", ["word-support", "coverage", "semantic-similarity"])
def test_either_form_gives_the_score_of_the_other(metric: str) -> None:
    short, long = FERRY.format("didn't sail", "couldn't go"), FERRY.format("did not sail", "could not go")
    scores = {score(document, summary, metric) for document in (short,) for summary in (short, long)}
    assert len(scores) == 1
    assert score(long, short, metric) == score(long, long, metric)


def test_a_denial_that_the_document_lacks_is_still_doubted() -> None:
    document = FERRY.format("sailed", "they didn't go")
    assert score(document, "The ferry did not sail on Monday.") < 0.5 < score(document, "The ferry sailed on Monday.")
