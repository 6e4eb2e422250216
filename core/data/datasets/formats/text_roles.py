"""Roles of texts by the names of their columns: documents, texts of a system, references, or none of a pair."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from core.data.datasets.formats.text_files import Row


class TextRole(StrEnum):
    """Part that the texts of a column play in a pair."""

    DOCUMENT = "document"
    SUMMARY = "summary"
    REFERENCE = "reference"
    OTHER = "other"
    UNKNOWN = "unknown"


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_GAP = re.compile(r"[\W_\d]+")
_REFERENCE_WORDS = frozenset(
    "reference references ref refs gold golden target tgt truth expected ideal human highlight highlights abstract right true correct "
    "incorrect wrong best".split()
)
_OTHER_WORDS = frozenset(
    "prompt prompts instruction instructions question questions query queries explanation explanations reason reasons reasoning "
    "rationale rationales comment comments feedback justification critique remark remarks notes title headline topic topics url link "
    "revised revision corrected correction edited fixed rewritten perturbed corrupted rubric note guideline guidelines options "
    "choices triplet triplets span spans token tokens error errors kg annotation annotations id name label category mr".split()
)
_DOCUMENT_WORDS = frozenset(
    "document documents doc docs article articles source sources src passage passages context contexts dialogue dialog dialogues "
    "transcript evidence evidences premise knowledge grounding review reviews revs meeting conversation report story book chapter "
    "paper background section paragraph paragraphs chunk chunks material "
    "quelltext quelle dokument artikel original originaltext texte fuente documento articulo fonte articolo testo artigo brontekst источник документ статья "
    "текст 原文 文档 文章 正文 记事 記事 本文 문서 원문 본문 premisse prämisse".split()
)
_SUMMARY_WORDS = frozenset(
    "summary summaries summ summs hypothesis hyp response responses output outputs generated generation prediction pred claim "
    "statement completion answer reply candidate decoded sentence sentences "
    "zusammenfassung antwort aussage résumé resume réponse resumen respuesta resumo resposta riassunto risposta samenvatting antwoord "
    "streszczenie резюме ответ 摘要 总结 回答 要約 応答 요약 답변 주장".split()
)
_NUMBERED = re.compile(r"(?:sentence|text|sent|s)_?([ab12])(?:_[a-z]{2})?", re.IGNORECASE)


def text_role(column: str) -> TextRole:
    """The role that the last telling word of a name states; `text` alone is a document."""
    if pair := _NUMBERED.fullmatch(column.strip().replace(" ", "_")):
        return TextRole.DOCUMENT if pair[1] in "aA1" else TextRole.SUMMARY
    words = [word for word in _GAP.split(_CAMEL.sub("_", column).lower()) if word]
    if {*words} & _REFERENCE_WORDS and not {*words} & {"source", "document", "src", "doc"}:
        return TextRole.REFERENCE
    tables = (
        (_OTHER_WORDS, TextRole.OTHER),
        (_DOCUMENT_WORDS, TextRole.DOCUMENT),
        (_SUMMARY_WORDS, TextRole.SUMMARY),
    )
    if {*words} & {"revised", "corrected", "edited", "fixed", "rewritten", "perturbed", "corrupted"}:
        return TextRole.OTHER
    for word in reversed(words):
        role = next((role for listed, role in tables if word in listed), None)
        if role:
            return role
    return TextRole.DOCUMENT if words in (["text"], ["texts"]) else TextRole.UNKNOWN


def holds_texts(rows: Sequence[Row], column: str) -> bool:
    """True for a column of which most filled cells are texts of several words or lists of them, and no names or addresses."""
    cells = [cell for row in rows if (cell := _as_text(row.get(column)))]
    spaced = sum(" " in cell or not cell.isascii() for cell in cells)
    return spaced * 2 > len(cells)


def mean_length(rows: Sequence[Row], column: str) -> float:
    """Mean number of characters of the texts of a column, 0 where it has none."""
    cells = [cell for row in rows if (cell := _as_text(row.get(column)))]
    return sum(map(len, cells)) / len(cells) if cells else 0.0


def _as_text(cell: object) -> str:
    if isinstance(cell, list) and all(isinstance(part, str) for part in cell):
        return " ".join(cell).strip()
    return cell.strip() if isinstance(cell, str) else ""
