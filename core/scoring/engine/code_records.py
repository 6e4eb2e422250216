"""The parts behind the hash of the code in a signature, in a file each beside the cached answers."""

from __future__ import annotations

import json
import logging
import os
import re
from pathlib import Path
from threading import get_ident

from core.base.code_version import CodeParts, code_hash

_FOLDER = "code"
_HASH = re.compile("[0-9a-f]{12}")

_LOG = logging.getLogger(__name__)


def keep_code(folder: Path, parts: CodeParts) -> None:
    """Record the parts under their hash, once; where the disk takes no more the log says so."""
    file = _file(folder, code_hash(parts))
    if file.exists():
        return
    unfinished = file.with_name(f".{file.name}.{os.getpid()}.{get_ident()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(dict(parts), indent=1), encoding="utf-8")
        unfinished.replace(file)
    except OSError as error:
        _LOG.warning("%s could not be written: %s. explain-signature will not know this code.", file, error)


def read_code(folder: Path, hash: str) -> CodeParts | None:
    """The parts of a hash; None where this folder has no whole record of it."""
    file = _file(folder, hash)
    if not _HASH.fullmatch(hash) or not file.is_file():  # a signature of a file from elsewhere names no other file
        return None
    try:
        parts: CodeParts = json.loads(file.read_bytes())
    except ValueError:
        parts = {}
    if code_hash(parts) != hash:
        _LOG.warning("%s is damaged and is not read. Delete it: it is written again with the next score.", file)
        return None
    return parts


def _file(folder: Path, hash: str) -> Path:
    return folder / _FOLDER / f"{hash}.json"
