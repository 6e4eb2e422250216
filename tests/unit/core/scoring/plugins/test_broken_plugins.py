"""Plug-ins that are broken in every way we could think of: each says so in a sentence, and the metric beside it goes on scoring."""

from __future__ import annotations

import re
import socket

import pytest

from core.errors import PluginError, Problem
from core.scoring.engine.engine import Engine
from core.scoring.metric import METRICS
from core.scoring.plugins.processes.loading import load_plugin
from core.scoring.plugins.processes.process import PluginLimits, PluginProcess
from core.settings import Settings
from core.types import Example, Failure, FailureKind, Result
from tests.unit.core.scoring.plugins.conftest import WriteFile

PAIR = Example("pair", "It rained in York.", "It snowed in York.")
GOOD = METRICS.parse("rouge2")
ONE = "@ts.metric\ndef mine(document, summary):\n    "

DO_NOT_LOAD = {
    "a package that is not installed": ("import no_such_package", r"ModuleNotFoundError: .*no_such_package.*Install that"),
    "a syntax error": ("def mine(:", r"SyntaxError: .*\(mine\.py, line 3\)\.$"),
    "no metric": ("x = 1", r"declares no metric. Put @touchstone\.metric"),
    "an exception": ("x = 1\ny = 1 / 0", r"ZeroDivisionError: division by zero \(mine\.py, line 4\)\.$"),
    "an exit while it loads": ("raise SystemExit(3)", r"SystemExit: 3 \(mine\.py, line 3\)\.$"),
    "the end of its process while it loads": ("import os\nos._exit(7)", r"ended with exit status 7"),
    "an interrupt": ("raise KeyboardInterrupt", r"KeyboardInterrupt \(mine\.py"),
    "four texts": ("@ts.metric\ndef mine(a, b, c, d): ...", r"TypeError: mine takes \(a, b, c, d\)\. A metric takes"),
    "arguments without end": ("@ts.metric\ndef mine(*texts): ...", r"takes \(\*texts\)"),
    "a setting without a default": ("@ts.metric\ndef mine(document, summary, *, k): ...", r"setting k of mine has no"),
    "a setting that is a list": ("@ts.metric\ndef mine(document, summary, *, k=[1]): ...", r"setting k of mine has no"),
    "an empty range": ("@ts.metric(low=1, high=0)\ndef mine(a, b): ...", r"range from 1 to 0 is empty"),
    "a bound that is a text": ("@ts.metric(low='0')\ndef mine(a, b): ...", r"bound is a number or None; got '0'"),
    "no such direction": ("@ts.metric(direction='up')\ndef mine(a, b): ...", r"one of higher, lower, neutral; got 'up'"),
    "a name with a blank": ("@ts.metric(name='My metric')\ndef mine(a, b): ...", r"'My metric' cannot be typed"),
    "an argument that does not exist": ("@ts.metric(colour='red')\ndef mine(a, b): ...", r"TypeError: .*colour"),
    "an address while it loads": (
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9')",
        r"URLError: It asked for 127\.0\.0\.1 and has no permission for the network\. Give network=True to @touchstone\.metric",
    ),
    "too much memory while it loads": ("x = bytearray(2**31)", r"MemoryError: it needs more memory than TOUCHSTONE_PLUGIN"),
    "a word in the connection of its process": (
        "import os\nfor number in range(3, 4096):\n    try: os.write(number, b'x' * 100)\n    except OSError: pass",
        r"wrote into the connection of its process",
    ),
    "bytes that are no text": ("\udcff", r"cannot be read"),
}  # fmt: skip

