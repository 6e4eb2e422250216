"""Steps that networks share on a GPU, on a pretended one: one read for many tensors, aligned lengths, and every failed allocation."""

from __future__ import annotations

import pytest
import torch

from core.errors import MemoryFullError
from core.models.networks.network import copy_to_device, freeing_memory, padded_length, read_back
from tests.doubles.pretended_gpu import counted, on_card, pretend_cards, waits


@pytest.mark.parametrize(
    "message",
    [
        "CUDA out of memory. Tried to allocate 2 GiB",
        "CUDA error: out of memory",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        "cuDNN error: CUDNN_STATUS_ALLOC_FAILED",
        "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
        "NVML_SUCCESS == r INTERNAL ASSERT FAILED at CUDACachingAllocator.cpp:995, please report a bug to PyTorch",
        "MPS backend out of memory (MPS allocated: 10 GB)",
        "[enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.",
    ],
)
def test_every_allocation_that_fails_is_memory_that_is_full(message: str) -> None:
    with pytest.raises(MemoryFullError, match="A batch does not fit"), freeing_memory("A batch does not fit"):
        raise RuntimeError(message)


def test_other_errors_of_a_device_are_none_of_memory() -> None:
    with pytest.raises(RuntimeError, match="illegal memory access"), freeing_memory("A batch does not fit"):
        raise RuntimeError("CUDA error: an illegal memory access was encountered")


@pytest.mark.parametrize(("longest", "padded"), [(1, 8), (8, 8), (505, 510), (509, 510), (510, 510), (600, 600)])
def test_lengths_are_multiples_of_8_and_never_more_than_the_positions_of_a_network(longest: int, padded: int) -> None:
    assert padded_length(longest, 510) == padded


def test_tensors_of_two_number_types_are_read_by_two_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_cards(monkeypatch)
    shares, places, empty = torch.rand(3, 2), torch.tensor([5, 7]), torch.rand(0)
    with on_card():
        there = [copy_to_device(tensor, torch.device("cuda")) for tensor in (shares, places, empty, shares[0])]
        before = counted().copy()
        read = read_back(*there)
        assert waits(counted() - before) == 2
    assert torch.equal(read[0], shares)
    assert torch.equal(read[1], places)
    assert read[2].shape == (0,)
    assert torch.equal(read[3], shares[0])


def test_tensors_of_the_processor_are_read_as_they_are() -> None:
    tensor = torch.rand(3)
    assert read_back(tensor)[0] is tensor
