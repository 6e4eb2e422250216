"""Pairs of texts, ordinary and awkward, on which our scores are compared with a plain evaluation of the definition."""

from __future__ import annotations

import pytest

from tests.tiny import TEXT

SUMMARY = "The harbour was closed after a storm. Nobody was hurt! Repairs cost 3.4 million crowns."
LONG_SENTENCE = (
    " ".join(f"boat {number} sailed north with nine tonnes of herring and" for number in range(60)) + " came back."
)
LONG_CLAIM = "The court held that " + "the tenant may keep a dog, a cat and " * 60 + "a bird. It was wrong."

PAIRS: dict[str, tuple[str, str]] = {
    "ordinary": (TEXT, SUMMARY),
    "several chunks": (TEXT * 4, SUMMARY),
    "short": ("Rain fell.", "It rained."),
    "blank lines": ("\n\nThe lamp was lit.\n\n\nNobody spoke. \n \n  A door closed.\n\n", SUMMARY),
    "a 600-word sentence": (LONG_SENTENCE + " " + TEXT, SUMMARY),
    "a 600-word sentence inside": (TEXT + LONG_SENTENCE + TEXT, SUMMARY),
    "odd punctuation": (
        "What?! -- (no)... “yes” ½ … ™ ｆｕｌｌ\u00a0width; e.g. this, i.e. that.  Two  blanks.",
        "Well… ½?! “Yes”.",
    ),
    "literal separators": ("The mark </s> ends it. A [SEP] too, <s> and [CLS].", "It says </s> here. Or [SEP] there."),
    "a long claim": (TEXT, LONG_CLAIM),
    "a long claim after a long chunk": (LONG_SENTENCE, LONG_CLAIM),
    "other scripts": ("Москва. 東京は大きい。 القاهرة 😀 עברית", "東京 😀. Москва!"),
    "blanks around": ("  The lamp was lit.  ", "  It was lit. \n"),
    "the same sentence twice": (TEXT, "Nobody was hurt. Nobody was hurt."),
}

# long texts take seconds in every model
LONG = {
    "several chunks",
    "a 600-word sentence",
    "a 600-word sentence inside",
    "a long claim",
    "a long claim after a long chunk",
    "the same sentence twice",
}
PAIR_CASES = [
    pytest.param(pair, id=name, marks=pytest.mark.slow if name in LONG else ()) for name, pair in PAIRS.items()
]
"""The pairs as parameters of a test."""
