"""The closed classes of English words, and the word lists of the data folder."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

ARTICLES = frozenset({"a", "an", "the"})
POSSESSIVES = frozenset("my your his her its our their whose".split())
DETERMINERS = (
    ARTICLES | POSSESSIVES | frozenset("this that these those each every any some no another both all".split())
)
SUBJECTS = frozenset("i you he she it we they who which there".split())
OBJECTS = frozenset("me him her it us them himself herself itself themselves".split())
BE = frozenset("is are was were be been being am".split())
FINITE_BE = frozenset("is are was were".split())
HAVE = frozenset("has have had".split())
DO = frozenset("do does did".split())
MODALS = frozenset("will would can could may might must shall should cannot".split())
AUXILIARIES = FINITE_BE | HAVE | DO | MODALS
PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beneath beside between beyond by despite "
    "down during except for from in inside into like near of off on onto out outside over past per since through throughout "
    "till to toward towards under until up upon via with within without than".split()
)
COORDINATORS = frozenset({"and", "or", "but", "nor", "yet", "so"})
SUBORDINATORS = frozenset(
    "that if unless because since although though while whereas whether when where until before after who which whom whose "
    "what why how once as lest than".split()
)
ADVERBS = frozenset(
    "again also already always early even ever far hard here just largely later long mainly mostly never not now often only "
    "once partly rather really so soon still then there therefore today together tomorrow tonight too twice very yesterday "
    "probably apparently alone away back down up off out over around abroad ahead well better".split()
)
NEGATIVES = frozenset(
    "no not never none nobody nothing nowhere neither nor without hardly scarcely barely cannot".split()
    + [
        f"{verb}n{mark}t"
        for verb in "is are was were has have had do does did wo would ca could must should".split()
        for mark in "'’"
    ]
)
FUNCTION_WORDS = (
    DETERMINERS
    | SUBJECTS
    | OBJECTS
    | BE
    | AUXILIARIES
    | PREPOSITIONS
    | COORDINATORS
    | SUBORDINATORS
    | NEGATIVES
    | frozenset("being been do does did done s t not".split())
)


_DATA_FOLDER = Path(__file__).parent / "data"


@cache
def list_lines(name: str) -> tuple[str, ...]:
    """The lines of a list without blank ones and comments."""
    text = (_DATA_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def list_groups(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The lines `head: one, two` of a list as (head, members)."""
    parted = (line.partition(":") for line in list_lines(name))
    return tuple((head.strip(), tuple(word.strip() for word in rest.split(","))) for head, _, rest in parted)


@cache
def mutual_words(name: str) -> dict[str, tuple[str, ...]]:
    """A list of groups read in both directions: every head and member → what stands on the other side."""
    counterparts: defaultdict[str, list[str]] = defaultdict(list)
    for head, members in list_groups(name):
        for member in members:
            counterparts[head].append(member)
            counterparts[member].append(head)
    return {word: tuple(others) for word, others in counterparts.items()}


@cache
def conditional_words(name: str) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """A list of `head`, `head +word` or `head -word` → (member, word that must follow, word that must not)."""
    rules_by_word: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for head, members in list_groups(name):
        word, _, condition = head.partition(" ")
        needed, barred = condition[1:] * condition.startswith("+"), condition[1:] * condition.startswith("-")
        rules_by_word[word] += [(member, needed, barred) for member in members]
    return {word: tuple(rules) for word, rules in rules_by_word.items()}
