"""Weights in place of a metric's own have the languages that their authors state, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.scoring.checkpoint_languages import STATED_LANGUAGES, common_languages, stated_languages
from core.scoring.metric import METRICS
from core.text import NOT_STATED, count_unverified, language_of
from core.text.language import language_note
from core.types import Example

GERMAN = "Die Fähre von Malmö fährt im Winter nur noch zweimal am Tag, weil die Stadt das Geld dafür nicht mehr hat."
ENGLISH = "The ferry from the town sails twice a day in winter, since the money of the town is gone."


def note(spec: str, text: str) -> str:
    return language_note(METRICS.parse(spec).verified_languages, Example("a", text, text))


@pytest.mark.parametrize(
    ("spec", "marked"),
    [
        ("summac-zs", "unverified: not English (de)"),
        ("summac-zs[checkpoint=MoritzLaurer/mDeBERTa-v3-base-mnli-xnli]", ""),
        ("summac-zs[checkpoint=someone/unknown]", "unverified: languages of the weights not stated (de)"),
        ("summac-zs[checkpoint=someone/unknown,languages=de]", ""),
        ("bertscore[checkpoint=google-bert/bert-base-multilingual-cased,layer=9]", ""),
        ("semantic-similarity[checkpoint=sentence-transformers/LaBSE]", ""),
        ("semantic-similarity[checkpoint=sentence-transformers/all-mpnet-base-v2]", "unverified: not English (de)"),
        ("retrieve[metric=summac-zs,encoder=sentence-transformers/LaBSE]", "unverified: not English (de)"),
        ("lettucedetect[checkpoint=KRLabsOrg/lettucedect-210m-eurobert-de-v1]", ""),
        ("lettucedetect[checkpoint=KRLabsOrg/lettucedect-210m-eurobert-fr-v1]", "unverified: not fr (de)"),
    ],
)
def test_a_german_row_is_marked_by_the_card_of_the_weights(spec: str, marked: str) -> None:
    assert note(spec, GERMAN) == marked


def test_english_rows_of_unknown_weights_are_not_marked_and_those_of_german_weights_are() -> None:
    assert note("summac-zs[checkpoint=someone/unknown]", ENGLISH) == ""
    assert note("lettucedetect[checkpoint=KRLabsOrg/lettucedect-210m-eurobert-de-v1]", ENGLISH).endswith("not de (en)")
    [counted] = count_unverified("mine", NOT_STATED, [Example("a", GERMAN, GERMAN), Example("b", ENGLISH, ENGLISH)])
    assert counted == "mine: scores of 1 of 2 texts are unverified: languages of the weights not stated (de 1)."


def test_many_languages_are_counted_and_not_listed() -> None:
    spec = "bertscore[checkpoint=FacebookAI/xlm-roberta-base,layer=9]"
    tibetan = "བོད་ཡིག་ནི་བོད་མིའི་སྐད་ཡིག་ཡིན་ཞིང་མང་པོས་བེད་སྤྱོད་བྱེད།"
    assert note(spec, tibetan) == "unverified: not one of 93 languages (dz)"


@pytest.mark.parametrize(
    ("card", "languages"),
    [
        ("---\nlanguage:\n- de\n- no\n- zh-cn\n- multilingual\nlicense: mit\n---\n# Mine\n", "de no zh"),
        ("---\nlanguage: [EN, pt-BR, zh-Hans, sr_Latn, es-419]\n---\n", "en pt zh sr es"),
        ("---\nlanguage: [multilingual, en]\n---\n", NOT_STATED),
        ("---\nlanguage: [mul]\n---\n", NOT_STATED),
        ("---\nlanguage: [non-english, all-languages, code]\n---\n", NOT_STATED),
        ("---\nlanguage: fr\n---\n", "fr"),
        ("---\nlanguage: multilingual\n---\n", NOT_STATED),
        ("# No head\nlanguage: fr\n", NOT_STATED),
        ("---\nlanguage: [fr\n---\n", NOT_STATED),
    ],
)
def test_the_card_in_a_folder_of_weights_is_read(card: str, languages: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(card, encoding="utf-8")
    assert stated_languages(str(tmp_path)) == languages


def test_the_tables_codes_are_those_that_texts_are_told_apart_by() -> None:
    codes = {code for stated in STATED_LANGUAGES.values() for code in stated.languages.split()}
    assert {language_of(GERMAN), "zh", "no", "he", "ja"} <= codes
    assert all(stated.place.startswith("https://") for stated in STATED_LANGUAGES.values())
    assert all(code.isalpha() and len(code) in {2, 3} for code in codes)


def test_common_languages_are_those_of_every_list() -> None:
    assert common_languages(["de en fr", "fr de", "any", "spaced"]) == "de fr"
    assert common_languages(["any", "spaced"]) == "spaced"
    assert common_languages(["en", NOT_STATED]) == NOT_STATED
    assert common_languages(["de", "fr"]) == ""
