"""A zip archive whose bytes follow from its files alone."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that an archive knows, so that equal files are equal bytes


def zip_files(files: Mapping[str, str | bytes]) -> bytes:
    """The archive of files by their path in it, in their order."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            opened.writestr(member, content)
    return archive.getvalue()
