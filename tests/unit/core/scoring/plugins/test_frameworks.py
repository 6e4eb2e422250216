"""Scorers of other frameworks ask through our endpoints: with the real packages where they are installed, else with a small one.

To run all of them: an environment of each framework in a folder that TOUCHSTONE_FRAMEWORKS_DIR names, as the message about a
missing one says.
"""

from __future__ import annotations

import json
import re
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import get_args

import pytest

from core.assessment.catalog.metric_setup import missing_steps
from core.errors import Problem, attempt
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS, Metric
from core.scoring.metrics.frameworks import Scorer
from core.scoring.plugins import environments
from core.scoring.plugins.environments import FRAMEWORKS, framework_environment
from core.types import Example, Failure, Outcome, Result
from tests.unit.core.models.llm.scripted import Body, Endpoint, Reply, serving, text
from tests.unit.core.scoring.plugins.framework_judge import DOCUMENT, SUMMARY, judged

TUG = Example("tug", DOCUMENT, SUMMARY)
SCORES = {
    "autoevals:Factuality": 0.0,
    "autoevals:Faithfulness": 0.5,
    "deepeval:FaithfulnessMetric": 0.5,
    "deepeval:HallucinationMetric": 0.0,
    "deepeval:SummarizationMetric": 0.5,
    "inspect:model_graded_qa": 0.5,
    "phoenix:FaithfulnessEvaluator": 0.0,
    "ragas:Faithfulness": 0.5,
    "ragas:ResponseGroundedness": 0.5,
    "trulens:groundedness": 0.5,
}
"""The scores that follow from what the judge of the tests answers."""

SMALL = """
    import json
    import socket
    from . import ragas

    class Result:
        def __init__(self, score, metadata):
            self.score, self.metadata = score, metadata

    class Factuality:
        def __init__(self, client, model):
            self.complete = client.chat.completions.create

        def ask(self, words):
            tool = {"function": {"name": "select_choice", "parameters": {}}}
            reply = self.complete(model="m", messages=[{"role": "user", "content": words}], tools=[tool])
            return json.loads(reply["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"])

        def eval(self, input, output, expected):
            if "network" in output:
                socket.create_connection(("127.0.0.1", 9))
            if "fault" in output:
                raise KeyError("verdicts")
            first = self.ask(f"Compare {output}")
            again = self.ask(f"Compare {output}")
            second = self.ask(f"Check {first['choice']}")
            return Result((second["share"] + again["share"]) / 2, {"choice": first["choice"]})
"""


