"""Tokenizers from a SentencePiece file alone give the ids that transformers 4.57.1 (AutoTokenizer, tokenizers 0.22) gave for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from core.errors import LoadError
from core.models.networks.tokenizer import TextTokenizer
from tests.parity.sentencepiece_files import write_sentencepiece
from tests.tiny import deberta_tokenizer, t5_tokenizer

pytestmark = pytest.mark.parity

PAIRS = (
    ("The harbour of Lindvale was closed on Tuesday.", "Nobody was hurt."),
    ("  Two  repairs,   3.4 million\u00a0crowns \n by June. ", "What?! … ½ ™ ｆｕｌｌ "),
    ("ends </s> the harbour [SEP] too [MASK]", "<extra_id_0> </s>"),
    ("", "Москва \U0001f600 a"),
    ("tab\tline\n\nbreak “yes” e\u0301", " "),
)
# fmt: off
T5_IDS = (
    (119, 195, 266, 267, 123, 3, 14, 197, 18, 268, 269, 273, 280, 88, 12, 104, 158, 390, 1, 3, 28, 11,
     122, 299, 269, 82, 300, 27, 1),
    (88, 205, 218, 128, 127, 172, 29, 3, 31, 27, 32, 71, 108, 223, 91, 87, 324, 226, 255, 3, 34, 227,
     327, 1, 3, 37, 217, 51, 54, 3, 27, 27, 27, 3, 4, 2, 44, 88, 52, 70, 12, 93, 1),
    (110, 73, 21, 1, 62, 195, 266, 267, 3, 2, 40, 2, 56, 166, 3, 2, 52, 38, 40, 2, 1, 555, 1, 1),
    (1, 3, 2, 3, 2, 60, 1),
    (56, 220, 98, 67, 7, 76, 64, 8, 33, 3, 2, 23, 104, 2, 3, 2, 1, 1),
)
DEBERTA_IDS = (
    (1, 120, 196, 267, 268, 124, 4, 15, 198, 19, 269, 270, 274, 281, 89, 13, 105, 159, 391, 2, 4, 29, 12,
     123, 300, 270, 83, 301, 28, 2),
    (1, 89, 206, 219, 129, 128, 173, 30, 4, 32, 28, 33, 72, 109, 224, 92, 88, 325, 227, 256, 4, 35, 228,
     328, 2, 4, 38, 218, 52, 55, 4, 28, 28, 28, 4, 5, 3, 45, 89, 53, 71, 13, 94, 2),
    (1, 111, 74, 22, 4, 3, 22, 3, 63, 196, 267, 268, 2, 57, 167, 457, 2, 4, 3, 8, 49, 133, 9, 3, 171, 3,
     50, 3, 4, 3, 22, 3, 2),
    (1, 2, 4, 3, 4, 3, 61, 2),
    (1, 57, 221, 99, 68, 8, 77, 65, 9, 34, 4, 3, 24, 105, 3, 4, 3, 2, 2),
)
# fmt: on


def ship(folder: Path, tokenizer: Tokenizer, file: str, model_type: str, **settings: object) -> TextTokenizer:
    """The tokenizer of a folder that holds only a SentencePiece file, its mask behind the vocabulary."""
    write_sentencepiece(tokenizer, folder / file, left_out=("[MASK]",))
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return TextTokenizer.load(folder)


@pytest.mark.parametrize(
    ("build", "file", "model_type", "expected"),
    [(t5_tokenizer, "spiece.model", "t5", T5_IDS), (deberta_tokenizer, "spm.model", "deberta-v2", DEBERTA_IDS)],
)
def test_ids_are_those_of_transformers_4(
    build: Callable[[], Tokenizer], file: str, model_type: str, expected: tuple[tuple[int, ...], ...], tmp_path: Path
) -> None:
    tokenizer = ship(tmp_path, build(), file, model_type)
    assert tuple(row.ids for row in tokenizer.encode(PAIRS, [1 << 20] * len(PAIRS))) == expected


def test_the_second_text_of_a_deberta_has_a_type_of_its_own(tmp_path: Path) -> None:
    [row] = ship(tmp_path, deberta_tokenizer(), "spm.model", "deberta-v2").encode([PAIRS[3]], [1 << 20])
    assert row.types == (0, 0, 1, 1, 1, 1, 1, 1)


def test_settings_of_the_tokenizer_are_heeded(tmp_path: Path) -> None:
    """Marks cut apart and lower case for DeBERTa; for T5 no mark of a word after a special token within a text."""
    for folder in ("a", "b", "c", "d"):
        (tmp_path / folder).mkdir()
    plain = ship(tmp_path / "a", deberta_tokenizer(), "spm.model", "deberta-v2")
    lower = ship(tmp_path / "b", deberta_tokenizer(), "spm.model", "deberta-v2", do_lower_case=True)
    [expected], [found] = plain.encode(["the harbour"], [99]), lower.encode(["THE Harbour"], [99])
    assert found.ids == expected.ids
    [old] = ship(tmp_path / "c", t5_tokenizer(), "spiece.model", "t5").encode(["a</s>b"], [99])
    [new] = ship(tmp_path / "d", t5_tokenizer(), "spiece.model", "t5", legacy=False).encode(["a</s>b"], [99])
    assert old.ids != new.ids


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    ship(tmp_path, t5_tokenizer(), "spiece.model", "t5")
    (tmp_path / "spiece.model").write_bytes((tmp_path / "spiece.model").read_bytes()[:500])
    with pytest.raises(LoadError, match=r"is not a readable SentencePiece model\. Get the file again"):
        TextTokenizer.load(tmp_path)


ADDED = (
    "The harbour <sep> of Lindvale.",
    "a <hl> was closed<hl>on Tuesday <ctx>.",
    "ends </s> [MASK] <extra_id_0> <HL>",
)
# fmt: off
T5_ADDED = (
    (119, 195, 266, 267, 556, 123, 3, 14, 197, 18, 89, 327, 1),
    (60, 3, 557, 269, 273, 557, 280, 88, 12, 104, 282, 558, 3, 27, 1),
    (110, 73, 21, 1, 3, 2, 52, 38, 40, 2, 555, 3, 2, 14, 2, 1),
)
DEBERTA_ADDED = (
    (1, 120, 196, 267, 268, 457, 124, 4, 15, 198, 19, 90, 328, 2),
    (1, 61, 4, 458, 270, 274, 458, 281, 89, 13, 105, 283, 460, 4, 28, 2),
    (1, 111, 74, 22, 4, 3, 22, 3, 459, 4, 3, 8, 49, 133, 9, 3, 171, 3, 50, 3, 4, 3, 15, 3, 2),
)
# fmt: on


@pytest.mark.parametrize(
    ("build", "file", "model_type", "size", "expected"),
    [
        (t5_tokenizer, "spiece.model", "t5", 556, T5_ADDED),
        (deberta_tokenizer, "spm.model", "deberta-v2", 457, DEBERTA_ADDED),
    ],
)
def test_tokens_that_a_repository_added_have_the_ids_of_transformers_4(
    build: Callable[[], Tokenizer],
    file: str,
    model_type: str,
    size: int,
    expected: tuple[tuple[int, ...], ...],
    tmp_path: Path,
) -> None:
    """Ids of transformers 4.57.6: those of added_tokens.json first, then what special_tokens_map.json has beside them."""
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<hl>": size + 1, "<sep>": size}))
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": ["<sep>", "<ctx>"]}))
    tokenizer = ship(tmp_path, build(), file, model_type)
    assert tuple(row.ids for row in tokenizer.encode(ADDED, [1 << 20] * len(ADDED))) == expected


def test_tokens_that_are_described_with_flags_are_heeded(tmp_path: Path) -> None:
    described = {
        "556": {"content": "<sep>", "lstrip": True, "rstrip": True, "normalized": False, "special": True},
        "557": {"content": "<hl>", "normalized": True, "special": False},
    }
    tokenizer = ship(tmp_path, t5_tokenizer(), "spiece.model", "t5", added_tokens_decoder=described)
    [first, second] = tokenizer.encode(ADDED[:2], [99, 99])
    assert first.ids == T5_ADDED[0]
    assert second.ids == (60, 3, 557, 269, 273, 557, 280, 88, 12, 104, 282, 3, 2, 22, 24, 48, 2, 27, 1)
