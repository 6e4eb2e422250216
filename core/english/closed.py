"""The closed classes of English words."""

from __future__ import annotations

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