NO_CLAIMS: dict[str, dict[str, str]] = {
    "autoevals:Faithfulness": {
        "autoevals/__init__.py": "Factuality = None",
        "autoevals/ragas.py": """
            from types import SimpleNamespace

            class Faithfulness:
                def __init__(self, client, model):
                    pass

                def eval(self, input, output, context):
                    return SimpleNamespace(score=0.0, metadata={"faithfulness": []})
        """,
    },
    "deepeval:FaithfulnessMetric": {
        "deepeval/__init__.py": "__version__ = '9.1'",
        "deepeval/metrics.py": """
            class BaseMetric:
                def __init__(self, model, include_reason):
                    self.claims, self.verdicts = [], []

                def measure(self, case, _show_indicator):
                    return 1.0

            FaithfulnessMetric = HallucinationMetric = SummarizationMetric = BaseMetric
        """,
        "deepeval/models.py": """
            class DeepEvalBaseLLM:
                def __init__(self, name):
                    pass
        """,
        "deepeval/test_case.py": """
            class LLMTestCase:
                def __init__(self, **texts):
                    pass
        """,
    },
    "inspect:model_graded_qa": {
        "inspect_ai/__init__.py": "",
        "inspect_ai/model.py": """
            from types import SimpleNamespace

            class ModelAPI:
                pass

            class ModelOutput:
                @classmethod
                def from_content(cls, model, content):
                    return content

            ChatMessage = GenerateConfig = object

            def get_model(name, **settings):
                return SimpleNamespace(name=name)

            def modelapi(name):
                return lambda provider: provider
        """,
        "inspect_ai/scorer.py": """
            from types import SimpleNamespace

            Target = str

            def model_graded_qa(model, partial_credit):
                async def grade(state, target):
                    return SimpleNamespace(value="N", explanation="nothing to grade")

                return grade
        """,
        "inspect_ai/solver.py": """
            class TaskState:
                def __init__(self, **parts):
                    pass
        """,
        "inspect_ai/tool.py": "ToolChoice = ToolInfo = object",
    },
    "phoenix:FaithfulnessEvaluator": {
        "phoenix/evals/__init__.py": "class LLM:\n    pass\n",
        "phoenix/evals/metrics.py": """
            from types import SimpleNamespace

            class FaithfulnessEvaluator:
                def __init__(self, llm):
                    pass

                def evaluate(self, texts):
                    return [SimpleNamespace(score=None, label=None, explanation="")]
        """,
    },
    "ragas:Faithfulness": {
        "pydantic.py": "class BaseModel:\n    pass\n",
        "ragas/__init__.py": "",
        "ragas/llms/__init__.py": "",
        "ragas/llms/base.py": "class InstructorBaseRagasLLM:\n    pass\n",
        "ragas/metrics/__init__.py": "",
        "ragas/metrics/collections.py": """
            from types import SimpleNamespace

            class Faithfulness:
                def __init__(self, llm):
                    pass

                async def ascore(self, user_input, response, retrieved_contexts):
                    return SimpleNamespace(value=1.0)

            ResponseGroundedness = Faithfulness
        """,
    },
    "trulens:groundedness": {
        "trulens/core/feedback/endpoint.py": """
            class Endpoint:
                def __init__(self, name, rpm, retries):
                    pass
        """,
        "trulens/core/feedback/feedback.py": """
            class GroundednessConfigs:
                def __init__(self, **settings):
                    pass
        """,
        "trulens/feedback/llm_provider.py": """
            class LLMProvider:
                def __init__(self, endpoint):
                    pass

                def groundedness_measure_with_cot_reasons(self, source, statement, groundedness_configs):
                    return 0.0, {"reasons": []}
        """,
    },
}
"""Of each framework a few lines whose scorer found nothing to judge, and yet gives a number where the framework does."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving(judged) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "scripted")
        yield running


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the libraries of an environment whose autoevals is a few lines."""
    folder = tmp_path / "frameworks" / "autoevals"
    venv.create(folder, symlinks=True)
    monkeypatch.setenv("TOUCHSTONE_FRAMEWORKS_DIR", str(folder.parent))
    libraries = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    (libraries / "autoevals").mkdir()
    (libraries / "autoevals" / "__init__.py").write_text(dedent(SMALL), encoding="utf-8")
    (libraries / "autoevals" / "ragas.py").write_text("class Faithfulness: pass\n", encoding="utf-8")
    set_version(libraries, "9.1")
    return libraries


def set_version(libraries: Path, version: str) -> None:
    for old in libraries.glob("autoevals-*.dist-info"):
        (old / "METADATA").unlink()
        old.rmdir()
    folder = libraries / f"autoevals-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Name: autoevals\nVersion: {version}\n", encoding="utf-8")


def metric(scorer: str) -> Metric:
    return METRICS.parse(f"frameworks[scorer={scorer}]")


def outcome(engine: Engine, scorer: str, example: Example = TUG) -> Outcome:
    [(_, found)] = engine.run([metric(scorer)], [example])
    return found


def result(engine: Engine, scorer: str) -> Result:
    found = outcome(engine, scorer)
    assert isinstance(found, Result), found
    return found


@pytest.mark.parametrize("scorer", get_args(Scorer))
def test_the_real_scorer_asks_through_our_endpoint(scorer: str, engine: Engine, endpoint: Endpoint) -> None:
    installed = attempt(lambda: framework_environment(FRAMEWORKS[scorer.partition(":")[0]]))
    if isinstance(installed, Problem):
        pytest.skip(installed.error)
    first = result(engine, scorer)
    asked = len(endpoint.asked)
    assert first.score == SCORES[scorer]
    assert asked
    assert f"|{FRAMEWORKS[scorer.partition(':')[0]].package}:{installed.version}|model:scripted|" in first.signature
    again = result(engine, scorer)
    assert (again.score, again.signature, len(endpoint.asked)) == (first.score, first.signature, asked)


