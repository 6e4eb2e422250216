"""A metric trained on the chosen data: what would be learned from, the training under way, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from typing import Any, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.exchange.labelled_items import benchmark_items, load_labelled_items
from annotations.people.people import Right
from annotations.store.records import RunRow
from core.base import BackgroundTask
from core.edits import read_battery
from core.errors import Problem, TouchstoneError
from core.evaluation import (
    LOSS_STAGE,
    PACKAGED_ENCODER,
    EncoderSetting,
    Recipe,
    StressSource,
    Teacher,
    TrainedFolder,
    TrainingData,
    TrainingPlan,
    TrainingSource,
    check_folder,
    describe,
    train_to_folder,
    verdict,
)
from core.models import CARD_FILE, MAX_TREES, STEP_TREES, TrainingStep
from core.scoring import METRICS
from pages.server import services
from pages.server.job_work import STARTERS
from pages.server.jobs import BackgroundJob
from pages.ui.evaluate.dataset_choice import EvaluationChoice, evaluate_state
from pages.ui.evaluate.learning_curve import learning_curve_of
from pages.ui.evaluate.teacher_form import teacher_estimate, teacher_form
from pages.ui.probe.metric_choice import add_to_bench
from pages.ui.results.copy_popover import copy_table
from pages.ui.results.run_choice import format_run, load_run, shown_runs
from pages.ui.shared.background_results import background_result, polled, redraw
from pages.ui.shared.battery_choice import battery_choice, battery_spec
from pages.ui.shared.markup import escape_markdown, escape_message
from pages.ui.shared.notices import error_as_notice, leave_notice
from pages.ui.shared.push_form import push_form
from pages.ui.shared.session_user import current_member, job_person, user_name

_LOOK_S = 1.0
_MAKING = "Making corruptions and harmless edits to learn from…"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")

RECIPES: Mapping[Recipe, tuple[str, str]] = {
    "words": (
        "Words: features and boosted trees",
        "Features of each word by a frozen encoder, which is packaged, and boosted trees: some minutes on a processor, a file of "
        "some hundred kB, and a score for each word.",
    ),
    "cross-encoder": (
        "Cross-encoder: fine-tuned",
        "An encoder that reads each sentence together with the document, fine-tuned: wants a GPU or much time, some hundred "
        "documents, and best an encoder that was trained to read pairs of texts together, as for entailment. The packaged one was not.",
    ),
    "shallow": (
        "Shallow: the surface alone",
        "Six numbers of the surface and a small perceptron, in seconds: what every other metric should beat.",
    ),
}
"""Title of each recipe, and what it needs."""

TrainingTask = BackgroundTask[TrainingStep | TrainedFolder]
"""Its results are the steps, and last the folder."""


@st.cache_resource(show_spinner=False)
def trainings() -> dict[str, TrainingTask]:
    """The trainings of this process by the metric's name; one is under way at most."""
    return {}


