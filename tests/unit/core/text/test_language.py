"""Which language a text is in, and the mark on scores of texts in a language that a metric is not for."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis.strategies import characters, text
from py3langid import langid
from transformers import (
    DebertaV2ForSequenceClassification,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

from core.assessment.catalog.metric_catalog import list_metrics
from core.data.datasets.bundled import bundled_items
from core.errors import BadSettingError
from core.models.model_pool import ModelPool
from core.results.cases.cases import build_cases
from core.scoring.metric import METRICS
from core.text import language
from core.text.language import (
    ANY,
    SPACED,
    count_unverified,
    find_mark,
    language_note,
    language_of,
    mark_language,
    unverified_languages,
)
from core.types import Example, Item, Sample, Score, Seen, StoredScore
from tests.tiny import deberta_config, deberta_tokenizer, random_network, roberta_config, saved
from tests.unit.command_line import run

LANGUAGES = {
    "en": "The mayor said the bridge would reopen in March.",
    "de": "Die Brücke soll laut dem Bürgermeister im März wieder öffnen.",
    "fr": "Le maire a déclaré que le pont rouvrirait en mars.",
    "es": "El alcalde dijo que el puente volverá a abrir en marzo.",
    "it": "Il sindaco ha detto che il ponte riaprirà a marzo.",
    "pt": "O prefeito disse que a ponte reabrirá em março.",
    "nl": "De burgemeester zei dat de brug in maart weer opengaat.",
    "no": "Ordføreren sa at broen åpner igjen i mars, og for dem som har ventet var det godt.",
    "pl": "Burmistrz powiedział, że most zostanie otwarty w marcu.",
    "ru": "Мэр сказал, что мост снова откроется в марте.",
    "ja": "市長は橋が三月に再開すると述べた。",
    "tr": "Belediye başkanı köprünün Mart ayında yeniden açılacağını söyledi.",
}
GERMAN = Example(
    "de", f"{LANGUAGES['de']} Das teilte die Stadt am Dienstag mit. Verletzt wurde niemand.", LANGUAGES["de"]
)
ENGLISH = Example("en", "The harbour was closed on Tuesday. Nobody was hurt.", "The harbour was closed.")
JAPANESE = Example("ja", LANGUAGES["ja"], LANGUAGES["ja"])
MARK = "unverified: not English (de)"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_tells_its_language(code: str) -> None:
    assert language_of(LANGUAGES[code]) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nein, danke.",
        "12 34 56 78",
        "Ronaldo joined Manchester United from Southampton for £28m.",
        "Angela Merkel, Emmanuel Macron, Olaf Scholz, Friedrich Merz, Annalena Baerbock",
        "Bayern Munich beat Borussia Dortmund 1-0 in Munich.",
        "def f(x): return x + 1",
        "qwer asdf yxcv qwer asdf yxcv",
        "\ud800 \ud800 \ud800 \ud800 \ud800 \ud800 \ud800",
    ],
)
def test_what_is_short_or_not_sure_is_taken_for_no_other_language(text: str) -> None:
    assert language_of(text) in {"", "en"}


def test_threads_that_are_unsure_at_the_same_moment_load_the_library_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []

    def load(_file: str, **_options: bool) -> object:
        loads.append(SimpleNamespace(classify=lambda text: ("de", len(text))))
        time.sleep(0.05)
        return loads[-1]

    monkeypatch.setattr(langid.LanguageIdentifier, "from_model_file", load)
    language._identifier.cache_clear()  # type: ignore[attr-defined]  # of the decorator
    language_of.cache_clear()
    try:
        with ThreadPoolExecutor(4) as threads:
            codes = list(
                threads.map(language_of, [f"Unsicher Nummer {word}" for word in ("eins", "zwei", "drei", "vier")])
            )
    finally:
        language._identifier.cache_clear()  # type: ignore[attr-defined]
        language_of.cache_clear()
    assert codes == ["de"] * 4
    assert len(loads) == 1


@given(text(characters(codec="ascii")))
@example("it's 3rd_floor\x1c\x00 NO-ONE")
def test_words_of_ascii_are_those_of_the_pattern_for_every_text(written: str) -> None:
    assert language._words(written) == language._WORD.findall(written)


def test_no_bundled_text_and_none_of_its_sentences_is_taken_for_another_language() -> None:
    texts = {text for item in bundled_items() for text in (item.example.document, item.example.summary)}
    sentences = {sentence for text in texts for sentence in re.split(r"(?<=[.!?])\s+", text)}
    assert {language_of(text) for text in texts | sentences} <= {"", "en"}
    assert [item.example.id for item in bundled_items() if language_note("en", item.example)] == []


@pytest.mark.parametrize(
    ("languages", "example", "mark"),
    [
        ("en", ENGLISH, ""),
        ("en", GERMAN, MARK),
        ("en", replace(GERMAN, summary=ENGLISH.summary), MARK),
        ("en", replace(GERMAN, summary=LANGUAGES["fr"]), "unverified: not English (de, fr)"),
        ("de", GERMAN, ""),
        ("de en", replace(GERMAN, summary=ENGLISH.summary), ""),
        ("fr", GERMAN, "unverified: not fr (de)"),
        (ANY, JAPANESE, ""),
        (SPACED, GERMAN, ""),
        (SPACED, JAPANESE, "unverified: no spaces between words (ja)"),
    ],
)
def test_the_mark_names_the_languages_that_a_metric_is_not_for(languages: str, example: Example, mark: str) -> None:
    assert language_note(languages, example) == mark
    marked = mark_language(Score(0.5, seen=Seen(notes=("A remark.",))), languages, example)
    assert (marked.value, find_mark(marked.seen.notes)) == (0.5, mark)
    assert marked.seen.notes[-1] == "A remark."


def test_every_card_says_for_which_languages_and_judges_are_never_marked(tmp_path: Path) -> None:
    pool = ModelPool("cpu", 1_000_000, tmp_path)
    languages = {row.name: row.card.languages for row in list_metrics(pool)}
    pool.close()
    assert {languages[name] for name in ("direct-assessment", "sampled-assessment", "weighted-assessment")} == {ANY}
    assert {languages[name] for name in ("bleu", "coverage", "density", "word-novelty", "conciseness")} == {SPACED}
    assert {languages[name] for name in ("rouge2", "entity-overlap", "summac-zs", "bertscore", "retrieve")} == {"en"}


def test_a_setting_names_the_languages_of_other_weights_and_only_then_stands_in_the_spec() -> None:
    assert METRICS.parse("summac-zs").verified_languages == "en"
    lifted = METRICS.parse("summac-zs[languages=de fr]")
    assert (lifted.verified_languages, lifted.spec) == ("de fr", "summac-zs[languages=de fr]")
    assert METRICS.parse("retrieve[metric=bleu]").verified_languages == "en"  # its encoder finds the passages
    assert METRICS.parse("retrieve[metric=bleu,languages=any]").verified_languages == ANY
    for spec in ("summac-zs", "bartscore", "mine", "retrieve"):
        with pytest.raises(BadSettingError, match="languages must be any, or codes"):
            METRICS.parse(f"{spec}[languages=German]")


def multilingual_nli(folder: Path, architecture: str) -> Path:
    """A random classifier with the labels and architecture of mDeBERTa or XLM-R for NLI."""
    tokenizer = deberta_tokenizer()
    names = {"id2label": {0: "entailment", 1: "neutral", 2: "contradiction"}}
    names |= {"label2id": {label: place for place, label in names["id2label"].items()}}
    if architecture == "mdeberta":
        config = deberta_config(tokenizer, labels=3)
        config.update(names)
        return saved(random_network(lambda: DebertaV2ForSequenceClassification(config)), tokenizer, folder)
    plain = roberta_config(tokenizer, labels=3).to_dict()
    other = XLMRobertaConfig(**{**plain, **names, "pad_token_id": 0})
    return saved(random_network(lambda: XLMRobertaForSequenceClassification(other)), tokenizer, folder)


@pytest.mark.parametrize("architecture", ["mdeberta", "xlm-roberta"])
def test_a_multilingual_nli_checkpoint_scores_without_a_mark(
    architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    folder, pairs, scores = multilingual_nli(tmp_path / "nli", architecture), tmp_path / "p.jsonl", tmp_path / "s.jsonl"
    lines = [{"id": one.id, "document": one.document, "summary": one.summary} for one in (GERMAN, ENGLISH)]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    silent, marked = f"summac-zs[checkpoint={folder},languages=any]", f"summac-zs[checkpoint={folder}]"
    done = run("score", pairs, "--metric", silent, "--metric", marked, "--metric", "bleu", "-o", scores)
    assert done.exit_code == 0, done.output
    unstated = "unverified: languages of the weights not stated (de)"
    assert f"{marked.replace('languages=any,', '')}: 1 scores are {unstated}." in done.output.replace("\n", " ")
    records = {(one["id"], one["metric"]): one for one in map(json.loads, scores.read_text().splitlines())}
    assert records["de", METRICS.parse(marked).spec]["unverified"] == unstated
    assert unstated in records["de", METRICS.parse(marked).spec]["seen"]["notes"]
    assert sum("unverified" in one for one in records.values()) == 1
    german = [records["de", METRICS.parse(spec).spec]["score"] for spec in (silent, marked)]
    assert german[0] == german[1]


def test_a_sentence_counts_the_texts_by_language() -> None:
    french = replace(GERMAN, document="", summary=LANGUAGES["fr"])
    assert count_unverified("rouge2", "en", [ENGLISH]) == []
    assert count_unverified("rouge2", "en", [GERMAN, GERMAN, french, ENGLISH]) == [
        "rouge2: scores of 3 of 4 texts are unverified: not English (de 2, fr 1)."
    ]
    assert count_unverified("rouge2", "en", [GERMAN, ENGLISH, GERMAN] * 5_000) == [
        "rouge2: scores of 5000 of 5000 texts looked at of 15000 are unverified: not English (de 5000)."
    ]


def test_samples_in_another_language_are_a_warning_of_the_metrics_that_scored_them() -> None:
    kept = (StoredScore("rouge2", 0.5, "rouge2|x"), StoredScore("bleu", 5.0, "bleu|x"))
    samples = [Sample("own", Item(one), kept=kept) for one in (GERMAN, ENGLISH)]
    samples.append(
        Sample("own", Item(replace(GERMAN, id="failed")), kept=(StoredScore("rouge2", None, "", "It broke."),))
    )
    expected = "rouge2: scores of 1 of 2 texts are unverified: not English (de 1)."
    assert build_cases(samples).warnings == (expected,)
    assert build_cases([Sample("own", Item(ENGLISH), kept=kept)]).warnings == ()


def test_a_stress_run_says_how_many_of_its_pairs_are_unverified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_DEVICE", "cpu")
    pairs = tmp_path / "pairs.jsonl"
    lines = [{"id": one.id, "document": one.document, "summary": one.summary} for one in (GERMAN, ENGLISH)]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run(
        "stress", pairs, "--metric", "rouge2", "--metric", "bleu", "--kind", "phrase", "-o", tmp_path / "run.jsonl"
    )
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "rouge2: scores of 1 of 2 texts are unverified: not English (de 1)." in said
    assert "bleu: scores of" not in said


@pytest.mark.parametrize(
    ("languages", "summary", "others"),
    [
        ("en", "पूर्व प्रधान मन्त्री आज", ("Devanagari",)),
        ("en", "Да, он.", ("Cyrillic",)),
        ("ru", "Да, он.", ()),
        (SPACED, "Да, он.", ()),
        (SPACED, "สวัสดี", ("Thai",)),
        ("en", "東京", ("Han",)),
        ("en", "Café Skarv.", ()),
        (ANY, "สวัสดี", ()),
    ],
)
def test_a_text_whose_language_is_not_certain_is_judged_by_its_script(
    languages: str, summary: str, others: tuple[str, ...]
) -> None:
    assert unverified_languages(languages, Example("a", summary, summary)) == others
