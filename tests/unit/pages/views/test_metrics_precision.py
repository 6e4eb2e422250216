"""The switch on Metrics: it sets the precision of the engine, says how to keep it, and is the operator's on a server for several."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.server import services

Open = Callable[..., AppTest]


def test_the_switch_sets_the_precision_and_says_how_to_keep_it(probe: Open) -> None:
    app = probe().switch_page("views/metrics.py").run()
    [switch] = [radio for radio in app.radio if radio.label == "Precision"]
    assert switch.value == "exact"
    assert switch.options == ["Exact (float32)", "bfloat16"], "TF32 is of NVIDIA's GPUs"
    switch.set_value("bfloat16").run()
    assert not app.exception
    assert services.engine().pool.precision == "bfloat16"
    assert any("TOUCHSTONE_PRECISION=bfloat16 keeps it" in caption.value for caption in app.caption)
    app.radio("precision").set_value("exact").run()
    assert services.engine().pool.precision == "exact"
    assert not any("TOUCHSTONE_PRECISION" in caption.value for caption in app.caption)
