"""Files that take their name once they are whole."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.errors import TouchstoneError

_PART = ".part"


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """A new file, which takes the place of `path` when the block ends; one that is interrupted stays beside it as NAME.part.

    A device or a pipe is written as it is. Raises TouchstoneError where the file cannot be opened or finished.
    """
    place = path.resolve()  # a link goes on leading there
    # by its own name, as /dev/stdout and /dev/fd/63 resolve to the name of a pipe, which nothing opens
    is_direct = path.exists() and not (path.is_file() and os.access(place.parent, os.W_OK))
    part = path if is_direct else place.with_name(place.name + _PART)
    try:
        if path.exists() and not os.access(path, os.W_OK):  # it could be replaced, which its rights are to prevent
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        file = part.open("wb")
        if not is_direct and place.exists():
            shutil.copymode(place, part)  # before there is content, which others may not be allowed to read
    except OSError as error:
        raise _unwritable(path, error) from error
    with file:
        yield file
        if is_direct:
            return
        try:
            file.flush()
            os.fsync(file.fileno())
            part.replace(place)
        except OSError as error:
            raise _unwritable(path, error) from error


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, all of it or nothing. Raises TouchstoneError where it cannot be written."""
    try:
        with open_whole(path) as file:
            file.write(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> TouchstoneError:
    return TouchstoneError(f"{path} cannot be written: {error.strerror or error}. Name another file.")
