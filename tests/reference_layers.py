"""The folders of code in layers, read from what they import: a table and a picture of the documents."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from core.base.html_templates import open_templates
from core.stats.text_tables import markdown_table
from tests.sources import ROOT

_TOPS = ("annotations", "core", "pages")
_BOX_WIDTH, _BOX_HEIGHT, _GAP, _ROW_HEIGHT, _PER_ROW = 172, 34, 10, 62, 5


def imports_table() -> str:
    """Every folder with the folders of ours that it imports."""
    arrows = folder_imports()
    lines = [(_label(folder), ", ".join(map(_label, sorted(arrows[folder])))) for folder in sorted(arrows)]
    return markdown_table(
        ("folder", "imports"), [tuple(f"`{part}`" if part else "" for part in line) for line in lines]
    ).rstrip()


@cache
def folder_imports() -> Mapping[str, frozenset[str]]:
    """The folders, two names deep at most, with those that a file in them imports."""
    arrows: dict[str, set[str]] = {}
    for top in _TOPS:
        for file in sorted((ROOT / top).rglob("[!_]*.py")):
            places = arrows.setdefault(_folder_of(file.relative_to(ROOT).parent), set())
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in _TOPS:
                    places.add(_folder_of(_place_of(node.module)))
    return {folder: frozenset(places & arrows.keys() - {folder}) for folder, places in arrows.items()}


def layers(arrows: Mapping[str, frozenset[str]]) -> list[list[tuple[str, ...]]]:
    """From the top: groups of folders that import only from the layers below; a group has more than one where they import one another."""

    @cache
    def reached(folder: str) -> frozenset[str]:
        known, waiting = set[str](), [folder]
        while waiting:
            new = arrows[waiting.pop()] - known
            known |= new
            waiting += new
        return frozenset(known)

    @cache
    def group(folder: str) -> tuple[str, ...]:
        return tuple(sorted({folder, *(other for other in reached(folder) if folder in reached(other))}))

    @cache
    def height(members: tuple[str, ...]) -> int:
        below = {group(other) for folder in members for other in arrows[folder]} - {members}
        return 1 + max(map(height, below), default=-1)

    groups = sorted({group(folder) for folder in arrows})
    top = max(map(height, groups))
    return [[members for members in groups if height(members) == level] for level in range(top, -1, -1)]


def layers_svg() -> str:
    """The layers as a picture; a frame is around folders that import one another."""
    rows: list[tuple[list[tuple[int, str]], bool]] = []
    for layer in layers(folder_imports()):
        folders = [folder for members in layer for folder in members]
        framed = any(len(members) > 1 for members in layer)
        for start in range(0, len(folders), _PER_ROW):
            part = folders[start : start + _PER_ROW]
            left = (_PER_ROW - len(part)) * (_BOX_WIDTH + _GAP) // 2
            rows.append(
                ([(left + place * (_BOX_WIDTH + _GAP), _label(folder)) for place, folder in enumerate(part)], framed)
            )
    template = open_templates(Path(__file__).parent).get_template("reference_layers.svg")
    return template.render(
        rows=rows, width=_PER_ROW * (_BOX_WIDTH + _GAP) - _GAP, row=_ROW_HEIGHT, box=_BOX_WIDTH, height=_BOX_HEIGHT
    )


def _label(folder: str) -> str:
    """A folder with a slash; the files that lie in a top folder itself as such."""
    return f"{folder}/*.py" if folder in _TOPS else f"{folder}/"


def _folder_of(place: Path) -> str:
    return "/".join(place.parts[:2])


def _place_of(module: str) -> Path:
    """The folder that a module lies in."""
    path = Path(*module.split("."))
    return path if (ROOT / path).is_dir() else path.parent
