"""Names, values and scores are read the right way round or left to a person, never the wrong way round."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from core.data.datasets.formats.polarity import (
    higher_is_better,
    is_measurement,
    name_direction,
    names_people,
    opposite,
    value_direction,
)
from core.types import Verdict

CONSISTENT, INCONSISTENT = Verdict.CONSISTENT, Verdict.INCONSISTENT

GOOD = (
    "correct consistent faithful factual supported grounded attributable entailed accurate valid verifiable truthful substantiated "
    "reliable richtig fidèle correcto corretto correto juist"
).split()
BAD = (
    "hallucinated hallucination error contradicted fabricated misleading erroneous deceptive bogus spurious baseless refuted violation defect "
    "mistake distorted wrong made_up issue flagged falsch erreur alucinado sbagliato errado fout"
).split()
PLAIN = ("{}", "is_{}", "summary_is_{}", "{}_summary", "label_{}", "is_{}_or_not", "{}_label", "has_{}", "{}_detected")
TURNED = (
    *(
        "not_{}",
        "is_not_{}",
        "non_{}",
        "non-{}",
        "never_{}",
        "isn't_{}",
        "not_{}_summary",
        "no_{}",
        "contains_no_{}",
        "without_{}",
    ),
    *(
        "{}_free",
        "0_{}",
        "zero_{}",
        "anti_{}",
        "free_of_{}",
        "lacks_{}",
        "un{}",
        "in{}",
        "non{}",
        "not{}",
        "{}_not_found",
        "{}_absent",
    ),
)


def _camel(name: str) -> str:
    joined = name.title().replace("_", "")
    return joined[:1].lower() + joined[1:]


CASES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "camelCase": _camel,
    "Title Case": lambda name: name.title().replace("_", " "),
    "kebab-case": lambda name: name.replace("_", "-"),
    "grown together": lambda name: name.replace("_", ""),
}

NAMES = [
    (spell(pattern.format(root)), direction if pattern in PLAIN else opposite(direction))
    for spell, (roots, direction), pattern in product(
        CASES.values(), ((GOOD, CONSISTENT), (BAD, INCONSISTENT)), (*PLAIN, *TURNED)
    )
    for root in roots
]


def test_no_name_of_roots_negations_and_spellings_is_read_the_wrong_way_round() -> None:
    assert len({*NAMES}) > 4000
    assert [name for name, meant in NAMES if name_direction(name) not in (meant, None)] == []


def test_nine_of_ten_names_are_read_without_a_question() -> None:
    assert sum(name_direction(name) is None for name, _ in NAMES) < len(NAMES) / 10


@pytest.mark.parametrize(
    "name",
    "incorrect wrong untrue not_factual non_faithful unverifiable contradicted fabricated made_up misleading has_issue flagged bad inaccurate "
    "is_not_supported factual_error factually_incorrect consistency_error lacks_support not_error_free nicht_korrekt hasErrors".split(),
)
def test_yes_under_these_names_is_inconsistent(name: str) -> None:
    assert name_direction(name) is INCONSISTENT


@pytest.mark.parametrize(
    "name",
    "no_hallucination error_free ErrorFree no_factual_errors hallucination_free not_inconsistent no_unsupported_claims is_true "
    "hallucination_not_detected flawless fehlerfrei ohne_fehler sans_erreur sin_errores senza_errori sem_erros".split(),
)
def test_yes_under_these_names_is_consistent(name: str) -> None:
    assert name_direction(name) is CONSISTENT


@pytest.mark.parametrize(
    "name",
    "label target y class gold answer verdict annotation result true_label correct_answer ground_truth pass_fail correct_or_wrong validated "
    "verified corrected in_consistent free_text_correct error_corrected no_of_errors not_factual_error faithful_unfaithful true "
    "label_correct false_positive un_error pseudo_factual".split(),
)
def test_names_that_settle_nothing_are_left_to_a_person(name: str) -> None:
    assert name_direction(name) is None


def test_a_name_that_explains_its_digits_is_read_by_them() -> None:
    assert name_direction("label (1 = hallucinated, 0 = faithful)") is INCONSISTENT
    assert name_direction("label (0: inconsistent)") is CONSISTENT
    assert name_direction("hallucination (1 = yes)") is INCONSISTENT


@pytest.mark.parametrize(
    ("value", "direction"),
    [
        *(
            (text, CONSISTENT)
            for text in ("No Hallucination", "0 errors", "1 = consistent", "Yes, supported", "A) Faithful", "👍")
        ),
        *(
            (text, CONSISTENT)
            for text in ("Kein Fehler", "一致", "верно", "The summary is consistent with the document")
        ),
        *(
            (text, INCONSISTENT)
            for text in ("Has Hallucination", "2 errors", "0 - not supported", "No, it is not faithful", "👎")
        ),
        *(
            (text, INCONSISTENT)
            for text in ("pas fidèle", "no coherente", "não fiel", "不一致", "неверно", "isn't supported")
        ),
        *(
            (text, None)
            for text in ("yes", "no", "1", "0", "neutral", "mostly accurate", "not enough info", "positive")
        ),
    ],
)
def test_a_value_states_what_its_words_say(value: str, direction: Verdict | None) -> None:
    assert value_direction(value) is direction


@pytest.mark.parametrize(
    ("names", "higher"),
    [
        ("rouge2 AlignScore BERTScore summac_conv hallucination_free_score factuality accuracy logLikelihood Q2", True),
        (
            "perplexity editDistance uncertainty avg_nll loss risk hallucination_rate num_errors semantic_entropy WER severity",
            False,
        ),
        (
            "score x mystery neg_perplexity inverse_loss no_errors alignscore_error faithfulness_gap rank_distance confidence",
            None,
        ),
    ],
)
def test_scores_have_the_direction_that_their_names_say(names: str, higher: bool | None) -> None:
    assert {name: higher_is_better(name) for name in names.split()} == dict.fromkeys(names.split(), higher)


def test_scores_that_were_kept_with_the_opposite_sign_come_back_as_they_are() -> None:
    assert higher_is_better("perplexity (negated)") is True


def test_who_answered_and_how_long_it_took_are_no_answers() -> None:
    people = "annotator worker_id WorkerId reviewer rater coder _annotator_id annotator_email reviewed_by completed_by".split()
    assert [name for name in people if not names_people(name)] == []
    measured = (
        "annotator_1_time lead_time started_at duration confidence annotator_confidence session created_at".split()
    )
    assert [name for name in measured if not is_measurement(name)] == []
    answers = "annotator_1 rater_2 annotator_1_verdict vote_1 faithful uncertainty".split()
    assert [name for name in answers if names_people(name) or is_measurement(name)] == []


@pytest.mark.parametrize("negation", ["non", "no", "Non", "NON"])
@pytest.mark.parametrize("root", ["factual", "entailment", "faithful", "supported", "hallucinated", "error"])
def test_a_negation_joined_by_a_hyphen_is_no_answer_before_the_word(negation: str, root: str) -> None:
    plain = value_direction(root)
    assert plain
    assert value_direction(f"{negation}-{root}") in (opposite(plain), None)
    assert value_direction("Yes - supported") is value_direction("yes, supported") is Verdict.CONSISTENT


@pytest.mark.parametrize("name", ["words_per_sentence", "sents_per_doc", "facts per claim"])
def test_a_rate_has_no_better_way(name: str) -> None:
    assert higher_is_better(name) is None
    assert higher_is_better("PER") is higher_is_better("phoneme_per") is False
