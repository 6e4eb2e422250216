"""A report as text for a terminal: the answer in sentences, tables in aligned columns, and how to read them."""

from __future__ import annotations

from dataclasses import replace

from core.evaluation.report import Report, Table
from core.evaluation.reports.cells import few_documents, format_cell, heading, legend, missing_reasons
from core.stats import align_columns


def report_text(report: Report) -> str:
    """The whole report; problems are not in it, as they go where messages go."""
    tables = [table_text(table, titled=len(report.tables) > 1) for table in report.tables]
    reading = [legend(report.tables), *report.notes, *missing_reasons(report.tables)]
    blocks = ["\n".join(report.sentences), *tables, "\n".join(filter(None, reading))]
    return "\n\n".join(filter(None, blocks))


def table_text(table: Table, *, titled: bool) -> str:
    """A table in columns, – for what is undefined; a last column says where intervals rest on few documents."""
    head = [heading(column) for column in table.columns]
    columns = [
        replace(column, format="text") if column.format in ("metric", "metrics", "perturbation") else column
        for column in table.columns
    ]
    lines = [[format_cell(cell, column) for cell, column in zip(row, columns, strict=True)] for row in table.rows]
    remarks = [few_documents(row) for row in table.rows]
    if any(remarks):
        head.append("")
        lines = [[*line, remark] for line, remark in zip(lines, remarks, strict=True)]
    body = align_columns([head, *lines]) if table.rows else "nothing"
    return "\n\n".join(filter(None, [table.title if titled else "", body, "\n".join(table.notes)]))