DO_NOT_SCORE = {
    "no value": ("return None", r"^It returned None\. A metric returns a number"),
    "a text": ("return '0.5'", r"^It returned str '0\.5'\."),
    "a list": ("return [0.5]", r"^It returned list \[0\.5\]"),
    "not a number": ("return float('nan')", r"^It returned nan\. Raise an exception"),
    "an infinite number": ("return float('inf')", r"^It returned inf\."),
    "a number outside its range": ("return 7", r"^It returned 7, outside its range from 0 to 1\. Give low and high"),
    "an exception": ("return 1 / 0", r"^ZeroDivisionError: division by zero \(mine\.py, line 5\)\.$"),
    "an exit": ("raise SystemExit('bye')", r"^SystemExit: bye \(mine\.py"),
    "an interrupt": ("raise KeyboardInterrupt", r"^KeyboardInterrupt \(mine\.py"),
    "an exception that is no Exception": ("raise type('Odd', (BaseException,), {})('odd')", r"^Odd: odd \(mine\.py"),
    "endless recursion": ("return mine(document, summary)", r"^RecursionError: "),
    "an exception without end": ("raise ValueError('x' * 10**6)", r"^ValueError: x{400,500} \(mine"),
    "the end of its process": ("import os; print('last words'); os._exit(5)", r"ended with exit status 5.*last words$"),
    "a signal": ("import os; os.kill(os.getpid(), 11)", r"ended by SIGSEGV"),
    "too much memory": ("return len(bytearray(2**31))", r"^MemoryError: it needs more memory than"),
    "an address without permission": (
        "import socket; socket.socket().connect(('127.0.0.1', 9))",
        r"^PermissionError: It asked for 127\.0\.0\.1:9 and has no permission for the network\. Give network=True",
    ),
    "an error of a library about its connection": (
        "import socket\n    try: socket.getaddrinfo('a.example', 80)\n    except OSError: raise RuntimeError('Connection error.')",
        r"^RuntimeError: It asked for a\.example and has no permission",
    ),
    "a change of its input": ("summary.text = 'x'; return 1", r"^AttributeError: .*str.* \(mine\.py"),
    "a sentence that is not there": (
        "return ts.Score(1, (ts.Part(ts.Span(0, 99), 1),))",
        r"^It returned a sentence at 0–99 of a summary of 18 characters\.$",
    ),
    "a sentence outside its range": ("return ts.Score(1, (ts.Part(ts.Span(0, 2), 3),))", r"^It returned 3 for a sentence, outside"),
    "evidence that is not there": (
        "return ts.Score(1, (ts.Part(ts.Span(0, 2), 1, ts.Span(0, 99)),))",
        r"^It returned evidence at 0–99",
    ),
    "a score that holds a text": ("return ts.Score('high')", r"^It returned str 'high'\."),
    "a reason of its own": ("raise ts.UnscorableError('The summary has no verb.')", r"^UnscorableError: The summary has no verb \(mine"),
}  # fmt: skip


@pytest.mark.parametrize("case", DO_NOT_LOAD)
def test_what_does_not_load_says_why(case: str, write: WriteFile) -> None:
    source, sentence = DO_NOT_LOAD[case]
    file = write(source.replace("\udcff", ""))
    if "\udcff" in source:
        with open(file, "wb") as raw:
            raw.write(b"\xff\xfe")
    with pytest.raises(PluginError, match=sentence):
        load_plugin(file, Settings.read())


# the others go wrong in the same few ways
GO_WRONG_IN_THEIR_OWN_WAY = {
    "a change of its input",
    "a sentence that is not there",
    "an address without permission",
    "an exception",
    "an exception without end",
    "endless recursion",
    "the end of its process",
    "too much memory",
}


@pytest.mark.parametrize(
    "case",
    [
        case if case in GO_WRONG_IN_THEIR_OWN_WAY else pytest.param(case, marks=pytest.mark.slow)
        for case in DO_NOT_SCORE
    ],
)
def test_what_gives_no_score_says_why_and_the_others_go_on(case: str, write: WriteFile, engine: Engine) -> None:
    body, sentence = DO_NOT_SCORE[case]
    [mine] = load_plugin(write(ONE + body), Settings.read()).metrics
    [(_, broken), (_, good)] = engine.run([mine(), GOOD], [PAIR])
    assert isinstance(broken, Failure), broken
    assert re.search(sentence, broken.error), broken.error
    assert isinstance(good, Result)


REACH = """
@ts.metric(network=True)
def permitted(document, summary):
    socket.create_connection(("127.0.0.1", {port})).close()
    return 1

@ts.metric
def refused(document, summary):
    return permitted(document, summary)

@ts.metric
def of_this_machine(document, summary):
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        one.bind(folder + "/socket")
        one.listen()
        other.connect(folder + "/socket")
    return 1
"""