def test_every_scorer_has_its_framework() -> None:
    assert {*SCORES} == {*get_args(Scorer)}
    assert {scorer.partition(":")[0] for scorer in SCORES} == {*FRAMEWORKS}


def test_a_framework_that_is_not_installed_is_a_sentence_with_its_command(
    engine: Engine, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = metric("ragas:Faithfulness")
    monkeypatch.setenv("TOUCHSTONE_FRAMEWORKS_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(environments, "_metadata_file", lambda *_: None)  # whatever is installed beside us
    [step] = missing_steps(wanted)
    found = outcome(engine, "ragas:Faithfulness")
    assert isinstance(found, Failure)
    assert "RAGAS is not installed. Run: " in found.error
    assert (step.need, step.name) == ("package", "RAGAS")
    assert step.command.endswith(
        f"{tmp_path / 'none' / 'ragas' / 'bin' / 'pip'} install ragas 'langchain-community<0.4'"
    )
    assert not endpoint.asked


@pytest.mark.slow
def test_a_scorer_runs_again_with_the_answers_until_it_has_a_score(
    small: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answered(_path: str, body: Body) -> Reply:
        prompt = body["messages"][-1]["content"]
        return text(json.dumps({"choice": "B", "share": 0.25} if "Compare" in prompt else {"share": 0.75}))

    with serving(answered) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        monkeypatch.setenv("TOUCHSTONE_LLM_MODEL", "scripted")
        first = result(engine, "autoevals:Factuality")
        prompts = [body["messages"][-1]["content"].partition("\n")[0] for _, body in running.asked]
        # the same words again are another draw
        assert prompts == [f"Compare {SUMMARY}", f"Compare {SUMMARY}", "Check B"]
        assert [message["role"] for _, body in running.asked for message in body["messages"]] == ["user"] * 3
        assert (first.score, first.counts.asked) == (0.5, 7)  # three answers of the model, four runs of the scorer
        assert "|autoevals:9.1|" in first.signature
        set_version(small, "9.2")
        newer = result(engine, "autoevals:Factuality")
    assert "|autoevals:9.2|" in newer.signature
    assert len(running.asked) == 3  # the model's answers are what they were


@pytest.mark.parametrize(
    ("summary", "sentence"),
    [
        ("a network", "It asked for 127.0.0.1 and has no permission for the network. A scorer asks its model"),
        ("a fault", "KeyError: 'verdicts' (autoevals_scorers.py, line"),
        ("a summary", "autoevals:Factuality cannot read an answer of its model. JSONDecodeError"),
    ],
)
@pytest.mark.usefixtures("small", "endpoint")
def test_what_goes_wrong_in_a_scorer_is_a_sentence(summary: str, sentence: str, engine: Engine) -> None:
    found = outcome(engine, "autoevals:Factuality", Example("pair", DOCUMENT, summary))
    assert isinstance(found, Failure)
    assert sentence in found.error


@pytest.mark.usefixtures("small")
def test_an_answer_that_a_scorer_cannot_read_is_asked_for_again(engine: Engine, endpoint: Endpoint) -> None:
    for _ in range(2):
        assert isinstance(outcome(engine, "autoevals:Factuality", Example("pair", DOCUMENT, "Rain.")), Failure)
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize("scorer", NO_CLAIMS)
@pytest.mark.usefixtures("endpoint")
def test_a_scorer_that_found_nothing_to_judge_gives_no_score(
    scorer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    framework = FRAMEWORKS[scorer.partition(":")[0]]
    folder = tmp_path / "frameworks" / framework.name
    venv.create(folder, symlinks=True)
    monkeypatch.setenv("TOUCHSTONE_FRAMEWORKS_DIR", str(folder.parent))
    libraries = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    for name, code in NO_CLAIMS[scorer].items():
        (libraries / name).parent.mkdir(parents=True, exist_ok=True)
        (libraries / name).write_text(dedent(code), encoding="utf-8")
    metadata = libraries / f"{framework.package.replace('-', '_')}-9.1.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Name: {framework.package}\nVersion: 9.1\n", encoding="utf-8")
    found = outcome(engine, scorer)
    assert isinstance(found, Failure)
    assert re.search(r"finds no (claim|statement|grade)|gives no score", found.error), found.error
