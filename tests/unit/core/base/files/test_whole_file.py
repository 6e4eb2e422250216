"""Files that are whole or not there: replaced at the end, kept as NAME.part where they are interrupted."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from core.base.files.whole_file import open_whole, write_whole
from core.errors import TouchstoneError


def test_an_interrupted_file_leaves_the_one_before_it_and_what_was_written_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "scores.jsonl"
    file.write_text("before")

    def write_half() -> None:
        with open_whole(file) as opened:
            opened.write(b"half")
            opened.flush()
            assert file.read_text() == "before"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert (file.read_text(), (tmp_path / "scores.jsonl.part").read_text()) == ("before", "half")
    write_whole(file, "after")
    assert (file.read_text(), os.listdir(tmp_path)) == ("after", ["scores.jsonl"])


def test_a_link_and_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "real.txt", tmp_path / "link.txt"
    file.write_text("before")
    file.chmod(0o600)
    link.symlink_to(file)
    with open_whole(link) as opened:
        assert (tmp_path / "real.txt.part").stat().st_mode & 0o777 == 0o600
        opened.write(b"after")
    assert (link.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (True, "after", 0o600)


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe, had = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: had.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "scores")
    reader.join()
    assert (had, os.listdir(tmp_path)) == ([b"scores"], ["pipe"])


def test_a_file_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(TouchstoneError, match=r"nowhere/x\.csv cannot be written: No such file or directory\. Name"):
        write_whole(tmp_path / "nowhere" / "x.csv", "1")
    with pytest.raises(TouchstoneError, match=r"cannot be written: Is a directory"):
        write_whole(tmp_path, "1")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="names of open pipes are of Unix")
def test_a_pipe_that_has_a_number_for_a_name_is_written() -> None:
    reading, writing = os.pipe()  # as `-o /dev/stdout | head` and `-o >(gzip > file)` give one
    write_whole(Path(f"/dev/fd/{writing}"), "scores")
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "scores"
