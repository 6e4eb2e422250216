"""The hashes that version 0.2.0 gave to code which computes the same today, so that its answers and scores count.

That version hashed whole files. The table has those behind each metric, decomposer and adapter with the hash of its definitions
today; an entry whose definitions have changed since holds for nothing, until `tests/old_code.py` is told that its numbers are the
same. This file, its table and the calls of it are for the first version after 0.2.0, and go with the next.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from core.base.code_version import Root, adapter_root, code_hash, library_parts, own_parts
from core.base.signatures import CODE_MARK, apart_from_code, code_of_signature
from core.errors import TouchstoneError
from core.scoring.metric import METRICS, code_roots, metric_code_hash

TABLE = Path(__file__).with_suffix(".json")
_FILE_OF_EVERY_METRIC = "core/metric.py"


@dataclass(frozen=True, slots=True)
class OldCode:
    """The hash of definitions that compute as 0.2.0 did, and the files and libraries that it hashed for them."""

    code: str
    files: Sequence[int]
    libraries: Sequence[str]


def table_key(root: Root) -> str:
    """The name of a root in the table, which no move of a module changes."""
    return root.name or ".".join(root.module.split(".")[-2:])


def definitions_hash(root: Root) -> str:
    """The hash of what a root reaches, libraries left out: they are the user's."""
    return code_hash(own_parts([root]))


def old_code(roots: Iterable[Root]) -> str | None:
    """The hash that 0.2.0 gave to these roots, with the libraries and the Python of today; None where they compute otherwise."""
    files, entries = _read_table()
    parts = {"python": ".".join(platform.python_version_tuple()[:2])}
    for root in roots:
        if not own_parts([root]):  # of what is answered by code outside ours there is no adapter
            continue
        entry = entries.get(table_key(root))
        if entry is None or entry.code != definitions_hash(root):
            return None
        parts |= {files[place][0]: files[place][1] for place in entry.files}
        for library in entry.libraries:
            parts |= library_parts(library)
    return code_hash(parts)


@lru_cache(maxsize=64)
def old_adapter_code(kind: str) -> str | None:
    return old_code([adapter_root(kind)])


@lru_cache(maxsize=512)
def _codes_of(spec: str) -> tuple[str | None, str]:
    """The hash of a metric in 0.2.0, and that of today."""
    try:
        metric = METRICS.parse(spec)
    except TouchstoneError:  # a plug-in that is gone
        return None, ""
    return old_code(code_roots(metric)), metric_code_hash(metric)


def current_signature(spec: str, signature: str) -> str:
    """The signature that the score of a metric has today, where 0.2.0 computed it in the same way; else as it is."""
    hash = code_of_signature(signature)
    if not hash:
        return signature
    old, new = _codes_of(spec)
    return f"{apart_from_code(signature)}|{CODE_MARK}{new}" if hash == old else signature


def holds_old_answers(folder: Path) -> bool:
    """True if 0.2.0 has scored with this cache folder: it recorded the files behind each of its hashes there."""
    return any(
        _FILE_OF_EVERY_METRIC in file.read_text(encoding="utf-8") for file in sorted((folder / "code").glob("*.json"))
    )


@cache
def _read_table() -> tuple[Sequence[tuple[str, str]], Mapping[str, OldCode]]:
    """Files with their hashes, in the order of their places, and what is known of each root."""
    record = json.loads(TABLE.read_text(encoding="utf-8"))
    return list(record["files"].items()), {name: OldCode(**entry) for name, entry in record["roots"].items()}
