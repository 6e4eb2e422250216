"""The paper pack of a reproduced paper: its tables beside ours, and tables and figures of the cases that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.assessment.papers.paper import DataFile, Paper, ReleasedData
from core.assessment.papers.paper_comparison import ComparedTable, comparison_csv, format_paper
from core.assessment.papers.paper_pack import PackRequest, write_pack
from core.assessment.papers.published import PublishedPaper
from core.base import profile_names, read_profile
from core.data import DATASETS
from core.results import pool_cases


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Facts of a data card about a released file."""

    dataset: str
    file: str
    sha256: str
    importer: str
    licence: str
    release: str
    counts: dict[str, Any]


def reproduction_pack(
    paper: Paper, data: ReleasedData, published: PublishedPaper, tables: Sequence[ComparedTable], resamples: int
) -> bytes:
    """The archive; the same files give the same bytes. Its data card names the files that were here."""
    here = [file for file in paper.data if file.importer and (data.folder / file.place).exists()]
    cases = pool_cases([data.samples(file) for file in here])
    paper_mode = {}  # the settings that stand in the signatures of scores of ours
    if paper.name in profile_names():
        profile = read_profile(paper.name)
        lines = [f"{plugin}: {dict(settings)}" for plugin, settings in profile.settings.items()]
        paper_mode = {"paper-mode.txt": "\n".join([profile.mark, *lines, *profile.notes, ""])}
    files = []
    for file in here:
        importer = DATASETS.parse(file.importer)
        files.append(
            ReadFile(
                dataset=_dataset(file),
                file=file.place,
                sha256=data.sha256(file),
                importer=file.importer,
                licence=importer.licence,
                release=importer.release,
                counts=data.counts(file),
            )
        )
    request = PackRequest(
        datasets=tuple(_dataset(file) for file in here) or (paper.name,),
        by=paper.by,
        resamples=resamples,
        cases=cases,
        files=files,
        own={},
        more={
            "comparison.csv": comparison_csv(tables),
            "comparison.txt": f"{format_paper(published, tables)}\n",
            **paper_mode,
        },
        command=f"python cli.py reproduce {paper.name} --data FOLDER --resamples {resamples}",
    )
    return write_pack(request)


def _dataset(file: DataFile) -> str:
    return file.place.rpartition("/")[2].partition(".")[0]
