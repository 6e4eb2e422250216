"""Languages of published weights, as the cards of their authors state them, with the place of each statement.

A checkpoint that is not here has no stated languages: nothing is guessed from its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml  # type: ignore[import-untyped]  # it ships no types

from core.text import ANY, ENGLISH, NOT_STATED, SPACED

NO_LANGUAGE = "zxx"
"""Of ISO 639: for weights that have no language in common."""


class StatedLanguages(NamedTuple):
    """Codes of ISO 639 with blanks between, and the document that states them."""

    languages: str
    place: str


_HUB = "https://huggingface.co/"
_LETTUCE = "https://github.com/KRLabsOrg/LettuceDetect/blob/main/docs/"

# of the cards' own lists, in their order; Chinese is zh, and the two forms of Norwegian are no
_SENTENCE_TRANSFORMERS = (
    "ar bg ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id it ja ka ko ku lt lv mk mn mr ms my no nl pl pt ro ru sk sl "
    "sq sr sv th tr uk ur vi zh"
)
_XLM_R = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja jv ka "
    "kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te "
    "th tl tr ug uk ur uz vi xh yi zh"
)
_BERT = (
    "af sq ar an hy ast az ba eu bar be bn bpy bs br bg my ca ceb ce zh cv hr cs da nl en et fi fr gl ka de el gu ht he hi hu is "
    "io id ga it ja jv kn kk ky ko la lv lt lmo nds lb mk mg ms ml mr min ne new no oc fa pms pl pt pa ro ru sco sr sh scn sk sl "
    "azb es su sw sv tl tg ta tt te tr uk ur uz vi vo war cy fy pnb yo"
)
_LABSE = (
    "af sq am ar hy as az eu be bn bs bg my ca ceb zh co hr cs da nl en eo et fi fr fy gl ka de el gu ht ha haw he hi hmn hu is "
    "ig id ga it ja jv kn kk km rw ko ku ky lo la lv lt lb mk mg ms ml mt mi mr mn ne no ny or fa pl pt pa ro ru sm gd sr st sn "
    "si sk sl so es su sw sv tl tg ta tt te th bo tr tk ug uk ur uz vi cy wo xh yi yo zu"
)
_XNLI = "en ar bg de el es fr hi ru sw th tr ur vi zh"
_NLI_27 = "en zh ja ar ko de fr es pt hi id it tr ru bn ur mr ta vi fa pl uk nl sv he sw ps"
_OF_LETTUCE_NAMES = {"de": "de", "fr": "fr", "es": "es", "it": "it", "pl": "pl", "cn": "zh"}  # their code: ISO 639's


def _cards(languages: str, *checkpoints: str) -> dict[str, StatedLanguages]:
    """The same languages for several checkpoints, each stated by its own card."""
    return {checkpoint: StatedLanguages(languages, f"{_HUB}{checkpoint}") for checkpoint in checkpoints}


def _lettuce(languages: str, page: str, *names: str) -> dict[str, StatedLanguages]:
    return {f"KRLabsOrg/{name}": StatedLanguages(languages, f"{_LETTUCE}{page}") for name in names}


STATED_LANGUAGES: dict[str, StatedLanguages] = {
    **_cards(
        _SENTENCE_TRANSFORMERS,
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        "sentence-transformers/paraphrase-multilingual-mpnet-base-v2",
    ),
    **_cards(_LABSE, "sentence-transformers/LaBSE"),
    **_cards(ENGLISH, "sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-mpnet-base-v2"),
    **_cards(_XLM_R, "FacebookAI/xlm-roberta-base", "FacebookAI/xlm-roberta-large"),
    **_cards(_XNLI, "MoritzLaurer/mDeBERTa-v3-base-mnli-xnli"),
    **_cards(_NLI_27, "MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7"),
    "google-bert/bert-base-multilingual-cased": StatedLanguages(
        _BERT, "https://github.com/google-research/bert/blob/master/multilingual.md"
    ),
    **_lettuce(
        ENGLISH,
        "getting-started/models.md",
        "lettucedect-base-modernbert-en-v1",
        "lettucedect-large-modernbert-en-v1",
    ),
    **_lettuce(ENGLISH, "TINYLETTUCE.md", "tinylettuce-ettin-17m-en-v1"),
    **_lettuce("hu", "guide/multilingual.md", "lettucedect-mmbert-base-hu-v1", "lettucedect-mmbert-small-hu-v1"),
    **_lettuce("en de fr es it pl zh", "code-hallucination/model_card_v2_mmbert_base.md", "lettucedect-v2-mmbert-base"),
    **{
        checkpoint: stated
        for name, language in _OF_LETTUCE_NAMES.items()
        for checkpoint, stated in _lettuce(
            language,
            "guide/multilingual.md",
            f"lettucedect-210m-eurobert-{name}-v1",
            f"lettucedect-610m-eurobert-{name}-v1",
        ).items()
    },
}


def common_languages(languages: Iterable[str]) -> str:
    """The languages that all of several lists have, NOT_STATED where one of them is not stated, "" where they share none."""
    lists = list(languages)
    if NOT_STATED in lists:
        return NOT_STATED
    named = [listed.split() for listed in lists if listed not in {ANY, SPACED}]
    if not named:
        return SPACED if SPACED in lists else ANY
    return " ".join(sorted(set(named[0]).intersection(*named)))


@lru_cache(256)  # of every score
def stated_languages(checkpoint: str) -> str:
    """The languages of a checkpoint by its card, which may lie as README.md in a local folder; NOT_STATED without any."""
    if checkpoint in STATED_LANGUAGES:
        return STATED_LANGUAGES[checkpoint].languages
    card = Path(checkpoint) / "README.md"
    return (
        _languages_of_card(card.read_text(encoding="utf-8", errors="replace")) if card.is_file() else ""
    ) or NOT_STATED


_HEAD = re.compile(r"---\n(.*?)\n---\s", re.DOTALL)
_CODE = re.compile(r"([a-z]{2,3})(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))*")  # also of a country or script: pt-BR, zh-Hans
_NO_CODES = {"mul", "und", "mis", NO_LANGUAGE}


def _languages_of_card(card: str) -> str:
    """The codes in the head of a card of the hub, without country and script; "" for a card that names none.

    A card with "multilingual" beside a single code does not say which the others are: also "".
    """
    head = _HEAD.match(card)
    try:
        fields = yaml.safe_load(head[1]) if head else None
    except yaml.YAMLError:
        return ""
    listed = fields.get("language") if isinstance(fields, dict) else None
    entries = [
        "no" if entry is False else str(entry).lower() for entry in (listed if isinstance(listed, list) else [listed])
    ]
    matches = [match[1] for entry in entries if (match := _CODE.fullmatch(entry))]
    codes = [code for code in dict.fromkeys(matches) if code not in _NO_CODES]
    others = {"multilingual", "mul"}.intersection(entries)
    return "" if others and len(codes) == 1 else " ".join(codes)
