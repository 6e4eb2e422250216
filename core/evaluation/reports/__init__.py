"""The forms of a report, one file each: text, records, CSV, Markdown, LaTeX, HTML, and figures for print."""
