"""Explicit connectives of English: words that join a clause to another by a discourse relation."""

from __future__ import annotations

import re

# explicit connectives of the Penn Discourse Treebank (Prasad et al. 2008), without those that mostly join words ("and", "or", "for")
_CONNECTIVES = (
    *(
        "as a result",
        "as long as",
        "as soon as",
        "by contrast",
        "even if",
        "even though",
        "for example",
        "for instance",
    ),
    *("in addition", "in contrast", "in fact", "in order to", "in turn", "now that", "on the other hand", "so that"),
    *("accordingly", "after", "although", "because", "before", "besides", "but", "consequently", "despite", "finally"),
    *("furthermore", "hence", "however", "if", "indeed", "instead", "lest", "likewise", "meanwhile", "moreover"),
    *(
        "nevertheless",
        "nonetheless",
        "otherwise",
        "rather",
        "similarly",
        "since",
        "specifically",
        "still",
        "subsequently",
    ),
    *("then", "thereby", "therefore", "though", "thus", "unless", "until", "when", "whereas", "while", "yet"),
)
_PATTERN = re.compile(
    rf"\b(?:{'|'.join(connective.replace(' ', r' +') for connective in _CONNECTIVES)})\b", re.IGNORECASE
)


def connectives(sentence: str) -> int:
    """Number of explicit connectives in a sentence: each joins a clause to another, in it or before it."""
    return len(_PATTERN.findall(sentence))
