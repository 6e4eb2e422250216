"""Random texts of everything that breaks careless code: emoji, combining marks, right to left, HTML, newlines."""

from __future__ import annotations

import random

from hypothesis import strategies

PIECES = (
    *(
        "The harbour was closed on Tuesday by a storm that tore two ferries away Nobody said Dr U.S e.g 3.4 12% crowns".split()
    ),
    *("👩‍👩‍👧‍👦 🇳🇴 ✅ 😀😀 é a\u0308\u0323 ñ שלום مرحبا \u202eabc\u202c 東京は大きい Ω ß ﬁ 𝒳".split(" ")),
    *("<b>bold</b> <script>alert(1)</script> &amp; </s> [SEP] {} \\n \" ' “ ” — … _a_ #1".split()),
    *(". ! ? , ; : .” ...".split()),
)
RANDOM = strategies.randoms(use_true_random=False)
"""Sources of chance that a property-based test draws from, so that it can make its case smaller."""

BLANKS = (" ", " ", " ", "  ", "\n", "\n\n", "\t", "\u00a0", "\r\n", "")


def random_text(rng: random.Random, pieces: int) -> str:
    """Up to so many pieces between blanks of all sorts; now and then empty."""
    return "".join(rng.choice(PIECES) + rng.choice(BLANKS) for _ in range(rng.randint(0, pieces)))


def random_change(rng: random.Random, text: str) -> str:
    """The text with a stretch of it replaced, deleted, doubled, or something put in."""
    start = rng.randint(0, len(text))
    end = min(len(text), start + rng.choice((0, 0, 1, 3, 12)))
    new = rng.choice(("", random_text(rng, 3), text[start:end] * 2, rng.choice(PIECES)))
    return text[:start] + new + text[end:]
