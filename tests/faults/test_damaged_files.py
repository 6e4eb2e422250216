"""Files of ours that were cut, flipped or edited: each is read, or refused in a sentence."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from annotations.exchange.campaign_files import campaign_lines, store_lines
from annotations.exchange.campaign_import import import_campaign
from annotations.exchange.store_import import import_store
from annotations.store.backup import restore
from annotations.store.store import Store
from core.assessment.audit.audit_report import read_report, report_json
from core.assessment.audit.bundled_audits import bundled_audits
from core.errors import TouchstoneError
from core.model_reference import Checkpoint
from core.models.model_pool import ModelPool
from core.models.words.trained_head import read_head
from core.results.runs.bundled_run import bundled_run_lines
from core.results.runs.stress_run import run_from_lines
from tests.conftest import Weights
from tests.unit.annotations.campaigns.actors import make_campaign
from tests.unit.annotations.pair_samples import PAIR, record
from tests.unit.command_line import done

EMBEDDED = Path("core/models/weights/embedded/model")
_VALUE = re.compile(
    rb"(?<=[:,\[] )(-?\d[\d.e+-]*|\"[^\"\\]*\"|true|false|null)|(?<=[:,\[])(-?\d[\d.e+-]*|\"[^\"\\]*\")"
)
_OTHERS = (
    b"null",
    b"-1",
    b"1e999",
    b"NaN",
    b'"x"',
    b"[]",
    b"{}",
    b"true",
    b"99999999999999999999",
    b'"\\ud800"',
    b'"\\u0000"',
)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The same cut, with a byte flipped, a piece left out or doubled, or a value of JSON replaced by another."""
    start, end = sorted(rng.sample(range(len(content)), 2))
    end = min(end, start + rng.choice([1, 10, 1000]))
    values = list(_VALUE.finditer(content)) if content[:1] in b"{[" else []
    place = rng.choice(values).span() if values else (start, end)
    return rng.choice(
        [
            content[:start],
            content[:start] + bytes([content[start] ^ (1 << rng.randrange(8))]) + content[start + 1 :],
            content[:start] + content[end:],
            content[:end] + content[start:],
            *[content[: place[0]] + rng.choice(_OTHERS) + content[place[1] :]] * 4,
        ]
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store.open(f"sqlite:///{tmp_path / 'from.db'}")) as opened:
        opened.save_pair(PAIR)
        opened.save_label(record())
        campaign = make_campaign(opened, items=2)
        campaign.label(campaign.annotator("ben"), 2)
        yield opened


@pytest.fixture
def exported(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., bytes]:
    assert store
    monkeypatch.setenv("TOUCHSTONE_DATABASE_URL", f"sqlite:///{tmp_path / 'from.db'}")

    def export(*arguments: str) -> bytes:
        done(*arguments)
        return Path(arguments[-1]).read_bytes()

    return export


def refused(read: Callable[[Path], object], content: bytes, file: Path, times: int, seed: int = 0) -> int:
    """The number of damaged files that were refused; anything but a sentence is an error of the test."""
    rng, count = random.Random(seed), 0
    for _ in range(times):
        file.write_bytes(damaged(content, rng))
        try:
            read(file)
        except TouchstoneError:
            count += 1
    return count


def into_a_new_database(read: Callable[[Store, Path], object], folder: Path, file: Path) -> None:
    for old in folder.glob("into.db*"):
        old.unlink()
    shutil.copyfile(folder / "empty.db", folder / "into.db")
    with closing(Store.open(f"sqlite:///{folder / 'into.db'}")) as opened:
        before = opened.counts()
        try:
            read(opened, file)
        except TouchstoneError:
            assert opened.counts() == before
            raise


@pytest.fixture
def into(tmp_path: Path) -> Path:
    """A folder with an empty database."""
    Store.open(f"sqlite:///{tmp_path / 'empty.db'}").close()
    return tmp_path


def test_a_damaged_campaign_or_database_is_imported_or_refused(exported: Callable[..., bytes], into: Path) -> None:
    campaign = exported("export", "--campaign", "Boats", "-o", str(into / "boats.jsonl"))
    everything = exported("export", "-o", str(into / "all.jsonl"))
    read_campaign = partial(
        into_a_new_database, lambda opened, file: import_campaign(opened, campaign_lines(file), ""), into
    )
    read_all = partial(into_a_new_database, lambda opened, file: import_store(opened, store_lines(file)), into)
    assert refused(read_campaign, campaign, into / "damaged.jsonl", 60)
    assert refused(read_all, everything, into / "damaged.jsonl", 60)


def test_a_damaged_backup_is_restored_or_refused(exported: Callable[..., bytes], tmp_path: Path) -> None:
    content = exported("backup", str(tmp_path / "kept.backup"))

    def read(file: Path) -> None:
        for old in tmp_path.glob("into.db*"):
            old.unlink()
        restore(file, f"sqlite:///{tmp_path / 'into.db'}", replace=False)

    assert refused(read, content, tmp_path / "damaged.backup", 40)


def test_a_damaged_audit_or_run_is_read_or_refused(tmp_path: Path) -> None:
    audit = report_json(bundled_audits()).encode()
    assert refused(lambda file: read_report(file.read_bytes()), audit, tmp_path / "audit.json", 60)
    run = "\n".join(list(bundled_run_lines())[:200]).encode()

    def read(file: Path) -> None:
        run_from_lines(file.read_text("utf-8", "replace").split("\n"))

    assert refused(read, run, tmp_path / "run.jsonl", 60)


def test_a_damaged_trained_metric_is_read_or_refused(tmp_path: Path) -> None:
    for name in sorted(path.name for path in EMBEDDED.iterdir() if path.suffix in {".json", ".safetensors"}):
        folder = tmp_path / name
        shutil.copytree(EMBEDDED, folder)
        refused(lambda file: read_head(file.parent), (EMBEDDED / name).read_bytes(), folder / name, 60)


@pytest.mark.slow
def test_a_damaged_checkpoint_is_loaded_or_refused(weights: Weights, tiny_roberta: Path, tmp_path: Path) -> None:
    assert weights
    count = 0
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        folder = tmp_path / name
        shutil.copytree(tiny_roberta, folder)
        pool = ModelPool("cpu", 2 * 10**9, tmp_path / "cache")

        def load(file: Path, pool: ModelPool = pool) -> None:
            checkpoint = Checkpoint(str(file.parent), "sequence_classifier")
            with pool.lease(checkpoint):
                pool.unload(checkpoint)

        count += refused(load, (tiny_roberta / name).read_bytes(), folder / name, 40)
        pool.close()
    assert count
