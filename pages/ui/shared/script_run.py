"""Runs of a page: one of a fragment alone, and the end of one before the end of its script."""

from __future__ import annotations

from typing import NoReturn

from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx


def is_fragment_run() -> bool:
    """True where fragments run without the rest of their page."""
    context = get_script_run_ctx()
    return bool(context and context.fragment_ids_this_run)


def end_run() -> NoReturn:
    """End the run where there is no more to draw; what was asked of a dialog or another fragment meanwhile is answered next.

    `st.stop` would drop it, as its request takes the place of the one that waits: a file that was given, or a press. Fragments
    that this run did not draw are forgotten, as at the end of a script: one that draws itself again would write
    where the browser has nothing any more, which leaves a white page.
    """
    context = get_script_run_ctx()
    if context and not is_fragment_run():
        context.fragment_storage.clear(new_fragment_ids=context.shared.new_fragment_ids.snapshot())
    raise StopException
