"""Released files are downloaded where their licence is stated, are what their commit has, and are kept nowhere else."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.assessment.papers import released_files as released
from core.assessment.papers.paper import PAPERS, DataFile
from core.data.dataset import DATASETS
from core.errors import TouchstoneError
from tests.doubles.released import DATA
from tests.unit.command_line import run

TEXT = '{"rows": []}\n'
COMMIT = "0123456789abcdef0123456789abcdef01234567"
OWN = DataFile("bump", "own/a.json", "copy a.json")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder behind HTTP in place of GitHub, and a list of two files that it should have."""
    folder = tmp_path / "host" / "owner" / "name" / COMMIT
    folder.mkdir(parents=True)
    for name in ("a.json", "b c.json"):
        (folder / name).write_text(TEXT)
    listed = tmp_path / "listed.toml"
    listed.write_text(
        f'[[repository]]\nname = "owner/name"\ncommit = "{COMMIT}"\nlicence = "MIT"\n'
        + "".join(
            f'[[repository.file]]\nneed = "own/a.json"\nplace = "own/{name}"\npath = "{name}"\nbytes = {len(TEXT)}\n'
            f'sha256 = "{hashlib.sha256(TEXT.encode()).hexdigest()}"\n'
            for name in ("a.json", "b c.json")
        )
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "host")))
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
    thread.start()
    monkeypatch.setattr(released, "GITHUB", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr(released, "_FILE", listed)
    released.released_files.cache_clear()
    yield folder
    server.shutdown()
    thread.join()
    server.server_close()
    released.released_files.cache_clear()


@pytest.mark.slow
def test_every_part_of_a_file_is_brought_once(served: Path, tmp_path: Path) -> None:
    sentences = list(released.fetch_released([OWN], tmp_path))
    assert [sentence.partition(":")[0] for sentence in sentences] == ["own/a.json", "own/b c.json"]
    assert all("from owner/name (MIT)" in sentence for sentence in sentences)
    assert (tmp_path / "own" / "b c.json").read_text() == TEXT
    (served / "a.json").unlink()
    assert list(released.fetch_released([OWN], tmp_path)) == []


@pytest.mark.parametrize("sent", ["", TEXT.replace("rows", "sows"), TEXT * 9, None])
def test_what_is_not_the_file_of_its_commit_is_not_kept_and_the_others_are(
    served: Path, tmp_path: Path, sent: str | None
) -> None:
    (served / "a.json").unlink() if sent is None else (served / "a.json").write_text(sent)
    first, second = released.fetch_released([OWN], tmp_path)
    assert "own/a.json could not be had" in first
    assert "Copy it by hand from http://127.0.0.1" in first
    assert "own/b c.json: 13 bytes" in second
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["b c.json"]


def test_a_file_that_cannot_be_written_leaves_nothing_half_done(served: Path, tmp_path: Path) -> None:
    assert served.is_dir()
    (tmp_path / "own" / "a.json").mkdir(parents=True)  # another thing in its place
    part = released.released_files()[0]
    assert "could not be had" in released._fetch_part(part, tmp_path)
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["a.json"]


def test_a_folder_that_is_not_there_is_named(served: Path, tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match="There is no folder"):
        list(released.fetch_released([OWN], served / "nowhere"))
    asked = run("reproduce", "bump", "--fetch", "--data", str(tmp_path / "nowhere"), "-o", str(tmp_path))
    assert "There is no folder" in str(asked.exception)


def test_what_is_listed_is_data_of_a_paper_whose_licence_is_stated() -> None:
    wanted = {file.place: file for name in PAPERS.names() for file in PAPERS.get(name)().data}
    for file in released.released_files():
        licence = DATASETS.get(wanted[file.need].importer).licence
        assert file.licence in licence, file.place
        assert file.url.startswith(f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/")
    assert not released.can_be_fetched(
        DataFile("referencematters", "ramprasad/Refmatters", "copy it")
    )  # no licence is stated
    assert released.can_be_fetched(wanted["lexabsumm"])


def test_the_files_at_hand_are_those_of_the_list() -> None:
    whole = [
        file for file in released.released_files() if file.need != "frank_valid"
    ]  # of which the valid split is here
    here = [file for file in whole if (DATA / file.place).exists()]
    if not here:
        pytest.skip("Released files are missing: python cli.py reproduce all --fetch brings them")
    for file in here:
        assert hashlib.sha256((DATA / file.place).read_bytes()).hexdigest() == file.sha256, file.place
