"""What every dataset for the Hugging Face hub has: the header of its card, with the licence as the hub writes it, and Parquet files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml  # type: ignore[import-untyped]  # it ships no types

if TYPE_CHECKING:
    import pyarrow as pa

HUB_LICENCES = frozenset(
    [
        *("apache-2.0", "mit", "afl-3.0", "bsd-2-clause", "bsd-3-clause", "gpl-3.0", "unlicense"),
        *("cc0-1.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nd-4.0"),
        *("cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0"),
        *("odc-by", "odbl", "pddl", "cdla-permissive-2.0", "cdla-sharing-1.0", "c-uda"),
    ]
)
"""Identifiers that the hub takes for data (huggingface.co/docs/hub/repositories-licenses); any other is refused there."""


def card_header(name: str, licence: str, files: Sequence[str]) -> str:
    """What the hub reads of a card as YAML: licence, name, and the Parquet files `NAME.parquet`, the first by default."""
    head = {
        **_licence_fields(licence.strip()),
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


def parquet_file(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> bytes:
    """A Parquet file of these rows."""
    import pyarrow as pa  # slow to load, and only exports for the hub need it
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)
    return file.getvalue()


def _licence_fields(licence: str) -> dict[str, str]:
    """As the hub reads it: an identifier such as cc-by-4.0, or the name of another licence."""
    if not licence:
        return {"license": "unknown"}
    known = licence.lower() in HUB_LICENCES
    return {"license": licence.lower()} if known else {"license": "other", "license_name": licence}
