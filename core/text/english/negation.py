"""Negating a clause, affirming a negated one, and saying the same by negating the contrary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.text.english.inflection import VerbForm, inflect_verb, is_dictionary_word
from core.text.english.mentions import mentions
from core.text.english.syntax import (
    PERSONAL_SUBJECTS,
    Replacement,
    Sentence,
    contextual_verb_readings,
    token_at,
)
from core.text.english.verb_phrases import FINITE_TAGS, NOUN_TAGS, finite_verb, sentence_tags
from core.text.english.word_lists import (
    DETERMINERS,
    FINITE_BE,
    HAVE,
    MODALS,
    NEGATIVES,
    POSSESSIVES,
    SUBORDINATORS,
    conditional_words,
    mutual_words,
)
from core.types import Span

_NEGATED = {"can": "cannot", "will": "will not"}
_CLAUSE_BOUNDS = frozenset(",;:()—–") | frozenset({"and", "or", "but", "nor", "yet", "so", "--"})
_NOT_DENIED = frozenset("if unless whether until till before than lest as how".split())
_CONDITIONS = frozenset("if unless whether than lest".split())
_DEPENDENT_COORDINATORS = frozenset({"nor", "or", "so"})
_QUANTIFIERS = frozenset(
    "all every each most some few many both any half only either much anybody anyone anything everybody everyone everything somebody someone "
    "something almost nearly".split()
)
_POLAR = _QUANTIFIERS | frozenset(
    "already still also too just even always sometimes often yet ever anymore longer necessarily because since so merely "
    "mainly chiefly largely partly again instead therefore rather probably apparently possibly certainly perhaps".split()
)
_MAX_CLAUSE_TOKENS = 40  # tokens looked at on either side


@dataclass(frozen=True, slots=True)
class Reversal:
    """Words to put in place of a span; `denies` says whether the clause is denied, or was and no longer is."""

    span: Span
    new: str
    denies: bool


def find_reversals(sentence: Sentence) -> Iterator[Reversal]:
    """Every change that turns one clause of a sentence into its contrary, quantifiers and questions left alone."""
    if sentence[-1].text == "?" or sentence[0].low in NEGATIVES:
        return
    for place in range(1, len(sentence) - 1):
        if affirmed := _affirmation_at(sentence, place):
            yield affirmed
            continue
        negated = negate_verb(sentence, place)
        if not negated or not is_asserted(sentence, place):
            continue
        # a clause that says which one or when: its denial would speak of another thing
        start, _ = clause_around(sentence, place)
        opener, before = token_at(sentence, start - 1).low, token_at(sentence, start - 2)
        is_relative = opener in {"that", "who", "which"} and before.is_word
        if opener in {"when", "after", "once"} or (is_relative and sentence_tags(sentence)[start - 2] in NOUN_TAGS):
            continue
        yield negated


def negate_verb(sentence: Sentence, place: int) -> Reversal | None:
    """The same with "not" after the auxiliary, or with do-support, for a finite verb at a place; None for any other word."""
    token = sentence[place]
    if token_at(sentence, place + 1).low in _CLIPPED:
        return None
    if _is_auxiliary(sentence, place):
        return Reversal(token.span, _NEGATED.get(token.text, f"{token.text} not"), True)
    reading, tags = finite_verb(sentence, place), sentence_tags(sentence)
    if reading is None and token.text in _HAVE_FORMS and tags[place] in FINITE_TAGS and place + 1 < len(tags):
        # has, have and had before what is had: a noun phrase, and no "to"
        reading = ("have", _HAVE_FORMS[token.text]) if tags[place + 1] in _NOUN_PHRASE_TAGS else None
    if reading is None or reading[1] not in _DO_SUPPORT:
        return None
    base, form = reading
    adverb = token_at(sentence, place - 1)
    is_manner = adverb.text.endswith("ly") and adverb.text not in _SPEAKERS_ADVERBS
    if place > 1 and is_manner and tags[place - 1] == "RB":
        # "did not substantially rise": "substantially did not rise" is no English
        return Reversal(Span(adverb.span.start, token.span.end), f"{_DO_SUPPORT[form]} not {adverb.text} {base}", True)
    return Reversal(token.span, f"{_DO_SUPPORT[form]} not {base}", True)


_SPEAKERS_ADVERBS = frozenset(
    "allegedly apparently certainly clearly consequently evidently finally initially obviously originally possibly previously "
    "presumably probably reportedly specifically subsequently supposedly surely ultimately undoubtedly unfortunately".split()
)
"""Adverbs of a speaker about a whole clause; a "not" after one leaves it alone."""


_DO_SUPPORT = {VerbForm.PAST: "did", VerbForm.THIRD: "does", VerbForm.BASE: "do"}
_HAVE_FORMS = {"had": VerbForm.PAST, "has": VerbForm.THIRD, "have": VerbForm.BASE}


_NOUN_PHRASE_TAGS = frozenset({"DT", "PRP$", "CD", "JJ", "NN", "NNS", "NNP", "JJR", "PDT"})


def clause_around(sentence: Sentence, place: int) -> tuple[int, int]:
    """The first and the last place of the stretch between marks and joining words around a place."""
    start = end = place
    while start > 0 and place - start < _MAX_CLAUSE_TOKENS and not _is_clause_bound(sentence, start - 1):
        start -= 1
    while end + 1 < len(sentence) and end - place < _MAX_CLAUSE_TOKENS and not _is_clause_bound(sentence, end + 1):
        end += 1
    return start, end


def is_asserted(sentence: Sentence, place: int, harmless: frozenset[str] = frozenset()) -> bool:
    """True if the clause around a place is no condition and has no quantifier, negation or word that leans on one."""
    leaning = (_POLAR | NEGATIVES) - harmless
    start, end = clause_around(sentence, place)
    others = (*sentence[start:place], *sentence[place + 1 : end + 1])
    words = {token.low for token in sentence[start : end + 1]}
    mark = start  # the place after the last comma or other mark
    while mark > 0 and start - mark < _MAX_CLAUSE_TOKENS and sentence[mark - 1].is_word:
        mark -= 1
    # neither a condition, comparison or indirect question, nor inside of one
    is_plain_statement = (
        not words & (_NOT_DENIED | {"because"})
        and not {token.low for token in sentence[mark:start]} & _CONDITIONS
        and token_at(sentence, start - 1).low not in _DEPENDENT_COORDINATORS
    )
    return start < place and is_plain_statement and not any(token.low in leaning for token in others)


def _affirmation_at(sentence: Sentence, place: int) -> Reversal | None:
    """Takes "not" away after an auxiliary, where no word of its clause leans on it."""
    token, before = sentence[place], token_at(sentence, place - 1)
    if token.low not in {"not", "cannot"} or token_at(sentence, place + 1).low == "yet":
        return None
    _, end = clause_around(sentence, place)
    if not is_asserted(sentence, place):
        return None
    if token.low == "cannot":
        return Reversal(token.span, "can", False)
    if token.low != "not" or before.low not in FINITE_BE | HAVE | MODALS or token_at(sentence, end + 1).low == "but":
        return None
    return Reversal(Span(before.span.end, token.span.end), "", False)


def _is_auxiliary(sentence: Sentence, place: int) -> bool:
    word, before = sentence[place].low, token_at(sentence, place - 1).low
    if (
        sentence[place].is_capital
        or before in DETERMINERS | POSSESSIVES
        or before in MODALS | {"to"}
        or word == "cannot"
    ):
        return False
    tags = sentence_tags(sentence)
    if word in HAVE:
        after = place + 1
        while after < len(tags) and tags[after] in {"RB", "RBR", "RBS"}:
            after += 1
        return tags[place] in FINITE_TAGS and after < len(tags) and tags[after] in {"VBN", "VBD"}
    return word in FINITE_BE | MODALS and tags[place] in FINITE_TAGS | {"MD"}


_CLIPPED = frozenset({"t", "n't", "re", "ll", "ve"})
"""Rests of a contraction whose apostrophe was lost: can t, you re."""


def _is_clause_bound(sentence: Sentence, place: int) -> bool:
    return sentence[place].low in _CLAUSE_BOUNDS or sentence[place].low in SUBORDINATORS - _NOT_DENIED - {
        "because",
        "since",
    }


_HARMLESS_ADVERBS = frozenset(
    "probably therefore now certainly apparently reportedly presumably clearly evidently thus".split()
)
_CLAUSE_ENDS = frozenset(".,;:)") | frozenset("and or but in on at for from to under by until that whether".split())
_MIN_TOKENS, _MAX_TOKENS = 5, 32  # tokens of a sentence that can still be read under two denials


def deny_by_adjective(sentence: Sentence, place: int) -> Replacement | None:
    """An adjective after is, are, was or were becomes "not" and its complement: is open, is not closed."""
    before, after = token_at(sentence, place - 1).low, token_at(sentence, place + 1).low
    if before in _HARMLESS_ADVERBS:
        before = token_at(sentence, place - 2).low
    complements = mutual_words("complements").get(sentence[place].low)
    if (
        not complements
        or before not in FINITE_BE  # "will be not open" is no English
        or after not in _CLAUSE_ENDS
        or not is_asserted(sentence, place, _HARMLESS_ADVERBS)
    ):
        return None
    return sentence[place].span, f"not {complements[0]}"


def deny_by_verb(sentence: Sentence, place: int) -> Replacement | None:
    """A verb becomes the denial of its contrary: refused to go, did not agree to go; was rejected, was not accepted."""
    readings = contextual_verb_readings(sentence, place)
    if len(readings) != 1 or not is_asserted(sentence, place):
        return None
    base, form = readings[0]
    after, before = token_at(sentence, place + 1).low, token_at(sentence, place - 1).low
    for contrary, needed, barred in conditional_words("denials").get(base, ()):
        if needed in ("", after) and barred != after:
            span = sentence[place].span
            if form in {VerbForm.PAST, VerbForm.THIRD}:
                return span, f"{'did' if form is VerbForm.PAST else 'does'} not {contrary}"
            if form is VerbForm.PARTICIPLE and before in FINITE_BE | HAVE:
                return span, f"not {inflect_verb(contrary, form)}"
            return (span, f"not {contrary}") if form is VerbForm.BASE and before in {"will", "would", "did"} else None
    return None


FRAMES = ("It is not the case that", "It is not true that", "It would be wrong to say that", "It is false that")


def deny_by_frame(summary: str, document: str, sentence: Sentence, frame: str = FRAMES[0]) -> Replacement | None:
    """A sentence that is one main clause becomes a frame as "it is not the case that" and its denial."""
    verb = main_verb(sentence)
    reversal = negate_verb(sentence, verb) if verb and _has_plain_scope(sentence, verb) else None
    opening = uncapitalised_opening(document, sentence)
    if not reversal or not opening:
        return None
    between = summary[sentence[0].span.end : reversal.span.start]
    place = Span(sentence[0].span.start, reversal.span.end)
    return place, f"{frame} {opening}{between}{reversal.new}"


_SUBJECT_TAGS = frozenset("DT JJ JJR JJS NN NNS NNP NNPS CD PRP PRP$ NN+POS NNP+POS NNS+POS PDT $ VBN VBG RB".split())
_SUBJECT_WORDS = frozenset({"of", "from", "in", "at", "and", "for", "on", ".", "with"})
_UNSCOPED = frozenset(
    "because since unless until if but nor so although though while whereas whether than as just only even also still".split()
)


def main_verb(sentence: Sentence) -> int | None:
    """The place of the finite verb or auxiliary after a subject that opens the sentence; None where that is not certain."""
    compares = len(sentence) > 1 and sentence[0].low == "the" and sentence_tags(sentence)[1] in {"JJR", "RBR"}
    if compares or sentence[-1].text != "." or not _MIN_TOKENS <= len(sentence) <= _MAX_TOKENS:
        return None
    for place, tag in enumerate(sentence_tags(sentence)):
        if place and negate_verb(sentence, place):
            # after "and" it is the second predicate
            return None if sentence[place - 1].low == "and" else place
        opens_phrase = tag in {"IN", "TO", "CC", "RB"} and place == 0
        # "the licence you grant": a clause inside of the subject
        opens_clause = tag == "PRP" and place > 0
        if opens_phrase or opens_clause or (tag not in _SUBJECT_TAGS and sentence[place].low not in _SUBJECT_WORDS):
            return None
    return None


def _has_plain_scope(sentence: Sentence, verb: int) -> bool:
    """True if a "not" at the verb denies all that the sentence says: no quantifier, and no second predicate in it."""
    tags = sentence_tags(sentence)
    words = [token.low for token in sentence]
    if (_POLAR | NEGATIVES | _UNSCOPED) & {*words[:verb], *words[verb + 1 :]} or any("+RB" in tag for tag in tags):
        return False
    if {";", ":", "?"} & {*words} or words[verb] in MODALS - {"will", "can"}:
        return False
    joined = [place for place in range(verb, len(tags)) if words[place] in {"and", "or", ","}]
    # a verb follows a joining word, adverbs left out, or a clause does before the next mark
    return not any(
        tag in FINITE_TAGS | {"MD", "VB", "VBN"} or tag.startswith(("VBZ+", "VBD+", "MD+"))
        for place in joined
        for tag in tags[place + 1 : place + 1 + _MAX_JOINED]
    )


_MAX_JOINED = 8  # tokens after a joining word among which a verb would be a second predicate


def uncapitalised_opening(document: str, sentence: Sentence) -> str:
    """The opening word as it stands inside of a sentence, "" where that is not certain."""
    first, tag = sentence[0], sentence_tags(sentence)[0]
    if first.low in DETERMINERS | POSSESSIVES | PERSONAL_SUBJECTS:
        return first.low
    if not first.is_capital or tag.startswith("NNP") or not is_dictionary_word(first.low):
        return first.text
    if token_at(sentence, 1).is_capital:
        return first.text
    return first.low if mentions(document, first.low) else ""
