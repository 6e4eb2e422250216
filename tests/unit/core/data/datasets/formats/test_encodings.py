"""Encodings that a file may be in, and texts that a wrong one spoilt."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.data.dataset import Refusal
from core.data.datasets.formats.encodings import decoding_error, likely_encodings, text_encodings
from core.data.datasets.generic import Generic
from core.errors import TouchstoneError
from core.types import Item
from tests.unit.core.data.datasets.writing import put

TEXTS = {
    "cp1252": "Le conseil s’est réuni à Saint-Étienne, où l’été a été long.",
    "cp1251": "Совет порта собрался в понедельник и проголосовал.",
    "koi8-r": "Совет порта собрался в понедельник и проголосовал.",
    "cp1253": "Το συμβούλιο του λιμανιού συνεδρίασε τη Δευτέρα.",
    "cp1254": "Liman kurulu pazartesi günü toplandı, şehirde yağmur yağdı.",
    "cp1256": "اجتمع مجلس الميناء يوم الاثنين وصوت.",
    "cp949": "항만 이사회는 월요일에 회의를 열었다.",
    "big5": "週一港口委員會開會並投票決定疏浚北航道。",
    "euc_jp": "港湾委員会は月曜日に会合を開いた。",
    "gb18030": "周一，港口委员会开会并投票决定疏浚北航道。",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_the_right_reading_is_among_those_that_are_shown(encoding: str, tmp_path: Path) -> None:
    text = TEXTS[encoding]
    (tmp_path / "t.csv").write_bytes(f"text\n{text}\n".encode(encoding))
    assert text[:60] in [excerpt.rstrip("…") for _, excerpt in likely_encodings(tmp_path / "t.csv")]


def test_all_encodings_of_python_for_text_are_offered_and_no_others() -> None:
    assert {"utf-8", "gb18030", "koi8-r", "cp437", "shift_jis", "iso8859-9", "mac-roman"} <= {*text_encodings()}
    assert not {"rot13", "base64", "zlib", "hex", "idna", "punycode"} & {*text_encodings()}


@pytest.mark.parametrize(
    "text",
    ["cafÃ© noir", "Itâ€™s late", "Ã‰tat", "Â£12m", "РџСЂРёРІРµС‚ РјРёСЂ", "锟斤拷", "a\u0092b", "lost \ufffd here"],
)
def test_a_text_that_was_read_in_a_wrong_encoding_is_recognised(text: str) -> None:
    assert decoding_error(text)


@pytest.mark.parametrize(
    "text",
    [
        "«CAFÉ» olé",
        "naïve façade – “ok”",
        "Привет, мир",
        "ÇA VA Â», dit-il",
        "AMANHû",
        "Zoë’s",
        "a\x85b",
        *TEXTS.values(),
    ],
)
def test_a_text_in_any_language_is_none(text: str) -> None:
    assert decoding_error(text) == ""


def test_an_import_stops_where_a_text_was_spoilt_and_goes_on_where_a_person_says_so(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "document,summary\nLe cafÃ© est fermÃ©.,It is closed.\nRain fell.,It rained.\n")
    spoilt, good = Generic().read(path)
    assert isinstance(spoilt, Refusal)
    assert "The document looks like UTF-8 that was read in another encoding at “Le cafÃ©" in spoilt.error
    assert "generic[garbled=keep]" in spoilt.error
    assert isinstance(good, Item)
    assert all(isinstance(record, Item) for record in Generic(garbled="keep").read(path))
    with pytest.raises(TouchstoneError, match="garbled=perhaps"):
        list(Generic(garbled="perhaps").read(path))


def test_an_encoding_that_gives_garbage_stops_the_import(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("document,summary\nLe café “noir” est fermé.,Il est fermé.\n".encode())
    for encoding in ("latin-1", "mac-roman", "cp437"):
        assert all(isinstance(record, Refusal) for record in Generic(encoding=encoding).read(path))
    with pytest.raises(TouchstoneError, match=r"is not CP1252.*: UTF-8: Le café “noir” est fermé\..*encoding=utf-8"):
        list(Generic(encoding="cp1252").read(path))


def test_a_single_line_in_another_encoding_shows_that_line(tmp_path: Path) -> None:
    lines = ["text", *["Der Fluß fließt."] * 3, *["plain"] * 3]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode() + "\nDie Brücke.\n".encode("cp1252"))
    assert likely_encodings(tmp_path / "t.csv")[0] == ("cp1252", "Die Brücke.")
