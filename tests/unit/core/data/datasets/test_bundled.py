"""The bundled examples keep what the format and the first page promise."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from core.data.dataset import DATASETS, Refusal
from core.data.datasets.bundled import FOLDER, Bundled, bundled_items
from core.edits.battery import standard_battery
from core.edits.perturbation import Perturbation
from core.errors import UnscorableError
from core.text import edits
from core.text.english.numbers import NUMBER_WORDS
from core.text.segmentation import entities, sentences
from core.types import ErrorType, Example, Item, Verdict

DOMAINS = set(
    "news,dialogue,science,law,clinical note,fiction,finance,sports,meeting,support ticket,travel,food,weather,release notes,"
    "local government,biology,history,education".split(",")
)
MIN_PAIRS_OF_A_KIND = 15
FILES = sorted(FOLDER.glob("*.json"))
RECORDS = [json.loads(path.read_text(encoding="utf-8")) for path in FILES]
VARIANTS = [(record, variant) for record in RECORDS for variant in record["variants"]]
SEEDS = [item for item in bundled_items() if item.parent is None]
EDITED = [item for item in bundled_items() if item.parent is not None]

over_files = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])


def test_there_are_sixty_pairs_over_eighteen_domains() -> None:
    assert len(SEEDS) == 60
    assert {item.domain for item in SEEDS} == DOMAINS


@pytest.mark.slow
def test_every_kind_of_the_battery_applies_to_fifteen_pairs() -> None:
    kinds = standard_battery().perturbations()
    applies = Counter(kind.name for kind in kinds for item in SEEDS if applies_to(kind, item.example))
    rare = {kind.name: applies[kind.name] for kind in kinds if applies[kind.name] < MIN_PAIRS_OF_A_KIND}
    assert not rare, rare


def applies_to(kind: Perturbation, example: Example) -> bool:
    try:
        return bool(kind.edits(example, random.Random(0)))
    except UnscorableError:
        return False


def test_every_number_and_name_of_a_summary_stands_in_its_document() -> None:
    found = {item.example.id: unsupported_words(item.example) for item in SEEDS}
    others = {id: words for id, words in found.items() if words != CHECKED_BY_HAND.get(id, [])}
    assert not others, others


CHECKED_BY_HAND = {
    "science-moths": ["Daytime"],  # by day
    "science-concrete": ["seven", "ten"],  # 71 per cent
    "law-archive": ["Pictures"],  # photographs
    "news-scooter": ["Nobody"],
    "dialogue-kitchen": ["two", "Failing"],  # this one, and its brother beside it
    "weather-storm": ["Inhabitants"],  # people in the lower streets
    "travel-island": ["Ferries"],
    "fiction-letter": ["two"],  # Matilda and Cecilia
}
"""The words that open a sentence, or count what the document names, where a person has compared the two."""


def unsupported_words(example: Example) -> list[str]:
    known = set(re.findall(r"\w+", example.document.lower()))
    names = [word for span in entities(example.summary) for word in span.of(example.summary).split()]
    numbers = [word for word in re.findall(r"\w+", example.summary) if word.lower() in NUMBER_WORDS]
    return [word for word in [*numbers, *names] if not set(re.findall(r"\w{2,}|\d", word.lower())) <= known]


def test_every_domain_has_two_pairs_and_two_benign_variants() -> None:
    pairs = Counter(item.domain for item in SEEDS)
    benign = Counter(item.domain for item in EDITED if item.intended is Verdict.CONSISTENT)
    assert min(pairs[domain] for domain in DOMAINS) >= 2
    assert min(benign[domain] for domain in DOMAINS) >= 2


def test_every_error_type_occurs_three_times() -> None:
    types = Counter(item.error_type for item in EDITED)
    assert min(types[kind] for kind in ErrorType if kind is not ErrorType.OTHER) >= 3


def test_one_document_has_more_than_three_thousand_words() -> None:
    assert max(len(item.example.document.split()) for item in SEEDS) > 3000


def test_one_document_addresses_the_judge() -> None:
    assert any("ignore your previous instructions" in item.example.document for item in SEEDS)


def test_one_document_pretends_to_end_and_answers_in_the_place_of_the_model() -> None:
    [pair] = [item for item in SEEDS if "</document>" in item.example.document]
    assert all(words in pair.example.document for words in ("# System", '{"edits": []}', '"consistent": true'))
    [obeyed] = [item for item in EDITED if item.example.id == f"{pair.example.id}/obey"]
    assert obeyed.intended is Verdict.INCONSISTENT


def test_one_variant_has_several_edits() -> None:
    assert any(len(item.edits) > 1 and item.intended is Verdict.INCONSISTENT for item in EDITED)


def test_no_two_documents_are_the_same() -> None:
    assert len({item.example.document for item in SEEDS}) == len(SEEDS)


def test_ids_are_unique_and_safe_in_an_address() -> None:
    ids = [item.example.id for item in bundled_items()]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*(/[a-z][a-z0-9-]*)?", name) for name in ids)


def test_the_first_example_is_the_harbour() -> None:
    """The demo opens with it: a paraphrase that costs much ROUGE and a lie that costs none."""
    assert [item.example.id for item in bundled_items()][:3] == [
        "news-harbour",
        "news-harbour/paraphrase",
        "news-harbour/one-word",
    ]


@over_files
def test_a_summary_has_three_to_six_sentences_and_copies_none(record: dict[str, str]) -> None:
    spans = sentences(record["summary"])
    assert 3 <= len(spans) <= 6
    assert [span.of(record["summary"]) for span in spans if span.of(record["summary"]) in record["document"]] == []


@over_files
def test_a_document_is_of_paragraphs_without_stray_blanks(record: dict[str, str]) -> None:
    paragraphs = record["document"].split("\n\n")
    assert len(paragraphs) >= 3
    assert all(paragraph == " ".join(paragraph.split()) for paragraph in paragraphs)


@over_files
def test_a_document_is_dense_and_readable_at_a_sitting(record: dict[str, str]) -> None:
    words = len(record["document"].split())
    assert 80 <= words <= 450 or words > 3000
    assert len(sentences(record["document"])) >= 4


def by_hand(record: dict[str, str], variant: dict[str, list]) -> str:
    """One textual replacement an edit; `occurrence` is not needed as long as every original text stands once."""
    summary = record["summary"]
    for edit in variant["edits"]:
        if record["summary"].count(edit["original_text"]) != 1:
            return f"{edit['original_text']} does not stand once"
        summary = summary.replace(edit["original_text"], edit["replace_text"])
    return summary


def test_executing_the_edits_by_hand_gives_the_variant() -> None:
    made = {item.example.id: (item.example.document, item.example.summary) for item in EDITED}
    expected = {
        f"{record['id']}/{variant['id']}": (record["document"], by_hand(record, variant))
        for record, variant in VARIANTS
    }
    others = [name for name in made.keys() | expected.keys() if made.get(name) != expected.get(name)]
    assert not others, others


def test_an_edit_explains_itself_in_a_sentence() -> None:
    others = [
        f"{item.example.id}: {edit.explanation}"
        for item in EDITED
        for edit in item.edits
        if len(edit.explanation.split()) < 8 or not edit.explanation.endswith(".")
    ]
    assert not others, others


def test_a_variant_says_what_is_meant_by_it() -> None:
    others = [
        item.example.id
        for item in EDITED
        if not item.title
        or item.intended not in {Verdict.CONSISTENT, Verdict.INCONSISTENT}
        or (item.error_type is None) != (item.intended is Verdict.CONSISTENT)
    ]
    assert not others, others


def test_a_variant_hangs_on_its_pair() -> None:
    seeds = {seed.example.id: seed for seed in SEEDS}
    others = [item.example.id for item in EDITED if not hangs_on(item, seeds[item.parent or ""])]
    assert not others, others


def hangs_on(item: Item, seed: Item) -> bool:
    variant = edits.apply(seed.example.summary, item.edits)
    return (item.group, item.domain) == (seed.group, seed.domain) and (
        variant == item.example.summary != seed.example.summary
    )


def test_a_pair_is_meant_to_be_consistent_and_is_its_own_group() -> None:
    assert all(item.intended is Verdict.CONSISTENT for item in SEEDS)
    assert all(item.group == item.example.id for item in SEEDS)


def test_the_importer_is_found_by_name_and_gives_what_examples_gives() -> None:
    assert tuple(DATASETS.parse("bundled").read(FOLDER)) == bundled_items()


def test_a_broken_file_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    (tmp_path / "b.json").write_bytes(FILES[0].read_bytes())
    first, *rest = Bundled().read(tmp_path)
    assert isinstance(first, Refusal)
    assert first.line == 1
    assert first.error.startswith("a.json is not an example file")
    assert len(rest) == 1 + len(RECORDS[0]["variants"])


def test_an_edit_off_the_summary_is_refused_with_its_file(tmp_path: Path) -> None:
    record = json.loads(FILES[0].read_text(encoding="utf-8"))
    record["variants"][0]["edits"][0]["original_text"] = "words that are not there"
    (tmp_path / "a.json").write_text(json.dumps(record), encoding="utf-8")
    (refusal,) = Bundled().read(tmp_path)
    assert isinstance(refusal, Refusal)
    assert "a.json" in refusal.error
    assert "not a substring" in refusal.error
