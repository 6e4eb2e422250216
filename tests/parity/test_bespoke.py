"""Our Bespoke-MiniCheck scores are those of the definition, asked of a scripted endpoint and of plain transformers."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from core.errors import BadSettingError, LoadError, MissingEndpointError, TouchstoneError
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.metrics.bespoke_minicheck import SYSTEM, user_message
from core.settings import Settings
from core.text.segmentation import sentences
from core.types import Example, Failure, FailureKind, Result, Score
from tests.doubles.process import finish, start
from tests.drive import drive
from tests.parity.texts import PAIR_CASES, PAIRS
from tests.parity.tiny_tokens import llama
from tests.unit.core.models.llm.scripted import Endpoint, Reply, completion, refusal, serving

pytestmark = pytest.mark.parity

Judge = Callable[[str, str], float]
"""From a chunk and a claim to the probability of Yes."""

SCORE = """
import sys
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.settings import Settings
from core.types import Example
engine = Engine.open(Settings(device="cpu", cache_dir=sys.argv[1]))
[(_, outcome)] = engine.run([METRICS.parse("bespoke-minicheck-7b")], [Example("pair", "Rain fell.", "It rained.")])
engine.close()
print(outcome.score, *[name for name in ("torch", "transformers") if name in sys.modules])
"""


def expected(pair: tuple[str, str], ask: Judge, size: Callable[[str], int], budget: int) -> list[float]:
    """Metrics-core 2.3, 2.4 and 3.4, word for word: for each sentence the largest over the chunks."""
    pieces: list[str] = []
    for number, line in enumerate(pair[0].split("\n")):
        pieces += ["\n"] if number else []
        pieces += [span.of(line) for span in sentences(line)]
    groups: list[list[str]] = [[]]
    used = 0
    for piece in pieces:
        if used + size(piece) > budget:
            groups.append([])
            used = 0
        groups[-1].append(piece)
        used += size(piece)
    joined = [" ".join(group).replace(" \n ", "\n").strip() for group in groups]
    chunks = [chunk for chunk in joined if chunk] or [""]
    return [max(ask(chunk, span.of(pair[1])) for chunk in chunks) for span in sentences(pair[1])]


def scripted(user: str) -> dict[str, float]:
    """Probabilities that depend on every byte of the question; one that is no Yes looks like it."""
    draw = [byte / 256 + 0.01 for byte in hashlib.sha256(user.encode()).digest()[:5]]
    names = ["Yes", "yes", " Yes", "No", "Yes."] if draw[0] > 0.2 else ["No", " Yes", "Maybe", "no", "The"]
    return {name: share / sum(draw) for name, share in zip(names, draw, strict=True)}


def judged(chunk: str, claim: str) -> float:
    shares = scripted(f"Document: {chunk}\nClaim: {claim}")
    return sum(shares.get(name, 0.0) for name in ("Yes", "yes", " Yes"))


def reply(path: str, body: Any) -> Reply:
    if path == "/tokenize":
        return Reply({"count": len(body["prompt"].split())})
    assert body["messages"][0]["content"] == SYSTEM
    return completion(scripted(body["messages"][1]["content"]))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    with serving(reply) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        yield running


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TOUCHSTONE_LLM_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)  # where no .env is


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return llama(tmp_path_factory.mktemp("tiny") / "llama")


def ours(pair: tuple[str, str], settings: str = "") -> Score:
    spec = f"bespoke-minicheck-7b[{settings}]" if settings else "bespoke-minicheck-7b"
    return drive(METRICS.parse(spec).rounds(Example("pair", *pair)))


def scores(score: Score) -> list[float]:
    assert score.value == min(part.score for part in score.parts)
    return [part.score for part in score.parts]


def test_the_system_message_is_the_one_that_the_weights_know() -> None:
    assert len(SYSTEM) == 340
    assert hashlib.sha256(SYSTEM.encode()).hexdigest() == (
        "016aea4b585f24d1f069463333d5494e570d5f69cdecf8f7edae0c6731dd3c7a"  # metrics-core 3.5
    )


@pytest.mark.parametrize("pair", PAIR_CASES)
def test_an_endpoint_is_asked_as_defined(endpoint: Endpoint, pair: tuple[str, str]) -> None:
    assert scores(ours(pair)) == pytest.approx(expected(pair, judged, len, 32_468), abs=1e-9)
    assert {path for path, _ in endpoint.asked} == {"/v1/chat/completions"}  # the bytes show that all is one chunk


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("several chunks", marks=pytest.mark.slow),
        pytest.param("a 600-word sentence inside", marks=pytest.mark.slow),
        "ordinary",
    ],
)
def test_a_long_document_is_measured_and_cut_into_chunks(endpoint: Endpoint, name: str) -> None:
    def size(text: str) -> int:
        return len(text.split())

    assert scores(ours(PAIRS[name], "max_tokens=512")) == pytest.approx(
        expected(PAIRS[name], judged, size, 212), abs=1e-9
    )
    assert "/tokenize" in {path for path, _ in endpoint.asked}


def test_the_model_is_asked_for_by_the_name_that_is_set(endpoint: Endpoint) -> None:
    ours(PAIRS["short"], "checkpoint=minicheck-q4,special_tokens=false")
    [(_, body)] = endpoint.asked
    assert body["model"] == "minicheck-q4"
    assert "add_special_tokens" not in body


def test_yes_outside_the_most_likely_tokens_is_no_support(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: completion({"Maybe": 0.5, "No": 0.3, "Yes!": 0.1})) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        assert ours(PAIRS["short"]).value == 0.0


def test_a_mark_of_the_claim_in_the_document_is_filled_too_as_the_authors_do() -> None:
    assert (
        user_message("He wrote [CLAIM] there.", "It rained.")
        == "Document: He wrote It rained. there.\nClaim: It rained."
    )


def test_the_whole_summary_can_be_one_claim(endpoint: Endpoint) -> None:
    document, summary = PAIRS["ordinary"]
    score = ours((document, summary), "claims=whole")
    assert score.value == pytest.approx(
        expected((document, "x"), lambda chunk, _: judged(chunk, summary), len, 32_468)[0]
    )
    assert len(endpoint.asked) == 1


@pytest.mark.usefixtures("nowhere")
def test_without_an_endpoint_the_failure_says_what_to_set() -> None:
    with pytest.raises(MissingEndpointError, match=r"No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL"):
        ours(PAIRS["short"])


@pytest.mark.usefixtures("nowhere")
def test_a_missing_endpoint_spoils_only_its_own_cell_and_heals_when_one_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path / "cache"))
    metrics = [METRICS.parse("bespoke-minicheck-7b"), METRICS.parse("rouge2")]
    pair = Example("pair", *PAIRS["short"])  # one question: of several, one still under way would be shared
    spoiled, fine = (outcome for _, outcome in engine.run(metrics, [pair]))
    with serving(reply) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        [(_, healed)] = engine.run(metrics[:1], [pair])
    engine.close()
    assert isinstance(spoiled, Failure)
    assert spoiled.kind is FailureKind.NEEDS_ENDPOINT
    assert spoiled.error.startswith("No language-model endpoint is set.")
    assert isinstance(fine, Result)
    assert isinstance(healed, Result)


def test_an_edit_asks_about_the_edited_sentence_only(endpoint: Endpoint, tmp_path: Path) -> None:
    engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
    metric = METRICS.parse("bespoke-minicheck-7b")
    document, summary = PAIRS["ordinary"]
    edited = summary.replace("Nobody", "Somebody")
    asked = []
    for text in (summary, summary, edited):
        before = len(endpoint.asked)
        [(_, result)] = engine.run([metric], [Example("pair", document, text)])
        assert isinstance(result, Result)
        asked.append(len(endpoint.asked) - before)
    engine.close()
    assert asked == [3, 0, 1]


def test_one_question_that_is_refused_spoils_one_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_path: str, body: Any) -> Reply:
        user = body["messages"][1]["content"]
        return refusal(400, "too long") if "sank" in user else completion({"Yes": 0.5})

    pairs = [Example(claim, "Rain fell.", claim) for claim in ("It rained.", "It sank.", "It snowed.", "It froze.")]
    with serving(answer) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        engine = Engine.open(Settings(device="cpu", memory="1GB", cache_dir=tmp_path))
        outcomes = [outcome for _, outcome in engine.run([METRICS.parse("bespoke-minicheck-7b")], pairs)]
        engine.close()
    assert [isinstance(outcome, Failure) for outcome in outcomes] == [False, True, False, False]


@pytest.mark.slow
@pytest.mark.usefixtures("endpoint")
def test_an_endpoint_needs_no_torch(tmp_path: Path) -> None:
    status, output, errors = finish(start("-c", SCORE, str(tmp_path)))
    assert (status, errors) == (0, "")
    assert float(output) == pytest.approx(judged("Rain fell.", "It rained."))


@pytest.mark.parametrize("name", ["ordinary", "short", "odd punctuation", "literal separators", "other scripts"])
def test_transformers_is_asked_as_defined(folder: Path, name: str) -> None:
    network = LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)

    def ask(chunk: str, claim: str) -> float:
        text = f"[CLS]<system>\n{SYSTEM}\n<user>\nDocument: {chunk}\nClaim: {claim}\n<assistant>\n"
        ids = tokenizer([text])["input_ids"]
        assert ids[0][:2] == [1, 1]  # vLLM reads the start token twice, and so did the authors
        with torch.no_grad():
            shares = network(input_ids=torch.tensor(ids)).logits[0, -1].softmax(-1)
        top = shares.topk(5)
        pairs = zip(top.values.tolist(), top.indices.tolist(), strict=True)
        return sum(share for share, token in pairs if tokenizer.decode([token]).lower() == "yes")

    found = scores(ours(PAIRS[name], f"checkpoint={folder},through=transformers,dtype=float32"))
    assert found == pytest.approx(expected(PAIRS[name], ask, len, 32_468), abs=1e-5)


def test_one_start_token_alone_would_be_noticed(folder: Path) -> None:
    pair, local = PAIRS["short"], f"checkpoint={folder},through=transformers,dtype=float32"
    assert not math.isclose(ours(pair, local).value, ours(pair, f"{local},special_tokens=false").value, abs_tol=1e-4)


@pytest.mark.slow
def test_the_tiny_model_tells_the_pairs_apart(folder: Path) -> None:
    local = f"checkpoint={folder},through=transformers,dtype=float32"
    values = [ours(PAIRS[name], local).value for name in ("ordinary", "short", "odd punctuation", "other scripts")]
    assert max(values) - min(values) > 0.1


@pytest.fixture
def foreign(folder: Path, tmp_path: Path) -> Path:
    """The same weights as an architecture that only the code beside them knows."""
    other = tmp_path / "foreign"
    other.mkdir()
    for name in ("model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        (other / name).write_bytes((folder / name).read_bytes())
    config = json.loads((folder / "config.json").read_text())
    named = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"}
    config.update(model_type="own", architectures=["OwnForCausalLM"], auto_map=named)
    (other / "config.json").write_text(json.dumps(config))
    (other / "own.py").write_text(
        "from transformers import LlamaConfig, LlamaForCausalLM\n\n\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'own'\n\n\n"
        "class OwnForCausalLM(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    return other


def test_the_code_of_a_repository_is_not_run_unless_it_is_trusted(foreign: Path) -> None:
    with pytest.raises(LoadError, match="custom code"):
        ours(PAIRS["short"], f"checkpoint={foreign},through=transformers")


def test_a_spec_alone_does_not_run_the_code_of_a_repository(foreign: Path) -> None:
    spec = f"checkpoint={foreign},through=transformers,trust_remote_code=true"
    with pytest.raises(LoadError, match=f"set TOUCHSTONE_TRUSTED_REPOS={foreign} and try again"):
        ours(PAIRS["short"], spec)


def test_the_code_of_a_trusted_repository_is_run(
    foreign: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setenv("TOUCHSTONE_TRUSTED_REPOS", str(foreign))
    trusted = ours(PAIRS["short"], f"checkpoint={foreign},through=transformers,dtype=float32,trust_remote_code=true")
    plain = ours(PAIRS["short"], f"checkpoint={folder},through=transformers,dtype=float32")
    assert trusted.value == pytest.approx(plain.value, abs=1e-5)


def test_a_window_out_of_range_is_refused() -> None:
    with pytest.raises(BadSettingError, match="512 to 32768; got 100"):
        METRICS.parse("bespoke-minicheck-7b[max_tokens=100]")


def test_a_server_that_breaks_off_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _path, _body: Reply(raw=b'{"choices"')) as running:
        monkeypatch.setenv("TOUCHSTONE_LLM_BASE_URL", running.url)
        with pytest.raises(TouchstoneError, match="does not answer in the form of OpenAI"):
            ours(PAIRS["short"])
