"""Pins the images of Dockerfile and compose.yaml by the digests that their registry gives today: python .ci/image_digests.py

It needs docker with buildx and the network. A tag that is pinned already gets the digest of today.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_IMAGE = re.compile(r"(?m)^(ARG BASE=| +image: )([\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?$")


def pinned(text: str, digest_of: Callable[[str], str]) -> str:
    """The text of a Dockerfile or of a file of compose with each image by tag and digest."""
    return _IMAGE.sub(lambda image: f"{image[1]}{image[2]}@{digest_of(image[2])}", text)


def _digest(image: str) -> str:
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    for name in ("Dockerfile", "compose.yaml"):
        file = _ROOT / name
        file.write_text(pinned(file.read_text(encoding="utf-8"), _digest), encoding="utf-8")


if __name__ == "__main__":
    main()
