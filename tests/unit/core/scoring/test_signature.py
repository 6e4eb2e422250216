"""A signature tells two numbers apart and carries no path."""

from __future__ import annotations

from dataclasses import replace

from core.base.signatures import apart_from_code, code_of_signature
from core.scoring.metric import METRICS, metric_code, signature
from tests.doubles.metrics import Asking

FINGERPRINT = "0123456789abcdef"
ASKING = Asking("/somewhere/model", "so ")


def signed(metric: Asking, fingerprint: str = FINGERPRINT, splitter: str = "punkt", version: str = "1") -> str:
    return signature(metric, [fingerprint], splitter, version)


def test_the_weights_stand_instead_of_their_path() -> None:
    assert apart_from_code(signed(ASKING)) == "asking|prefix:so |weights:0123456789ab|split:punkt|touchstone:1"


def test_every_setting_stands_in_it() -> None:
    metric = METRICS.parse("rouge2[measured=f1]")
    assert (
        apart_from_code(signature(metric, [], "punkt", "1"))
        == "rouge2|measured:f1|stemmer:True|variant:perl|split:punkt|touchstone:1"
    )


def test_whatever_moves_a_number_changes_it() -> None:
    others = {
        signed(replace(ASKING, prefix="")),
        signed(ASKING, fingerprint="fedcba987654"),
        signed(ASKING, splitter="punkt-tab"),
        signed(ASKING, version="2"),
    }
    assert len(others - {signed(ASKING)}) == 4


def test_the_same_weights_elsewhere_are_the_same() -> None:
    assert signed(replace(ASKING, checkpoint="/elsewhere")) == signed(ASKING)


def test_the_code_of_a_metric_is_its_file_what_that_imports_and_the_libraries_that_compute() -> None:
    parts = metric_code(METRICS.parse("rouge2"))
    assert {
        "core/scoring/metrics/rouge.py",
        "core/text/text.py",
        "core/text/abbreviations.txt",
        "nltk",
        "rouge_score",
        "python",
    } <= set(parts)
    assert not {"core/scoring/metrics/bleu.py", "torch", "pydantic"} & set(parts)


def test_the_code_of_a_metric_with_a_model_has_the_adapter_and_the_libraries_of_models() -> None:
    parts = metric_code(METRICS.parse("bertscore-minilm"))
    assert {"core/models/adapters/bertscore.py", "torch", "transformers", "tokenizers"} <= set(parts)


def test_a_metric_around_another_has_the_code_of_both() -> None:
    inside = metric_code(METRICS.parse("claims[metric=rouge2,by=sentence]"))
    assert {
        "core/scoring/metrics/claims_wrapper.py",
        "core/scoring/metrics/rouge.py",
        "core/scoring/claims/sentence.py",
    } <= set(inside)


def test_the_code_stands_last_and_short() -> None:
    line = signed(ASKING)
    assert line == f"{apart_from_code(line)}|code:{code_of_signature(line)}"
    assert len(code_of_signature(line)) == 12
