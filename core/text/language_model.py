"""py3langid's model of languages with its tables in a file: the system keeps the pages that texts reach, and may drop them."""

from __future__ import annotations

import lzma
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import numpy as np
from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier


def load_language_model() -> LanguageIdentifier:
    """The identifier of py3langid, with probabilities.

    Its own loader has 70 MB of tables in memory, and 100 while it reads them. Every verdict is the same.
    """
    # mapped files need no name; Windows keeps those that are open until they are cleaned up by hand
    with TemporaryDirectory(prefix="touchstone-languages-", ignore_cleanup_errors=True) as name:
        folder, archive = Path(name), Path(name, "model.npz")
        with lzma.open(MODEL_DIR / MODEL_FILE) as packed, archive.open("wb") as unpacked:
            shutil.copyfileobj(packed, unpacked, 1 << 20)
        with ZipFile(archive) as arrays:
            arrays.extractall(folder)
        tables = {path.stem: np.load(path, mmap_mode="r") for path in folder.glob("*.npy")}
    return LanguageIdentifier(
        np.asarray(tables["ptc"]),
        np.array(tables["pc"]),
        tables["classes"].tolist(),
        memoryview(tables["nextmove"]),
        tables["out_feat"].tolist(),
        norm_probs=True,
        tk_row=memoryview(tables["nextmove_row"]),
    )