def train_tab(choice: EvaluationChoice) -> None:
    """The form with its preview, and the last training."""
    st.caption(
        "Train a metric on the labels of the chosen data, or on the verdicts of a teacher. It is judged on documents that it did not learn from, beside a model "
        "of the surface alone. What is marked as test is never learned from."
    )
    recipe, encoder, robust = _recipe_form()
    teacher = teacher_form(choice)
    if isinstance(teacher, Problem):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", "my-metric", key="train-name", width=220, help="Letters, digits, - and _.")
        share = st.slider(
            "Share of corruptions and harmless edits",
            0.0,
            0.95,
            0.5,
            0.05,
            key="train-share",
            width=320,
            help="Made by rule from the consistent summaries and from sentences of their documents, and from the bundled "
            "texts; every kind as often as the others.",
        )
        seed = st.number_input("Seed", 0, None, 0, key="train-seed", width=120, help="The same seed, the same metric.")
        battery = battery_choice("train-battery")
    if battery is None:
        return
    sources = background_result(
        "Reading the labels…",
        ("labels to train on", choice.key, recipe, encoder, teacher),
        partial(_read_labels, choice.datasets, recipe, encoder, teacher),
    )
    stress = _stress_source(robust) if robust and sources else None
    if sources is None or (robust and stress is None):
        return
    judged = f", as {teacher.shown} judges" if teacher else ""
    title = f"A metric trained on {', '.join(choice.datasets)}{judged}"
    plan = TrainingPlan(sources, share, seed, recipe, title, encoder, battery, stress, teacher)
    go = st.container()  # nobody has to wait for the corruptions, which the training makes where they are not there yet
    key = ("train", choice.key, share, seed, battery, robust, teacher)
    if plan.asks_teacher and not teacher_estimate(plan, name, key):
        return
    data = None if plan.asks_teacher else background_result(_MAKING, key, plan.data)
    if _train_button(go):
        settings = {
            "datasets": [*choice.datasets],
            "recipe": recipe,
            "encoder": asdict(encoder),
            "run": robust.id if robust else "",
            "share": share,
            "seed": seed,
            "battery": battery_spec("train-battery"),
            "title": title,
            "teacher": asdict(teacher) if teacher else None,
        }
        _start(name, plan, data, settings)
        st.rerun()
    if data is not None:
        _preview(data)
        if _NAME.fullmatch(name):
            learning_curve_of(plan, data, services.settings().models_dir / name, (key, recipe, name))
    for trained, task in trainings().items():
        _show(trained, task)


def _train_button(place: DeltaGenerator) -> bool:
    """True if the person starts a training; while another is under way nobody can."""
    busy = any(task.running for task in trainings().values())
    return place.button(
        "Train",
        icon=":material/model_training:",
        type="primary",
        key="train-go",
        disabled=busy or services.settings().demo,
        help="A demo keeps nothing." if services.settings().demo else None,
    )


def _recipe_form() -> tuple[Recipe, EncoderSetting, RunRow | None]:
    """The recipe, and the encoder where it trains one, with the stress run that it is hardened by, if any."""
    recipe = st.selectbox(
        "Recipe", get_args(Recipe), 0, format_func=lambda recipe: RECIPES[recipe][0], key="train-recipe", width=420
    )
    st.caption(RECIPES[recipe][1])
    if recipe != "cross-encoder":
        return recipe, PACKAGED_ENCODER, None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encoder = st.text_input(
            "Encoder",
            PACKAGED_ENCODER.encoder,
            key="train-encoder",
            width=420,
            help="A folder of the server, or owner/name on the hub, which is downloaded. The default is packaged.",
        )
        tokens = st.number_input(
            "Tokens",
            32,
            None,
            PACKAGED_ENCODER.max_tokens,
            key="train-tokens",
            width=120,
            help="Of document and sentence together, as far as the encoder reads. Of a longer document it reads the sentences "
            "that are closest.",
        )
        lora = st.checkbox(
            "LoRA",
            False,
            key="train-lora",
            disabled=not find_spec("peft"),
            help="Train low-rank updates only, which takes less memory."
            if find_spec("peft")
            else "Needs the package peft: python -m pip install peft==0.21.2",
        )
    runs = shown_runs()
    robust = st.selectbox(
        "Stress run",
        list(runs),
        None,
        format_func=lambda id: format_run(runs[id]),
        placeholder="None",
        key="train-robust",
        width=420,
        help="Harden the metric by its variants: the scores of an original and of its harmless variants are drawn together, those of its "
        "broken ones apart. It is trained without the run as well, to compare with, which takes twice the time. Documents of imported "
        "benchmarks are left out of the run, and both trainings are judged on them.",
    )
    return recipe, EncoderSetting(encoder.strip(), tokens, lora), runs[robust] if robust else None


