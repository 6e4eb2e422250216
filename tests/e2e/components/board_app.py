"""An app with nothing but the score board, for the browser tests."""

import streamlit as st

from pages.ui.probe.board_rows import Board, BoardRow
from pages.ui.probe.score_board import board_feed, board_state, score_board

SENTENCES = (
    "The council approved twelve plans on Monday.",
    "<script>window.__xss=1</script> The harbour will cost $3 million 😀.",
    "Nobody objected.",
)
ROWS = (
    BoardRow(
        "rouge2", "ROUGE-2", "lexical", before=0.41, after=0.39, low=0, high=1, seconds=0.004, parts=(0.9, 0.2, 0.4)
    ),
    BoardRow("bart", "BARTScore", "likelihood", state="running", before=-2.1, after=-2.6, parts=(-1.0, -3.0, -2.0)),
    BoardRow(
        "mini", "MiniCheck", "entailment", state="needs download", message="1.4 GB from the hub", action="download"
    ),
    BoardRow("bad", "Broken", "entailment", state="failed", message="<b>No space</b> left.", action="retry"),
)

state = st.session_state
state.setdefault("log", [])


def current(*, done: bool) -> Board:
    selected = board_state("board").selected
    bart = BoardRow("bart", "BARTScore", "likelihood", before=-2.1, after=-1.2, seconds=2.1, parts=(-1.0, -1.5, -1.1))
    rows = (ROWS[0], bart, *ROWS[2:]) if done else ROWS
    metric, sentence = (selected.spec, selected.sentence) if selected else ("rouge2", None)
    return Board(rows, SENTENCES, metric, sentence)


def on_select() -> None:
    state.log.append(f"selected {board_state('board').selected}")
    st.rerun(["echo", "feed"])


def on_action(spec: str, action: str) -> None:
    state.log.append(f"{action} {spec}")
    st.rerun("echo")


@st.fragment(key="echo")
def echo() -> None:
    with st.container(key="log"):
        st.text("\n".join(state.log))


@st.fragment(key="feed")
def feed() -> None:
    show = board_feed("board", lambda _: None)
    show(current(done=False))
    show(current(done=state.get("done", False)))


def finish() -> None:
    state.done = True
    st.rerun("feed")


st.button("Finish", on_click=finish)
if st.toggle("Nothing"):
    score_board(Board((), ()), key="empty", on_select=on_select, on_action=on_action)
    st.stop()
score_board(current(done=False), key="board", on_select=on_select, on_action=on_action)
echo()
feed()
