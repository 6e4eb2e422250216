"""Real configurations on the hub are read: the form that is guessed, or a sentence that says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import LoadError
from core.models.weights.repository import Repository
from core.scoring.metric import METRICS
from core.scoring.plugins.checkpoints.checkpoint_config import card_fields
from core.scoring.plugins.checkpoints.checkpoint_file import checkpoint_class, entry_of
from core.scoring.plugins.checkpoints.checkpoint_guess import Guess, correct_guess, guess_form
from core.scoring.plugins.checkpoints.known_families import FAMILIES, family_note, family_spec

FILES = ("config.json", "model.safetensors", "tokenizer.json")
NLI = {
    "architectures": ["RobertaForSequenceClassification"],
    "model_type": "roberta",
    "max_position_embeddings": 514,
    "pad_token_id": 1,
}


def repository(config: dict[str, Any], files: tuple[str, ...] = FILES, **texts: str) -> Repository:
    named = {"config.json": json.dumps(config), **{name.replace("__", "."): text for name, text in texts.items()}}
    return Repository("owner/name", "c" * 40, dict.fromkeys([*files, *named], 10), named)


def guess(config: dict[str, Any], files: tuple[str, ...] = FILES, **texts: str) -> Guess:
    found = guess_form(repository(config, files, **texts))
    for table in found.candidates:
        checkpoint_class(entry_of(table, "mine"))()  # each is a metric
    return found


def refusal(config: dict[str, Any], files: tuple[str, ...] = FILES, **texts: str) -> str:
    with pytest.raises(LoadError) as raised:
        guess_form(repository(config, files, **texts))
    return str(raised.value)


def labelled(*labels: str) -> dict[str, Any]:
    ids = {str(place): label for place, label in enumerate(labels)}
    return {**NLI, "id2label": ids, "label2id": {label: place for place, label in enumerate(labels)}}


def test_numbers_of_labels_may_be_texts() -> None:
    config = {**NLI, "id2label": {"0": "yes", "1": "no"}, "label2id": {"yes": "0", "no": "1"}}
    assert guess(config).candidates[0]["label"] == "yes"


@pytest.mark.parametrize(
    ("labels", "supported"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), "ENTAILMENT"),
        (("entailment", "neutral", "contradiction"), "entailment"),
        (("contradiction", "entailment", "neutral"), "entailment"),
        (("entailment", "not_entailment"), "entailment"),
        (("not-entailment", "entailment"), "entailment"),
        (("UNSUPPORTED", "SUPPORTED"), "SUPPORTED"),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), "SUPPORTS"),
        (("hallucination", "factual"), "factual"),
        (("hallucinated", "ok"), "ok"),
        (("NotHallucinated", "Hallucinated"), "NotHallucinated"),
        (("consistent", "inconsistent"), "consistent"),
        (("INCORRECT", "CORRECT"), "CORRECT"),
    ],
)
def test_the_label_that_says_supported_is_found_in_any_order_and_spelling(
    labels: tuple[str, ...], supported: str
) -> None:
    found = guess(labelled(*labels))
    assert [(table["label"], table["first"]) for table in found.candidates] == [
        (supported, "document"),
        (supported, "summary"),
    ]
    assert not found.open


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1", "LABEL_2"), ("0", "1"), ("POSITIVE", "NEGATIVE")])
def test_labels_that_say_nothing_leave_the_choice_to_the_probe_pairs(labels: tuple[str, ...]) -> None:
    found = guess(labelled(*labels))
    assert [table["label"] for table in found.candidates] == [*labels, *labels]
    assert "which label" in found.open


def test_one_label_is_a_number_whose_direction_and_activation_are_told_apart() -> None:
    one = labelled("LABEL_0")
    plain, trained = guess(one).candidates[0], guess({**one, "problem_type": "regression"}).candidates[0]
    crossed = guess({**one, "sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}}).candidates[
        0
    ]
    older = guess({**one, "sbert_ce_default_activation_function": "torch.nn.modules.activation.Sigmoid"}).candidates
    assert [one["activation"] for one in (plain, trained, crossed, older[0])] == ["sigmoid", "none", "none", "sigmoid"]
    assert {(one["reverse"], one["first"]) for one in older} == {
        (reverse, first) for reverse in (False, True) for first in ("document", "summary")
    }


def test_the_limit_of_tokens_is_that_of_the_model_whatever_the_tokenizer_says() -> None:
    huge = json.dumps({"model_max_length": 1e30})
    assert guess(labelled("yes", "no"), tokenizer_config__json=huge).candidates[0]["max_tokens"] == 512
    assert (
        guess(labelled("yes", "no"), tokenizer_config__json='{"model_max_length": 128}').candidates[0]["max_tokens"]
        == 128
    )
    t5 = {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"}
    assert guess(t5, tokenizer_config__json=huge).candidates[0]["max_tokens"] == 512


def test_other_forms_are_recognised() -> None:
    encoder = guess({"architectures": ["MPNetModel"], "model_type": "mpnet"}, (*FILES, "modules.json"))
    assert encoder.candidates[0]["form"] == "encoder"
    chat = guess(
        {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}, tokenizer_config__json='{"chat_template": "x"}'
    )
    assert (chat.candidates[0]["form"], chat.candidates[0]["words"]) == ("judge", "Yes No")
    asked = guess({"architectures": ["T5ForConditionalGeneration"], "model_type": "t5"})
    assert {table["words"] for table in asked.candidates} == {"yes no", "1 0"}
    assert asked.open


@pytest.mark.parametrize(
    ("config", "files", "words"),
    [
        ({**NLI, "auto_map": {"AutoModel": "modeling.Mine"}}, FILES, "code of its own"),
        (NLI, ("config.json", "model.safetensors"), "no tokenizer"),
        (NLI, ("config.json", "tokenizer.json"), "no model.safetensors"),
        (NLI, ("config.json", "tokenizer.json", "model-q4.gguf"), "GGUF"),
        (NLI, ("config.json", "tokenizer.json", "onnx/model_q4.onnx"), "ONNX"),
        (NLI, ("config.json", "tokenizer.json", "tf_model.h5"), "TensorFlow"),
        ({**NLI, "quantization_config": {"quant_method": "gptq"}}, FILES, "quantized (gptq)"),
        ({**NLI, "problem_type": "multi_label_classification"}, FILES, "multi-label"),
        (
            {**NLI, "id2label": {"0": "yes", "1": "no"}, "label2id": {"yes": 1, "no": 0}},
            FILES,
            "another order in label2id",
        ),
        ({"architectures": ["LlamaForSequenceClassification"], "model_type": "llama"}, FILES, "no pad_token_id"),
        ({"architectures": ["BertForTokenClassification"], "model_type": "bert"}, FILES, "single tokens"),
        ({"architectures": ["BertForMaskedLM"], "model_type": "bert"}, FILES, "cli.py train"),
        (
            {"architectures": ["BartForConditionalGeneration"], "model_type": "bart"},
            FILES,
            "bartscore[checkpoint=owner/name]",
        ),
        ({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}, FILES, "without a chat template"),
        ({"architectures": ["ViTForImageClassification"], "model_type": "vit"}, FILES, "none of the forms"),
        ({"architectures": ["LlamaModel"], "model_type": "llama"}, FILES, "no encoder"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_to_do(
    config: dict[str, Any], files: tuple[str, ...], words: str
) -> None:
    assert words in refusal(config, files)


def test_an_adapter_a_pointer_and_a_broken_file_are_named() -> None:
    adapter = Repository(
        "owner/name", "", {"adapter_config.json": 9}, {"adapter_config.json": '{"base_model_name_or_path": "big/one"}'}
    )
    with pytest.raises(LoadError, match=r"adapter of big/one.*merge_and_unload"):
        guess_form(adapter)
    with pytest.raises(LoadError, match="git lfs pull"):
        guess_form(Repository("/folder", "", dict.fromkeys(FILES, 130), {}, ("model.safetensors",)))
    with pytest.raises(LoadError, match="no JSON object"):
        guess_form(Repository("/folder", "", dict.fromkeys(FILES, 130), {"config.json": "[1]"}))


def test_a_pickle_is_said_to_be_read_as_numbers_only() -> None:
    notes = guess(labelled("yes", "no"), ("config.json", "pytorch_model.bin", "tokenizer.json")).notes
    assert any("pickle" in note for note in notes)


def test_a_person_corrects_fields_and_another_form_keeps_only_what_fits_it() -> None:
    found = guess(labelled("LABEL_0", "LABEL_1"))
    assert [one["first"] for one in correct_guess(found, {"label": "LABEL_1"}).candidates] == ["document", "summary"]
    [other] = correct_guess(found, {"form": "regressor"}).candidates
    assert "labels" not in other
    assert other["checkpoint"] == "owner/name"


def test_licence_and_languages_are_those_of_the_model_card() -> None:
    card = "---\nlanguage:\n- en\n- de\nlicense: apache-2.0\ntags:\n- nli\n---\n# Text\nlicense: other"
    assert card_fields(card) == {"languages": "en de", "licence": "Weights: apache-2.0."}
    assert card_fields("language: [en]") == {"languages": "en"}
    assert card_fields('---\nlanguage: ["fr", "multilingual"]\n---') == {"languages": "fr"}


@pytest.mark.parametrize(
    ("source", "spec"),
    [
        ("lytang/MiniCheck-RoBERTa-Large", "minicheck-roberta"),
        ("vectara/hallucination_evaluation_model", "hhem"),
        (
            "KRLabsOrg/lettucedect-large-modernbert-en-v1",
            "lettucedetect[checkpoint=KRLabsOrg/lettucedect-large-modernbert-en-v1]",
        ),
        ("someone/AlignScore-tuned", "alignscore-large[checkpoint=someone/AlignScore-tuned]"),
        ("owner/name", ""),
    ],
)
def test_a_published_family_leads_to_its_own_metric(source: str, spec: str) -> None:
    assert family_spec(source) == spec
    assert (spec in family_note(source)) if spec else not family_note(source)


def test_every_family_has_a_metric() -> None:
    assert {name for _, name in FAMILIES} <= {*METRICS.names()}
