"""The prompt of LettuceDetect has the wording that its weights were trained with, or none is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadSettingError
from core.scoring.metric import METRICS
from core.scoring.metrics.lettucedetect import prompt
from core.types import Example

PAIR = Example("ferry", "Die Fähre fährt um neun.", "Sie fährt um neun.")


def first_prompt(spec: str, example: Example = PAIR) -> str:
    [counted, _] = next(METRICS.parse(spec).rounds(example))
    return counted.inputs[0]


@pytest.mark.parametrize(
    ("name", "begin", "passage"),
    [
        ("lettucedect-210m-eurobert-de-v1", "Fasse den folgenden Text zusammen:\n", "Passage 1: "),
        ("lettucedect-610m-eurobert-cn-v1", "请总结以下文本：\n", "段落 1: "),
        ("lettucedect-mmbert-base-hu-v1", "Foglalja össze az alábbi szöveget:\n", "szövegrészlet 1: "),
        ("lettucedect-large-modernbert-en-v1", "Summarize the following text:\n", "passage 1: "),
        ("lettucedect-v2-mmbert-base", "Summarize the following text:\n", "passage 1: "),
    ],
)
def test_published_weights_are_asked_in_their_own_words(name: str, begin: str, passage: str) -> None:
    assert first_prompt(f"lettucedetect[checkpoint=KRLabsOrg/{name}]").startswith(f"{begin}{passage}{PAIR.document}")


def test_words_of_one_language_can_be_set() -> None:
    spec = "lettucedetect[checkpoint=KRLabsOrg/lettucedect-210m-eurobert-de-v1,wording=english]"
    assert first_prompt(spec).startswith("Summarize the following text:")
    assert first_prompt("lettucedetect[checkpoint=/weights/my-own,languages=fr]").startswith(
        "Résume le texte suivant :"
    )
    assert prompt(["$x costs 3 $."], "Wie viel?", "de").count("$") == 2


@pytest.mark.parametrize(
    ("folder", "card", "begin"),
    [
        ("mine", "de-DE", "Fasse den folgenden Text zusammen:"),
        ("mine", "[de, fr]", "Summarize the following text:"),
        ("mine", "multilingual", "Summarize the following text:"),
        ("LettuceDect-base-FR-v2", "de", "Résume le texte suivant :"),
    ],
)
def test_weights_in_a_folder_are_asked_in_the_language_of_their_name_or_card(
    folder: str, card: str, begin: str, tmp_path: Path
) -> None:
    weights = tmp_path / folder
    weights.mkdir()
    (weights / "README.md").write_text(f"---\nlanguage: {card}\n---\n# Mine\n", encoding="utf-8")
    assert first_prompt(f"lettucedetect[checkpoint={weights}]").startswith(begin)


@pytest.mark.parametrize(
    "settings",
    ["checkpoint=/w/lettucedect-base-ru-v1", "checkpoint=/w/mine,languages=de fr", "checkpoint=/w/mine,languages=any"],
)
def test_weights_whose_words_are_not_here_are_refused(settings: str) -> None:
    with pytest.raises(BadSettingError, match="trained with a prompt in that language"):
        METRICS.parse(f"lettucedetect[{settings}]")