def _stress_source(row: RunRow) -> StressSource | None:
    """The run with the items of imported benchmarks, of whose documents none is learned from; None until these are read."""
    benchmarks = background_result(
        "Reading the benchmarks…",
        ("benchmark items", tuple(row.name for row in services.store().datasets())),
        partial(benchmark_items, services.store()),
    )
    return None if benchmarks is None else StressSource(row.name, load_run(row), benchmarks)


def _read_labels(
    datasets: tuple[str, ...], recipe: Recipe, encoder: EncoderSetting, teacher: Teacher | None
) -> list[TrainingSource]:
    """The items of the datasets. Raises TouchstoneError where labels are too few, all alike, or in a language that is not read.

    A teacher that is a metric gives its labels later.
    """
    labelled = [load_labelled_items(services.store(), dataset) for dataset in datasets]
    sources = [
        TrainingSource(dataset_items.name, dataset_items.items, dataset_items.importer, dataset_items.licence)
        for dataset_items in labelled
    ]
    if teacher is None or teacher.released:
        TrainingPlan(sources, 0.0, recipe=recipe, encoder=encoder, teacher=teacher).data()
    return sources


def _preview(data: TrainingData) -> None:
    import pandas as pd

    counts = describe(data)
    lines = [
        {
            "what": name,
            "number": str(value) if isinstance(value, int) else ", ".join(f"{k}: {n}" for k, n in value.items()),
        }
        for name, value in counts.items()
        if value
    ]
    st.dataframe(pd.DataFrame(lines), hide_index=True, width="stretch", alt="What is learned from")


def _start(name: str, plan: TrainingPlan, data: TrainingData | None, settings: Mapping[str, Any]) -> None:
    if not _NAME.fullmatch(name):
        leave_notice(f"{name!r} is no name of a metric. Use letters, digits, - and _, at most 60.")
        return
    try:
        check_folder(services.settings().models_dir / name)
    except TouchstoneError as error:
        leave_notice(str(error))
        return
    job = BackgroundJob(f"training {name}", "training", name, "evaluate", {"tab": "Train"}, settings, job_person())
    with error_as_notice():
        _begin(job, lambda: plan, data)


def _begin(job: BackgroundJob, plan_of: Callable[[], TrainingPlan], data: TrainingData | None = None) -> None:
    """Train as a job, by a plan that is made in its thread."""
    folder = services.settings().models_dir / job.title

    engine = services.engine()

    def work() -> Generator[TrainingStep | TrainedFolder]:
        learned, plan = data, plan_of()
        if learned is None:
            yield TrainingStep("Making corruptions", 0, 1)
            if plan.asks_teacher:
                learned = yield from plan.taught_data(plan.teacher_run(folder, engine))
            else:
                learned = plan.data()
        trained = yield from train_to_folder(plan, learned, folder, engine)
        yield trained

    def counted() -> tuple[int, int, str]:
        task = trainings().get(job.title)
        steps = [result for result in task.results if isinstance(result, TrainingStep)] if task else []
        return (steps[-1].done, steps[-1].total, f"({steps[-1].stage})") if steps else (0, 0, "")

    trainings()[job.title] = services.jobs().start(job, partial(BackgroundTask, work), by=user_name(), counted=counted)


def _train_again(job: BackgroundJob) -> None:
    """Train by the settings of a job; what is in its folder goes on where it stopped."""
    settings = job.settings
    encoder = EncoderSetting(**settings["encoder"])
    teacher = Teacher(**settings["teacher"]) if settings["teacher"] else None

    row = shown_runs().get(settings["run"])  # of the session, which the thread has not

    def plan() -> TrainingPlan:
        sources = _read_labels(tuple(settings["datasets"]), settings["recipe"], encoder, teacher)
        stress = None
        if row:
            stress = StressSource(row.name, load_run(row), benchmark_items(services.store()))
        battery = read_battery(settings["battery"])
        return TrainingPlan(
            sources,
            settings["share"],
            settings["seed"],
            settings["recipe"],
            settings["title"],
            encoder,
            battery,
            stress,
            teacher,
        )

    _begin(job, plan)


STARTERS["training"] = _train_again


