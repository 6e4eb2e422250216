"""Cut the icons that our pages and Streamlit draw out of Streamlit's font of all icons, into `pages/server/icons.woff`.

Run as `python -m tests.icon_font` after an icon or Streamlit changed; it needs the package brotli beside those of the tests.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

ROOT = Path(__file__).parents[1]
ICONS = ROOT / "pages" / "server" / "icons.woff"
_NAME = re.compile(r":material/([a-z0-9_]+)")
_WORD = re.compile(r'"([a-z0-9_]+)"')
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"


def streamlit_folder() -> Path:
    """Folder of Streamlit's static files."""
    spec = find_spec("streamlit")
    if spec is None or spec.origin is None:
        raise RuntimeError("Streamlit is not installed.")
    return Path(spec.origin).parent / "static"


def quoted_words() -> set[str]:
    """The words in quotes of our pages, some of which name an icon where it is drawn."""
    return {word for file in (ROOT / "pages").rglob("*.py") for word in _WORD.findall(file.read_text(encoding="utf-8"))}


def used_icons() -> set[str]:
    """The names of the icons in our sources and in Streamlit's scripts."""
    sources = [*(ROOT / "pages").rglob("*.py"), *(ROOT / "pages").rglob("*.html"), *streamlit_folder().rglob("*.js")]
    return {name for file in sources for name in _NAME.findall(file.read_text(encoding="utf-8"))}


def ligatures(font: TTFont) -> dict[str, str]:
    """The glyph of each word that the font draws as an icon."""
    letters = {glyph: chr(code) for code, glyph in font.getBestCmap().items()}
    return {
        "".join(letters[part] for part in (first, *one.Component)): one.LigGlyph
        for lookup in font["GSUB"].table.LookupList.Lookup
        for table in lookup.SubTable
        for table in [getattr(table, "ExtSubTable", table)]
        if hasattr(table, "ligatures")
        for first, found in table.ligatures.items()
        for one in found
        if all(part in letters for part in (first, *one.Component))
    }


def main() -> None:
    """Write the font."""
    [whole] = streamlit_folder().rglob("MaterialSymbols-Rounded*.woff2")
    font = TTFont(whole)
    glyphs = ligatures(font)
    used = used_icons() | (quoted_words() & glyphs.keys())
    options = Options()
    options.layout_closure = False  # else every icon whose letters are there would be kept
    options.flavor = "woff"  # which Python reads without a further package, for the test
    subsetter = Subsetter(options)
    subsetter.populate(glyphs=[glyphs[name] for name in sorted(used & glyphs.keys())], text=_LETTERS)
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(ICONS)
    missing = sorted(used - glyphs.keys())
    sizes = (
        f"{len(used) - len(missing)} icons in {ICONS.stat().st_size:,} bytes; the whole has {whole.stat().st_size:,}."
    )
    print(sizes, *(f"No icon is called {name}." for name in missing))  # noqa: T201  # says what it wrote


if __name__ == "__main__":
    main()
