"""Papers: what published papers measured, run on your pairs and beside the figures that they print."""

from pages.ui.papers.paper_choice import chosen_paper, paper_cards, paper_head
from pages.ui.papers.paper_needs import needs_view
from pages.ui.papers.paper_run import run_form, run_view
from pages.ui.papers.released_tables import released_tables
from pages.ui.papers.words_form import words_form
from pages.ui.results.run_choice import chosen_run
from pages.ui.shared.notices import notices
from pages.ui.shared.script_run import end_run

notices()
paper = chosen_paper()
if paper is None:
    paper_cards()
    end_run()

paper_head(paper)
row = chosen_run()
if row:
    run_view(paper, row)
    end_run()
words_form(paper)
if paper.kinds:
    run_form(paper)
needs_view(paper)
released_tables(paper)