def test_only_a_function_with_permission_reaches_an_address_and_a_socket_of_this_machine_is_none(
    write: WriteFile, engine: Engine
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        file = write("import socket, tempfile\n" + REACH.format(port=server.getsockname()[1]))
        loaded = load_plugin(file, Settings.read())
        outcomes = [outcome for _, outcome in engine.run([metric() for metric in loaded.metrics], [PAIR])]
    assert [isinstance(outcome, Result) for outcome in outcomes] == [True, False, True], outcomes
    assert loaded.metrics[0].card.measures == "It may reach the network."


def test_a_score_that_hides_a_refused_address_is_remarked_on(write: WriteFile) -> None:
    body = "import socket\n    try: socket.getaddrinfo('a.example', 80)\n    except OSError: return len(summary) / 1000"
    loaded = load_plugin(write(ONE + body), Settings.read())
    assert [remark.split(" Give")[0] for remark in loaded.remarks["mine"][-1:]] == [
        "It asked for a.example and has no permission for the network."
    ]


def test_a_function_without_end_is_stopped_and_the_next_text_is_scored(
    write: WriteFile, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOUCHSTONE_PLUGIN_TIMEOUT_S", "1")
    body = "while 'snowed' in summary: pass\n    return 1"
    [mine] = load_plugin(write(ONE + body), Settings.read()).metrics
    rained = Example("rained", PAIR.document, "It rained in York.")
    [(_, stopped), (_, scored)] = engine.run([mine()], [PAIR, rained])
    assert isinstance(stopped, Failure)
    assert "gave no answer within 1 s, and its process was ended." in stopped.error
    assert isinstance(scored, Result)


@pytest.mark.slow
def test_a_file_without_end_is_stopped(write: WriteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PLUGIN_LOAD_TIMEOUT_S", "0.5")
    with pytest.raises(PluginError, match=r"within 0\.5 s.*raise TOUCHSTONE_PLUGIN_LOAD_TIMEOUT_S"):
        load_plugin(write("while True: pass"), Settings.read())


@pytest.mark.slow
def test_a_megabyte_of_output_stops_nothing(write: WriteFile, engine: Engine) -> None:
    [mine] = load_plugin(write(ONE + "print('x' * 2**20); return 1"), Settings.read()).metrics
    [(_, outcome)] = engine.run([mine()], [PAIR])
    assert isinstance(outcome, Result)


@pytest.mark.slow
def test_what_writes_into_the_connection_of_its_process_is_stopped(write: WriteFile, engine: Engine) -> None:
    body = """
    import os
    if "snowed" in summary:
        for number in range(3, 4096):  # that of the connection is the one it had in this process
            try: os.write(number, b"x" * 100)
            except OSError: pass
    return 1"""
    [mine] = load_plugin(write(ONE + body), Settings.read()).metrics
    rained = Example("rained", PAIR.document, "It rained in York.")
    [(_, broken), (_, scored)] = engine.run([mine()], [PAIR, rained])
    assert isinstance(broken, Failure)
    assert "wrote into the connection" in broken.error
    assert isinstance(scored, Result)


BATCH = "@ts.metric\ndef mine(examples):\n    "


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return [1]", "It returned 1 scores for 2 examples. Return one for each, in order."),
        ("return 0.5", "It returned float for a list of 2 examples. Return a list of scores."),
        ("return None", "It returned NoneType for a list of 2 examples. Return a list of scores."),
        ("examples.clear(); return examples", "It returned 0 scores for 2 examples. Return one for each, in order."),
    ],
)
def test_a_batch_of_another_length_is_refused_for_every_text(body: str, sentence: str, write: WriteFile) -> None:
    process = PluginProcess(write(BATCH + body), PluginLimits.of(Settings.read()))
    try:
        problems = process.ask("mine", (), [PAIR, PAIR])
    finally:
        process.end()
    assert problems == [Problem(FailureKind.ERROR, sentence)] * 2


def test_one_text_that_spoils_a_batch_fails_alone(write: WriteFile, engine: Engine) -> None:
    body = "assert not any('snowed' in one.summary for one in examples), 'snow'; return [1 for _ in examples]"
    [mine] = load_plugin(write(BATCH + body), Settings.read()).metrics
    texts = [Example(f"{number}", PAIR.document, f"It rained {number} times.") for number in range(5)]
    outcomes = [outcome for _, outcome in engine.run([mine()], [*texts[:2], PAIR, *texts[2:]])]
    assert [isinstance(one, Failure) for one in outcomes] == [False, False, True, False, False, False]
    assert "AssertionError: snow (mine.py, line 5)." in outcomes[2].error  # type: ignore[union-attr]  # a Failure, as above


def test_a_metric_may_not_change_the_examples_of_a_batch(write: WriteFile, engine: Engine) -> None:
    [mine] = load_plugin(write(BATCH + "examples[0].summary = ''; return [1] * len(examples)"), Settings.read()).metrics
    [(_, outcome)] = engine.run([mine()], [PAIR])
    assert isinstance(outcome, Failure)
    assert "FrozenInstanceError" in outcome.error
