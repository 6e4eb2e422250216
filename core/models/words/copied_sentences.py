"""Sentences that a document has word for word."""

from __future__ import annotations

from core.models.words.word_features import ReadDocument
from core.models.words.word_states import WordStates


def is_copied(document: ReadDocument, sentence: WordStates) -> bool:
    """True if the words of a sentence follow each other in the document, whatever their case and the marks between them."""
    words = [form.lower() for form in sentence.forms]
    places = set(map(int, document.places.get(words[0], ()))) if words else set()
    for number, word in enumerate(words):
        places &= {int(place) - number for place in document.places.get(word, ())}
    return bool(places)
