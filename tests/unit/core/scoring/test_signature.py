"""A signature tells two numbers apart and carries no path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.base.definitions import read_definitions
from core.base.signatures import apart_from_code, code_of_signature
from core.scoring.metric import METRICS, metric_code, signature
from tests.doubles.metrics import Asking

FINGERPRINT = "0123456789abcdef"
ASKING = Asking("/somewhere/model", "so ")


def signed(metric: Asking, fingerprint: str = FINGERPRINT, splitter: str = "punkt") -> str:
    return signature(metric, [fingerprint], splitter)


def test_the_weights_stand_instead_of_their_path() -> None:
    assert apart_from_code(signed(ASKING)) == "asking|prefix:so |weights:0123456789ab|split:punkt"


def test_every_setting_stands_in_it() -> None:
    metric = METRICS.parse("rouge2[measured=f1]")
    assert apart_from_code(signature(metric, [], "punkt")) == "rouge2|measured:f1|stemmer:True|variant:perl|split:punkt"


def test_whatever_moves_a_number_changes_it() -> None:
    others = {
        signed(replace(ASKING, prefix="")),
        signed(ASKING, fingerprint="fedcba987654"),
        signed(ASKING, splitter="punkt-tab"),
    }
    assert len(others - {signed(ASKING)}) == 3


def test_the_same_weights_elsewhere_are_the_same() -> None:
    assert signed(replace(ASKING, checkpoint="/elsewhere")) == signed(ASKING)


def test_the_code_of_a_metric_is_what_its_class_reaches_and_the_libraries_that_compute() -> None:
    parts = metric_code(METRICS.parse("rouge2"))
    reached = {
        "Rouge2.measure",
        "perl_tokens",
        "sentences",
        "abbreviations.txt",
        "irregular_forms.txt",
        "nltk",
        "rouge_score",
    }
    assert reached <= set(parts)
    assert not {
        "entities",
        "Bleu",
        "Registry",
        "UnscorableError",
        "given_names.txt",
        "torch",
        "pydantic",
        "python",
    } & set(parts)


def test_the_code_of_a_metric_with_a_model_has_the_adapter_and_the_libraries_of_models() -> None:
    parts = metric_code(METRICS.parse("bertscore-minilm"))
    assert {"BertScoreModel.forward", "load_encoder", "torch", "transformers", "tokenizers"} <= set(parts)


def test_a_metric_around_another_has_the_code_of_both() -> None:
    inside = metric_code(METRICS.parse("claims[metric=rouge2,by=sentence]"))
    assert {"Claims.rounds", "Rouge2.measure", "SentenceClaims.rounds"} <= set(inside)


def test_of_a_card_its_direction_is_part_of_the_code_and_no_text() -> None:
    text = Path("core/scoring/metrics/claims_wrapper.py").read_text(encoding="utf-8")
    reworded = text.replace("Another metric on each claim", "A metric on each claim")
    turned = text.replace("high=None,", 'high=None, direction="lower",', 1)
    form, same, other = (read_definitions(one).definitions["Claims.card"].form for one in (text, reworded, turned))
    assert form == same != other
    assert text not in {reworded, turned}


def test_the_code_stands_last_and_short() -> None:
    line = signed(ASKING)
    assert line == f"{apart_from_code(line)}|code:{code_of_signature(line)}"
    assert len(code_of_signature(line)) == 12
