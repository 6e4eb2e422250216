"""Download of the released files that a paper's tables are made of, where their licence is stated."""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

import httpx2

from core.assessment.papers.paper import DataFile
from core.data import DATASETS
from core.errors import TouchstoneError

RELEASED_FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data"
"""The folder of released files where none is named."""

GITHUB = "https://raw.githubusercontent.com"
_FILE = Path(__file__).with_name("released_files.toml")
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of a public repository at a commit."""

    need: str
    """Place of the `DataFile` that it is, or is a part of."""
    place: str
    """Path in the folder of released data."""
    path: str
    """Path in the repository."""
    bytes: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the content, in hex."""
    repository: str
    """Owner and name on GitHub."""
    commit: str
    """Hash of the commit."""
    licence: str
    """Licence that the repository states."""

    @property
    def url(self) -> str:
        return f"{GITHUB}/{self.repository}/{self.commit}/{quote(self.path)}"


@cache
def released_files() -> tuple[ReleasedFile, ...]:
    """Every file that may be downloaded."""
    listed = tomllib.loads(_FILE.read_text(encoding="utf-8"))["repository"]
    return tuple(
        ReleasedFile(repository=repository["name"], commit=repository["commit"], licence=repository["licence"], **file)
        for repository in listed
        for file in repository["file"]
    )


def can_be_fetched(file: DataFile) -> bool:
    """True if a file is on the Hugging Face hub, or in a public repository whose licence is stated."""
    return bool(_hub_of(file)) or any(released_file.need == file.place for released_file in released_files())


def fetch_released(files: Sequence[DataFile], folder: Path) -> Iterator[str]:
    """Download what is missing in the folder of released data; a sentence on each file, also where it could not be had.

    A file that is not what its commit has is not kept. Raises TouchstoneError where there is no such folder.
    """
    if not folder.is_dir():
        raise TouchstoneError(f"There is no folder {folder} for released files. Make it, or name another with --data.")
    for file in files:
        if _hub_of(file) and not (folder / file.place).exists():
            from core.models import fetch_released_dataset  # huggingface_hub takes a second to import

            reader = DATASETS.parse(file.importer)
            try:
                dataset_folder = fetch_released_dataset(reader)
                shutil.copytree(dataset_folder, folder / file.place, dirs_exist_ok=True)
            except (OSError, TouchstoneError) as error:
                yield f"{file.place} could not be had. {error}"
            else:
                yield f"{file.place}: from {reader.hub} of the Hugging Face hub ({reader.licence})"
        for part in [
            released_file
            for released_file in released_files()
            if released_file.need == file.place and not (folder / released_file.place).exists()
        ]:
            yield _fetch_part(part, folder)


def _hub_of(file: DataFile) -> str:
    """Repository of the hub that holds a whole folder; "" where single files are needed, whose form may differ there."""
    in_folder = file.importer and not Path(file.place).suffix
    return DATASETS.get(file.importer).hub if in_folder else ""


def _fetch_part(part: ReleasedFile, folder: Path) -> str:
    target = folder / part.place
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        content = _download(part)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(content)
        unfinished.replace(target)
    except (httpx2.HTTPError, OSError, TouchstoneError) as error:
        unfinished.unlink(missing_ok=True)
        return f"{part.place} could not be had ({error or type(error).__name__}). Copy it by hand from {part.url}."
    return f"{part.place}: {part.bytes:,} bytes from {part.repository} ({part.licence})"


def _download(part: ReleasedFile) -> bytes:
    """Raises httpx2.HTTPError, and TouchstoneError for another file than that of the commit."""
    content = bytearray()
    with httpx2.stream("GET", part.url, timeout=_TIMEOUT_S) as response:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > part.bytes:
                break
    if hashlib.sha256(content).hexdigest() != part.sha256:
        raise TouchstoneError(f"what {GITHUB} sent is not the file of commit {part.commit[:8]}")
    return bytes(content)
