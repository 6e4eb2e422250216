"""Translations by a Marian model and by M2M100: the ids and texts are those of transformers."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from core.errors import BadSettingError, LoadError
from core.model_reference import Checkpoint
from core.models.adapters import translation
from core.models.adapters.translation import Translator, load
from core.models.weights.weight_files import deciding_files
from core.types import Answer, Option, Question
from tests.conftest import Weights
from tests.tiny_translation import m2m, marian

TEXTS = (
    "Rain fell.",
    "Rain fell on the roof.",
    "Nobody was hurt.",
)
GERMAN: tuple[Option, ...] = (("from", "en"), ("to", "de"))
FORMS: dict[Callable[[Path], Path], tuple[Option, ...]] = {marian: (), m2m: GERMAN}

over_forms = pytest.mark.parametrize(("build", "options"), FORMS.items(), ids=["marian", "m2m100"])


@pytest.fixture(autouse=True)
def _few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_MOST_TOKENS", 20)  # random weights do not end by themselves


def loaded(folder: Path) -> Translator:
    return load(folder, Checkpoint(str(folder), "translation"), "cpu")


def translated(model: Translator, folder: Path, options: tuple[Option, ...], *texts: str) -> list[Answer]:
    return model.forward(
        model.encode([Question(Checkpoint(str(folder), "translation"), (text,), options) for text in texts])
    )


@over_forms
def test_it_reads_and_writes_as_transformers(
    weights: Weights, build: Callable[[Path], Path], options: tuple[Option, ...]
) -> None:
    folder = weights(build)
    model = loaded(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = AutoTokenizer.from_pretrained(folder)
    network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    first = {"forced_bos_token_id": tokenizer.get_lang_id("de")} if options else {}
    for text, answer in zip(TEXTS, translated(model, folder, options, *TEXTS), strict=True):
        inputs = tokenizer(text, return_tensors="pt")
        [row] = model.encode([Question(Checkpoint(str(folder), "translation"), (text,), options)])
        assert list(row.payload[0].ids) == inputs.input_ids[0].tolist()
        with torch.inference_mode():
            written = network.generate(**inputs, do_sample=False, max_new_tokens=20, **first)
        assert answer.texts == (tokenizer.decode(written[0], skip_special_tokens=True).strip(),)
        assert translated(model, folder, options, text) == [answer]


def test_what_is_too_long_says_so_and_what_does_not_end_too(weights: Weights) -> None:
    folder = weights(marian)
    [answer] = translated(loaded(folder), folder, (), " ".join(TEXTS * 2))
    assert answer.cut > 0


def test_another_language_is_another_translation_and_an_unknown_one_is_refused(weights: Weights) -> None:
    folder = weights(m2m)
    model = loaded(folder)
    [german], [french] = (translated(model, folder, (("from", "en"), ("to", code)), TEXTS[0]) for code in ("de", "fr"))
    assert german.texts != french.texts
    with pytest.raises(BadSettingError, match="has no language 'xx'"):
        translated(model, folder, (("from", "en"), ("to", "xx")), TEXTS[0])
    with pytest.raises(BadSettingError, match="takes none"):
        translated(loaded(weights(marian)), weights(marian), GERMAN, TEXTS[0])


def test_the_files_of_its_pieces_decide_and_are_missed(weights: Weights, tmp_path: Path) -> None:
    folder = shutil.copytree(weights(marian), tmp_path / "model")
    assert {"source.spm", "target.spm", "vocab.json"} <= {file.name for file in deciding_files(folder, "translation")}
    assert "source.spm" not in {file.name for file in deciding_files(folder, "seq2seq_generation")}
    (folder / "source.spm").unlink()
    with pytest.raises(LoadError, match=r"source\.spm, target\.spm and vocab\.json"):
        loaded(folder)
