"""Choice of the teacher of a training, and what it will cost before it is asked."""

from __future__ import annotations

import streamlit as st

from core.errors import Problem, attempt
from core.evaluation import Teacher, TrainingPlan
from core.scoring import METRICS, metric_title
from pages.server import services
from pages.ui.evaluate.dataset_choice import EvaluationChoice
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message


def teacher_form(choice: EvaluationChoice) -> Teacher | Problem | None:
    """The teacher; None to learn the labels of the data, and the reason, which is shown, for a name that is none."""
    released = [column.name for column in choice.cases.all_columns if column.released]
    metrics = [metric.name for metric in METRICS if metric.card.direction != "neutral"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Teacher",
            [*released, *(metric for metric in metrics if metric not in released)],
            None,
            format_func=lambda name: f"{name} (scores of the data)" if name in released else metric_title(name),
            placeholder="None: the labels of the data",
            accept_new_options=True,
            key="train-teacher",
            width=420,
            help="Learn the verdicts of a metric or judge in place of labels, which the data then need not have. A metric, also with "
            "settings as name[setting=value], scores all pairs and the corruptions of them; scores of the data are there already. What it "
            "has scored is never asked twice. The card compares both, also by the labels of people.",
        )
        if not name:
            return None
        cut = st.number_input(
            "Consistent from",
            value=None,
            placeholder="chosen",
            key="train-teacher-cut",
            width=140,
            help="The score from which on the teacher calls a summary consistent (up to which, where lower is better). By default the "
            "best one by the labels of people, else the best one between corruptions and harmless edits.",
        )
        budget = st.number_input(
            "Budget",
            0.0,
            value=None,
            placeholder="none",
            key="train-teacher-budget",
            width=140,
            help="Money that the teacher may cost at endpoints. Nothing is asked where the estimate is higher or unknown.",
        )
    teacher = Teacher(name, name in released, cut, budget)
    error = None if teacher.released else attempt(teacher.metric)
    if isinstance(error, Problem):
        st.error(escape_message(error.error), icon=":material/error:")
        return error
    return teacher


def teacher_estimate(plan: TrainingPlan, name: str, key: tuple[object, ...]) -> bool:
    """Show the pairs, requests, price and time of a teacher that is a metric; False until they are known."""

    engine = services.engine()

    def estimate() -> list[str]:
        settings = services.settings()
        return plan.teacher_run(settings.models_dir / name, engine).estimate(settings)

    sentences = background_result("Estimating what the teacher takes…", ("teacher", name, key), estimate)
    if sentences is None:
        return False
    for sentence in sentences:
        st.markdown(escape_markdown(sentence))
    return True
