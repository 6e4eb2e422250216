"""A summary with the contractions of its document: "did not" where the document has "didn't" alone, and the other way round."""

from __future__ import annotations

import re

from core.base import memoize
from core.text.canonical import CanonicalText
from core.text.markup import replace_parts
from core.types import Span

_DENIED = "is are was were has have had do does did would could should must need".split()
_SHORT_VERBS = {
    "m": ("am", "i"),
    "re": ("are", "we you they"),
    "ll": ("will", "i you he she it we they"),
    "ve": ("have", "i you we they"),
}  # it's and he'd stand for two forms each
_SHORT_FORMS = {
    **{f"{verb} not": f"{verb}n't" for verb in _DENIED},
    "cannot": "can't",
    "will not": "won't",
    "shall not": "shan't",
    **{
        f"{subject} {verb}": f"{subject}'{short}"
        for short, (verb, subjects) in _SHORT_VERBS.items()
        for subject in subjects.split()
    },
}
"""The contraction of each long form."""
_LONG_FORMS = {short: long for long, short in _SHORT_FORMS.items()}
_FORMS = "|".join([*_SHORT_FORMS, *_LONG_FORMS]).replace("'", "['’]").replace(" ", r"\s+")
_FORM = re.compile(rf"(?<![\w'’])(?:{_FORMS})(?![\w'’])(?!\s+not\b)", re.IGNORECASE)


def read_contractions(summary: str, document: str) -> CanonicalText | None:
    """The summary with each form of which the document has the other alone in that one; None where there is none."""
    stated = _first_forms(document)
    changes = []
    for match in _FORM.finditer(summary):
        form = _plain(match.group())
        other = _SHORT_FORMS.get(form) or _LONG_FORMS[form]
        if form not in stated and other in stated:
            written = stated[other]
            changes.append((Span(*match.span()), f"{match.group()[0]}{written[1:]}"))  # as capital as it was
    if not changes:
        return None
    as_it_is = CanonicalText(summary, tuple(range(len(summary))), tuple(range(1, len(summary) + 1)))
    return replace_parts(as_it_is, changes)


@memoize(128)
def _first_forms(document: str) -> dict[str, str]:
    """The contractions and long forms in a document, each as it is written there first."""
    forms: dict[str, str] = {}
    for match in _FORM.finditer(document):
        forms.setdefault(_plain(match.group()), " ".join(match.group().split()))
    return forms


def _plain(form: str) -> str:
    return " ".join(form.lower().replace("’", "'").split())
