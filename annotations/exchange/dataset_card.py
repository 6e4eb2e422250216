"""Parts of every dataset for the Hugging Face hub: the header of its card, with the licence as the hub writes it, and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml  # type: ignore[import-untyped]  # it ships no types

from core.base import licence_fields
from core.data import LICENCE_KEY

if TYPE_CHECKING:
    import pyarrow as pa


def card_header(name: str, licence: str, files: Sequence[str]) -> str:
    """Header of a card as YAML for the hub: licence, name, and the Parquet files `NAME.parquet`, the first by default."""
    head = {
        **licence_fields(licence.strip()),
        "pretty_name": name,
        "task_categories": ["text-classification"],
        "tags": ["summarization", "factual-consistency"],
        "configs": [
            {
                "config_name": file,
                "data_files": [{"split": "train", "path": f"{file}.parquet"}],
                **({"default": True} if file == files[0] else {}),
            }
            for file in files
        ],
    }
    return f"---\n{yaml.safe_dump(head, sort_keys=False, allow_unicode=True)}---\n"


def cell(text: str) -> str:
    """A text as one line of Markdown in which nothing is HTML."""
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")


def parquet_file(rows: Sequence[Mapping[str, Any]], schema: pa.Schema, licence: str = "") -> bytes:
    """A Parquet file of these rows, with their licence in its metadata where one is stated."""
    import pyarrow as pa  # slow to load, and only exports for the hub need it
    import pyarrow.parquet as pq

    file, stated = io.BytesIO(), schema.with_metadata({LICENCE_KEY: licence.encode()}) if licence.strip() else schema
    pq.write_table(pa.Table.from_pylist(rows, schema=stated), file)
    return file.getvalue()