@polled(_LOOK_S)
def _show(name: str, task: TrainingTask) -> None:
    import pandas as pd

    steps = [result for result in task.results if isinstance(result, TrainingStep)]
    folders = [result for result in task.results if isinstance(result, TrainedFolder)]
    if task.running:
        now = steps[-1] if steps else TrainingStep("Starting", 0, 1)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(
                min(1.0, now.done / max(1, now.total)),
                escape_markdown(f"{name}: {now.stage}, {now.done} of {now.total}"),
            )
            st.button("Cancel", icon=":material/stop:", on_click=task.cancel, key=f"train-cancel-{name}")
    elif task.error:
        st.error(escape_message(f"{name}: {task.error}"), icon=":material/error:")
    elif folders:
        _show_result(name, folders[-1])
    else:
        st.caption(
            escape_markdown(
                f"{name}: the training was cancelled. Train with the same name, data, share and seed goes on where it stopped."
            )
        )

    if measured := [step for step in steps if step.loss is not None]:
        if measured[0].stage.startswith(LOSS_STAGE):  # a curve for each training, with the stress run and without
            epochs = [
                {"epoch": step.done, "log loss of held-out summaries": step.loss, "training": step.stage}
                for step in measured
            ]
            chart = pd.DataFrame(epochs)
            st.line_chart(chart, x="epoch", y="log loss of held-out summaries", color="training", height=240)
        else:  # a curve for each fold
            per_fold = MAX_TREES // STEP_TREES
            rows = [
                {
                    "trees": ((step.done - 1) % per_fold + 1) * STEP_TREES,
                    "log loss of held-out words": step.loss,
                    "fold": step.stage,
                }
                for step in measured
            ]
            st.line_chart(pd.DataFrame(rows), x="trees", y="log loss of held-out words", color="fold", height=240)

    finished = evaluate_state().finished_scorings
    if not task.running and finished.get(f"train {name}") is not task:
        finished[f"train {name}"] = task
        redraw()  # the button is free again


def _show_result(name: str, trained: TrainedFolder) -> None:
    import pandas as pd

    st.subheader(escape_markdown(name))
    st.write(escape_markdown(verdict(trained.figures)))
    rows = [
        {
            "of": figure.of,
            "measure": figure.measure,
            "value": figure.text,
            "n": figure.estimate.n,
            "documents": figure.estimate.documents,
        }
        for figure in trained.figures
    ]
    frame = pd.DataFrame(rows)
    st.dataframe(frame, hide_index=True, alt=f"Figures of {name}")
    with st.container(horizontal=True):
        copy_table(f"Figures of {name}", frame, f"train-{name}")
        if st.button("Try it on Probe", icon=":material/science:", key=f"train-probe-{name}"):
            add_to_bench(METRICS.parse(trained.spec))
            st.switch_page("views/probe.py")
        st.download_button(
            "Model card",
            (trained.folder / CARD_FILE).read_bytes(),
            f"{name}-card.md",
            mime="text/markdown",
            on_click="ignore",
            icon=":material/description:",
            key=f"train-card-{name}",
        )
        if current_member().may(Right.MANAGE):  # the token is that of the server
            with st.popover("Push to the hub", icon=":material/cloud_upload:"):
                sent = "weights, tokenizer, card, figures and the hashes of the documents, no text of the training"
                licence = st.text_input(
                    "Licence of the metric",
                    placeholder="cc-by-4.0",
                    help="It stands at the head of the card. The card names the licences of what was learned from.",
                    key=f"push-licence-{trained.folder}",
                )

                def push_trained(repository: str, *, public: bool, existing: bool) -> str:
                    # the hub's library takes a second to import
                    from core.models import push

                    return push(trained.folder, repository, licence, public=public, existing=existing)

                missing = "" if licence.strip() else "State the licence of the metric first."
                push_form(f"trained-{trained.folder}", sent, push_trained, missing)
    st.code(trained.spec, language=None, wrap_lines=True)
