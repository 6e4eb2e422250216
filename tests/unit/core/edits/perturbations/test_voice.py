"""Active sentences in the passive: by parses that are written down, and by spaCy where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.edits.perturbation import PERTURBATIONS, refusal
from core.errors import LoadError, UnscorableError
from core.text import edits as executable
from core.types import Answer, Edit, Example, Question, Span
from tests.drive import drive

PLAIN = PERTURBATIONS.parse("voice")
DOCUMENT = "A club sold him. Local people saw the storm and police came with boats."


def parse(lines: str) -> tuple[str, Answer, Answer]:
    """A sentence, its tags and its heads, of "word/TAG/relation/head …"; a word that begins with ~ touches the one before."""
    text, spans, tags, relations, heads = "", [], [], [], []
    for entry in lines.split():
        word, tag, relation, head = entry.rsplit("/", 3)
        text += "" if word.startswith("~") or not text else " "
        start = len(text)
        text += word.removeprefix("~")
        spans.append(Span(start, len(text)))
        tags.append(tag)
        relations.append(relation)
        heads.append(float(head))
    where = tuple(spans)
    return text, Answer(spans=where, texts=tuple(tags)), Answer(tuple(heads), where, tuple(relations))


def passive(*parses: str, seed: int = 0) -> str:
    """The variant of a summary of these sentences."""
    texts, tags, heads = zip(*map(parse, parses), strict=True)
    summary = " ".join(texts)
    rounds = PLAIN.rounds(Example("x", DOCUMENT, summary), seed)
    questions: Sequence[Question] = next(rounds)
    assert [question.inputs[0] for question in questions[::2]] == list(texts)
    with pytest.raises(StopIteration) as end:
        rounds.send([answer for pair in zip(tags, heads, strict=True) for answer in pair])
    edits: list[Edit] = end.value.value
    assert all(edit.by == "voice" and edit.explanation for edit in edits)
    return executable.apply(summary, edits)


SUBJECT = "The/DT/det/1 club/NN/nsubj/2"
SOLD = f"{SUBJECT} sold/VBD/ROOT/2 the/DT/det/4 striker/NN/dobj/2"


@pytest.mark.parametrize(
    ("parsed", "variant"),
    [
        (f"{SOLD} in/IN/prep/2 May/NNP/pobj/5 ~././punct/2", "The striker was sold in May by the club."),
        (f"{SUBJECT} sold/VBD/ROOT/2 two/CD/nummod/4 players/NNS/dobj/2 ~././punct/2", "Two players were sold by the club."),
        (f"{SUBJECT} sells/VBZ/ROOT/2 old/JJ/amod/4 boats/NNS/dobj/2 ~././punct/2", "Old boats are sold by the club."),
        (
            "The/DT/det/1 club/NN/nsubj/3 will/MD/aux/3 sell/VB/ROOT/3 the/DT/det/5 mill/NN/dobj/3 ~././punct/3",
            "The mill will be sold by the club.",
        ),
        (
            "The/DT/det/1 club/NN/nsubj/3 has/VBZ/aux/3 sold/VBN/ROOT/3 two/CD/nummod/5 boats/NNS/dobj/3 ~././punct/3",
            "Two boats have been sold by the club.",
        ),
        (
            "The/DT/det/1 club/NN/nsubj/3 is/VBZ/aux/3 selling/VBG/ROOT/3 them/PRP/dobj/3 ~././punct/3",
            "They are being sold by the club.",
        ),
        ("He/PRP/nsubj/1 wrote/VBD/ROOT/1 the/DT/det/3 letter/NN/dobj/1 ~././punct/1", "The letter was written by him."),
        ("Police/NNS/nsubj/1 arrested/VBD/ROOT/1 him/PRP/dobj/1 ~././punct/1", "He was arrested by police."),
        (
            "Ana/NNP/compound/1 Costa/NNP/nsubj/2 carried/VBD/ROOT/2 out/RP/prt/2 the/DT/det/5 plan/NN/dobj/2 ~././punct/2",
            "The plan was carried out by Ana Costa.",
        ),
        (
            "On/IN/prep/5 Monday/NNP/pobj/0 ~,/,/punct/5 the/DT/det/4 club/NN/nsubj/5 sold/VBD/ROOT/5 the/DT/det/7 mill/NN/dobj/5 "
            "~././punct/5",
            "On Monday, the mill was sold by the club.",
        ),
        (
            f"{SUBJECT} signalled/VBD/ROOT/2 the/DT/det/4 change/NN/dobj/2 ~././punct/2",
            "The change was signalled by the club.",
        ),
    ],
)  # fmt: skip
def test_a_plain_clause_is_turned_and_the_doer_stays(parsed: str, variant: str) -> None:
    assert passive(parsed) == variant


@pytest.mark.parametrize(
    ("parsed", "why"),
    [
        (f"{SOLD.replace('the/DT', 'no/DT')} ~././punct/2", "a quantifier: another scope"),
        (f"{SOLD.replace('the/DT/det', 'its/PRP$/poss')} ~././punct/2", "a possessive that points back"),
        (f"{SUBJECT} took/VBD/ROOT/2 part/NN/dobj/2 ~././punct/2", "an idiom"),
        (f"{SUBJECT} resembles/VBZ/ROOT/2 the/DT/det/4 mill/NN/dobj/2 ~././punct/2", "a verb of state"),
        (f"{SOLD} ~,/,/punct/2 ending/VBG/advcl/2 talks/NNS/dobj/6 ~././punct/2", "a second verb with the same subject"),
        (f"{SOLD} and/CC/cc/2 left/VBD/conj/2 ~././punct/2", "a second predicate"),
        (f"{SOLD} with/IN/prep/2 ten/CD/nummod/7 men/NNS/pobj/5 ~././punct/2", "a phrase that may be of the subject"),
        (f"{SOLD} by/IN/prep/2 noon/NN/pobj/5 ~././punct/2", "a second by"),
        (f"{SOLD} for/IN/prep/2 its/PRP$/poss/7 fans/NNS/pobj/5 ~././punct/2", "a pronoun before what it points to"),
        (f"{SOLD} ~?/./punct/2", "a question"),
        ("It/PRP/nsubj/1 rained/VBD/ROOT/1 hard/RB/advmod/1 ~././punct/1", "no object"),
        (f"{SUBJECT} lost/VBD/ROOT/2 a/DT/det/4 number/NN/dobj/2 of/IN/prep/4 men/NNS/pobj/5 ~././punct/2", "one or many"),
        ("2014/CD/nsubj/1 brought/VBD/ROOT/1 a/DT/det/3 drought/NN/dobj/1 ~././punct/1", "a year that does nothing"),
        (f"{SOLD.replace('The/DT/det/1 club/NN', 'Weary/JJ/amod/1 owners/NNS')} ~././punct/2", "a capital that may be of a name"),
    ],
)  # fmt: skip
def test_what_is_doubtful_is_refused(parsed: str, why: str) -> None:
    with pytest.raises(UnscorableError, match="No sentence of the summary is one plain clause"):
        passive(parsed)
    assert why


def test_one_of_several_sentences_is_turned_and_the_seed_says_which() -> None:
    other = "Police/NNS/nsubj/1 arrested/VBD/ROOT/1 him/PRP/dobj/1 ~././punct/1"
    variants = {passive(f"{SOLD} ~././punct/2", other, seed=seed) for seed in range(12)}
    assert variants == {
        "The striker was sold by the club. Police arrested him.",
        "The club sold the striker. He was arrested by police.",
    }


def test_without_spacy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("core.text.spacy_pipeline.find_spec", lambda _: None)
    assert "pip install spacy==" in refusal(PLAIN, Example("x", DOCUMENT, "The club sold the striker."))
    with pytest.raises(LoadError, match="is no spaCy pipeline"):
        _ = PERTURBATIONS.build("voice", {"parser": str(tmp_path)}).signature


@pytest.mark.slow
@pytest.mark.skipif(find_spec("spacy") is None, reason="spaCy is not installed: make parsers")
def test_spacy_reads_what_was_written_down() -> None:
    summary = "Police arrested two men on Friday. Nobody was hurt, and it rained."
    edits = drive(PLAIN.rounds(Example("x", DOCUMENT, summary), 0))
    assert (
        executable.apply(summary, edits) == "Two men were arrested on Friday by police. Nobody was hurt, and it rained."
    )
    assert "|weights:" in PLAIN.signature
