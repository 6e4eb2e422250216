"""Where a released dataset comes from when nobody names a file: the hub, or a sentence that says how to get it otherwise."""

from __future__ import annotations

from pathlib import Path

import httpx2
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

from core.dataset import Importer
from core.errors import TouchstoneError
from core.models.download import PATIENCE_S

_FORMS = ["*.json", "*.jsonl", "*.csv", "*.parquet"]


def released(reader: Importer) -> Path:
    """The folder with the dataset's files: in Touchstone, or in the hub's cache, where nothing is downloaded twice.

    Raises TouchstoneError, with what to do, where the dataset is not on the hub or the hub does not give it.
    """
    if reader.shipped:
        return reader.shipped
    if not reader.hub:
        where = (
            f"is not on the hub. Get it from {reader.url} and name" if reader.url else "has no place of its own: name"
        )
        raise TouchstoneError(f"{reader.title} {where} the file or folder to read.")
    api = HfApi()
    try:
        api.dataset_info(reader.hub, timeout=PATIENCE_S)
        return Path(snapshot_download(reader.hub, repo_type="dataset", allow_patterns=_FORMS, etag_timeout=PATIENCE_S))
    except (httpx2.HTTPError, OSError) as error:
        raise TouchstoneError(_sentence(reader, api.endpoint, error)) from error


def called(reader: Importer, place: Path) -> str:
    """What provenance says of the place that `released` gave: the repository at its commit, or the folder."""
    return f"{reader.hub}@{place.name}" if reader.hub else place.name


def _sentence(reader: Importer, hub: str, error: Exception) -> str:
    """What went wrong and what to do; the narrowest error first, since one that is gated is also not found."""
    page, by_hand = f"{hub}/datasets/{reader.hub}", "download it by hand and name the file or folder."
    if isinstance(error, GatedRepoError):
        return f"{reader.title} is gated. Accept its terms at {page}, log in with `hf auth login` and try again, or {by_hand}"
    if isinstance(error, RepositoryNotFoundError):
        return f"{hub} has no dataset {reader.hub!r}, or it is private: log in with `hf auth login` and try again, or {by_hand}"
    return f"{page} cannot be reached ({type(error).__name__}). Check the network and try again, or {by_hand}"
