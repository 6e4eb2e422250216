"""What is wrong with files of weights is said in a sentence: cut off, empty, a web page, a pointer, no numbers, another place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import TouchstoneError
from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1421\n"
PAGE = b"\n<!DOCTYPE html><html><body>Please log in</body></html>"


@pytest.fixture
def folder(tiny_roberta: Path, tmp_path: Path) -> Path:
    return shutil.copytree(tiny_roberta, tmp_path / "model")


def refusal(source: Path, cache: Path) -> str:
    pool = ModelPool("cpu", None, cache)
    checkpoint = Checkpoint(str(source), "sequence_classifier")
    try:
        with pytest.raises(TouchstoneError) as caught, pool.lease(checkpoint):
            pass
    finally:
        pool.close()
    return str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda _: b"", "is empty"),
        (lambda _: POINTER, "git lfs pull"),
        (lambda _: PAGE, "is a web page"),
        (lambda whole: whole[: len(whole) // 2], ""),
    ],
    ids=["empty", "pointer", "page", "cut off"],
)
def test_a_damaged_file_is_named_with_what_to_do(
    folder: Path, tmp_path: Path, name: str, damage: Callable[[bytes], bytes], says: str
) -> None:
    file = folder / name
    file.write_bytes(damage(file.read_bytes()))
    message = refusal(folder, tmp_path / "cache")
    assert name in message
    assert says in message


def test_weights_that_are_cut_off_tell_how_much_is_here(folder: Path, tmp_path: Path) -> None:
    file = folder / "model.safetensors"
    whole = file.stat().st_size
    file.write_bytes(file.read_bytes()[:-1000])
    assert f"{whole - 1000:,} of {whole:,} bytes" in refusal(folder, tmp_path / "cache")


def test_a_pickle_that_is_cut_off_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    file = folder / "pytorch_model.bin"
    file.write_bytes(file.read_bytes()[:-1000])
    assert "is cut off" in refusal(folder, tmp_path / "cache")


def test_a_damaged_model_with_an_auto_map_is_not_said_to_need_custom_code(folder: Path, tmp_path: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModel": "own.OwnModel"}
    config["num_attention_heads"] = 7
    (folder / "config.json").write_text(json.dumps(config))
    message = refusal(folder, tmp_path / "cache")
    assert "custom code" not in message
    assert "model of type roberta" in message


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(folder: Path, tmp_path: Path, number: float) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.dense.weight"][0, 0] = number
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    assert "classifier.dense.weight holds values that are no numbers" in refusal(folder, tmp_path / "cache")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_file_in_place_of_a_folder_names_the_folder(folder: Path, tmp_path: Path, name: str) -> None:
    message = refusal(folder / name, tmp_path / "cache")
    assert "is a file" in message
    assert f"checkpoint={folder}" in message
