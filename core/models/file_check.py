"""What a file of a checkpoint is instead of what its name says: cut off, empty, a web page, a pointer of Git LFS."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from core.errors import LoadError
from core.models.files import PARSER_KINDS, deciding_files
from core.models.locations import checkpoint_parts, locate
from core.types import Checkpoint

_LFS_POINTER = b"version https://git-lfs"
_WEB_PAGE = (b"<!doctype", b"<html")
_ZIP = b"PK\x03\x04"


def check_files(checkpoint: Checkpoint) -> None:
    """Raise LoadError, with what to do, for the first file that is damaged; reads the first bytes of each."""
    for part in checkpoint_parts(checkpoint):
        files = [] if part.kind in PARSER_KINDS else deciding_files(locate(part), part.kind)
        for path in files:
            if path.suffix != ".jinja" and (reason := _damage(path)):
                raise LoadError(f"{path} {reason}.")


def _damage(path: Path) -> str:
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(512)
    if not size:
        return "is empty. Get the file again"
    if head.startswith(_LFS_POINTER):
        return "is a pointer of Git LFS and not the file itself. Run `git lfs pull` in its folder, or download the file"
    if head.lstrip().lower().startswith(_WEB_PAGE):
        return "is a web page, which a server sent in place of the file. Log in where it asks for it, and get the file again"
    whole = _tensor_file_size(path, size) if path.suffix == ".safetensors" else 0
    if size < whole:
        return f"is cut off: {size:,} of {whole:,} bytes are here. Get the file again"
    if head.startswith(_ZIP) and not zipfile.is_zipfile(path):
        return "is cut off. Get the file again"
    return ""


def _tensor_file_size(path: Path, size: int) -> int:
    """The bytes that a file of safe tensors must have by its header; 0 where the header cannot be read."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > size:
            return 8 + length
        try:
            header = json.loads(file.read(length))
            ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
        except (ValueError, AttributeError, LookupError, TypeError):
            return 0
    return 8 + length + max(ends, default=0)
