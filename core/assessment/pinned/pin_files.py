"""A report of pins as files: one HTML page, LaTeX with its figures, and Markdown with its charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from core.assessment.pinned.pin import Pin, PinnedPair, PinnedReport
from core.assessment.pinned.prose import prose_html, prose_latex, prose_markdown
from core.base import open_templates, write_whole
from core.errors import UnknownNameError
from core.evaluation import (
    SHADES,
    SIGNS,
    latex_text,
    legend_in,
    missing_reasons,
    plain_markdown,
    table_latex,
    table_markdown,
)
from core.evaluation.reports import web_page
from core.text import as_segments, recover, with_visible_controls

_TEMPLATES = open_templates(Path(__file__).with_name("templates"), Path(web_page.__file__).with_name("templates"))

Remarks = Mapping[int, str]
"""A sentence on pins, by their places among the parts of the report."""


def _nowhere(_: Pin) -> str:
    return ""


def pins_html(
    report: PinnedReport, remarks: Remarks = MappingProxyType({}), probe_address: Callable[[Pin], str] = _nowhere
) -> str:
    """The whole page; it needs no network, and pairs open without a script. Every text is escaped.

    `probe_address` gives the address at which a pinned pair opens on Probe, empty for none.
    """
    return _TEMPLATES.get_template("pins.html").render(
        report=report,
        remarks=remarks,
        prose=prose_html,
        images=web_page.chart_images,
        grids=web_page.table_grids,
        notes=partial(_notes, words=SHADES),
        segments=pair_segments,
        probe_address=probe_address,
    )


def pair_segments(pair: PinnedPair) -> list[tuple[int, str]]:
    """Deleted (-1), kept (0) and inserted (1) text of a pair, characters that are not seen made visible."""
    segments = as_segments(pair.before, recover(pair.before, pair.after))
    return [(op, with_visible_controls(text)) for op, text in segments]


def pins_latex(report: PinnedReport, remarks: Remarks, stem: str) -> dict[str, str | bytes]:
    """The document, and a PDF for each chart beside it, by what their names have after `stem`, that of the document."""
    body: list[str] = []
    for place, part in enumerate(report.parts):
        body.append(prose_latex(part.text))
        if part.pin:
            body += _pin_latex(part.pin, f"{stem}-{place + 1}", remarks.get(place, ""))
    title = rf"\title{{{latex_text(report.title)}}}"
    written = "\n".join([title, r"\date{}", r"\begin{document}", r"\maketitle", *body, r"\end{document}", ""])
    # pdfLaTeX would stop at these characters: it prints the number by which others find the character
    foreign = sorted({character for character in written if ord(character) > _LATIN_END and character not in _MARKS})
    foreign_characters = [
        rf"\DeclareUnicodeCharacter{{{ord(character):04X}}}{{[U+{ord(character):04X}]\allowbreak{{}}}}"
        for character in foreign
    ]
    head = _LATEX_HEAD.replace(_FOREIGN_PLACE, "\n".join(foreign_characters))
    return {"": f"{head}\n{written}", **_figures(report, "pdf")}


def pins_markdown(report: PinnedReport, remarks: Remarks, stem: str) -> dict[str, str | bytes]:
    """The document, and an SVG for each chart beside it, by what their names have after `stem`, that of the document."""
    body: list[str] = [f"# {plain_markdown(report.title)}"]
    for place, part in enumerate(report.parts):
        if part.text:
            body.append(prose_markdown(part.text))
        if part.pin:
            body += _pin_markdown(part.pin, f"{stem}-{place + 1}", remarks.get(place, ""))
    return {"": "\n\n".join(body) + "\n", **_figures(report, "svg")}


Parts = Mapping[str, str | bytes]
FORMS: Mapping[str, Callable[[PinnedReport, Remarks, str], Parts]] = MappingProxyType(
    {
        ".html": lambda report, remarks, _: {"": pins_html(report, remarks)},
        ".tex": pins_latex,
        ".md": pins_markdown,
    }
)
"""The forms by the endings of their files: contents by what their names have after that of the report."""


def form_files(report: PinnedReport, file: Path, remarks: Remarks = MappingProxyType({})) -> dict[Path, bytes]:
    """The files of the form that the ending of `file` names. Raises UnknownNameError for another ending."""
    if file.suffix not in FORMS:
        raise UnknownNameError("form of a report of pins", file.suffix or file.name, FORMS)
    contents = FORMS[file.suffix](report, remarks, file.stem)
    return {
        file.with_name(f"{file.stem}-{name}") if name else file: content.encode()
        if isinstance(content, str)
        else content
        for name, content in contents.items()
    }


def write_pins(report: PinnedReport, file: Path, remarks: Remarks = MappingProxyType({})) -> list[Path]:
    """Write the form that the ending names; the files that were written. Raises TouchstoneError where one cannot be."""
    files = form_files(report, file, remarks)
    for path, content in files.items():
        write_whole(path, content)
    return list(files)


def _notes(pin: Pin, words: Sequence[str] = ()) -> list[str]:
    """Notes on how to read a result; with the legend of its marks in these `words`, none where captions have it."""
    tables = pin.content.tables
    marks = legend_in(words, tables) if words else ""
    return [*filter(None, [marks]), *pin.content.notes, *missing_reasons(tables)]


def _figures(report: PinnedReport, kind: str) -> dict[str, bytes]:
    from core.evaluation import chart_figure  # Matplotlib takes a second, and only a figure needs it

    return {
        f"{place + 1}-{chart.name}.{kind}": chart_figure(chart, kind)
        for place, part in enumerate(report.parts)
        if part.pin
        for chart in part.pin.content.charts
    }


_FOREIGN_PLACE = "% foreign"
_LATEX_HEAD = r"""\documentclass{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{iftex}
\ifPDFTeX  % it has no letters but Latin ones, and shows the number of others; LuaLaTeX with a font that has them shows them
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
% foreign
\else
\usepackage{fontspec}
\fi
\usepackage{adjustbox,booktabs,graphicx,xcolor,hyperref}
\emergencystretch=3em
\newcommand{\removed}[1]{\textcolor{red!70!black}{[#1]}}
\newcommand{\added}[1]{\textcolor{green!40!black}{\textbf{#1}}}
"""


_LATIN_END = 0x17F  # of the letters that the fonts of pdfLaTeX have
_MARKS = "–—‘’“”„‚…•€™†‡‰‹›"


def _pin_latex(pin: Pin, stem: str, remark: str) -> Iterator[str]:
    yield rf"\subsection*{{{latex_text(pin.title)}}}"
    if pin.content.sentences:
        yield f"{latex_text(' '.join(pin.content.sentences))}\n"
    for chart in pin.content.charts:
        yield "\n".join(
            [
                r"\begin{figure}[!ht]",
                r"\centering",
                rf"\includegraphics[width=\linewidth,height=0.35\textheight,keepaspectratio]{{{stem}-{chart.name}.pdf}}",
                rf"\caption{{{latex_text(chart.title)}}}",
                r"\end{figure}",
                "",
            ]
        )
    for table in pin.content.tables:
        for name in table.pivot.cells if table.pivot else ("",):
            # wide and long tables are made to fit the page
            fitting = r"\begin{adjustbox}{max width=\linewidth, max totalheight=0.85\textheight}" + "\n"
            latex = table_latex(table, name, f"{stem}-{name or table.name}")
            latex = latex.replace(r"\begin{tabular}", rf"{fitting}\begin{{tabular}}")
            yield latex.replace(r"\end{tabular}", "\\end{tabular}\n\\end{adjustbox}")
    commands = {-1: r"\removed{", 1: r"\added{"}
    for pair in pin.pairs:
        words = [
            f"{commands[op]}{latex_text(text)}}}" if op in commands else latex_text(text)
            for op, text in pair_segments(pair)
        ]
        head = latex_text(" · ".join(filter(None, [pair.remark, pair.scores])).replace("→", "to"))
        above = rf"{{\footnotesize {head}}} \\ " if head else ""  # LaTeX ends no line that is empty
        yield f"\\begin{{quote}}\n{above}{''.join(words)}\n\\end{{quote}}\n"
    small = latex_text(" ".join([*_notes(pin), _made(pin), remark]).strip())
    yield rf"{{\footnotesize\raggedright {small}\par}}" + "\n"


def _pin_markdown(pin: Pin, stem: str, remark: str) -> Iterator[str]:
    yield f"## {plain_markdown(pin.title)}"
    yield from map(plain_markdown, pin.content.sentences)
    for chart in pin.content.charts:
        yield f"![{plain_markdown(chart.title)}](<{stem}-{chart.name}.svg>)"
    for table in pin.content.tables:
        yield f"### {plain_markdown(table.title)}"
        for name in table.pivot.cells if table.pivot else ("",):
            yield table_markdown(table, name)
        yield from map(plain_markdown, table.notes)
    marks = {-1: "~~", 0: "", 1: "**"}
    for pair in pin.pairs:
        head = plain_markdown(" · ".join(filter(None, [pair.remark, pair.scores])))
        difference = ""
        for op, text in pair_segments(pair):
            core = text.strip()
            before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            difference += f"{before}{marks[op]}{plain_markdown(core)}{marks[op]}{after}" if core else text
        on_one_line = difference.replace("\n", " ")
        yield f"> {head}\n>\n> {on_one_line}"
    yield from map(plain_markdown, filter(None, [*_notes(pin, SIGNS), _made(pin), remark]))


def _made(pin: Pin) -> str:
    signatures = "; ".join(pin.signatures.values())
    return f"Pinned {pin.made:%Y-%m-%d}.{f' Signatures: {signatures}.' if signatures else ''}"
