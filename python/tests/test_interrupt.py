"""Ctrl-C, threads and forks, seen from outside: each case is a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from conftest import encoding_of, sphere
from sotto import LogisticRegression

LONG = """
    import sys, time, numpy as np
    from sotto import Ledger, LogisticRegression
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 50)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression(epsilon=1.0, delta=1e-8, data_norm=10.0, alpha=1e-3, method="scs13", max_iter=300,
                               accountant=sys.argv[1])
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        print([entry["state"] for entry in Ledger(sys.argv[1]).entries], Ledger(sys.argv[1]).spent > 0, flush=True)
"""


def test_an_interrupt_ends_the_fit_and_the_charge_stands(tmp_path):
    from sotto import Ledger

    ledger = Ledger.create(tmp_path / "l", epsilon=10.0, delta=1e-3, name="interrupted")
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(LONG), ledger.path], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        for _ in range(3000):  # until the charge is there, the rows are being read
            if ledger.entries:
                break
            threading.Event().wait(0.1)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=600)
    assert said == "interrupted\n['reserved'] True\n"
    assert process.returncode == 0  # work that was left does not disturb the end of the process


READING = """
    import os, signal, sys, threading, numpy as np
    from sotto import _core
    from sotto._encoding import Encoding, plain_names
    X = np.ones((3_000_000, 8)); codes = np.zeros(len(X), dtype=np.int32)
    work = {"dense_rows": lambda: _core.dense_rows(X, codes, Encoding.of_array(plain_names(8), 1.0, 1.0, ["0", "1"]).core),
            "fingerprint_dense": lambda: _core.fingerprint_dense(X, codes, ["0", "1"])}[sys.argv[1]]
    inside = threading.Event()
    def interrupt():
        inside.wait()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
    try:
        inside.set()
        while True:
            work()
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("what", ["dense_rows", "fingerprint_dense"])
def test_an_interrupt_while_rows_are_read_leaves_cleanly(what):
    said = subprocess.run([sys.executable, "-c", textwrap.dedent(READING), what], capture_output=True, text=True, timeout=600)
    assert said.stdout == "interrupted\n" and said.returncode == 0, said.stderr


def test_other_threads_of_python_run_during_a_fit():
    """With the interpreter's lock held, whoever sleeps would wake after the fit: at most once during it."""
    X, y = sphere(60_000, 20)
    model = LogisticRegression(epsilon=1.0, data_norm=1.0, alpha=1e-3, method="bolt_on", max_iter=60)
    from sotto import _core

    train, inside = _core.train, threading.Event()

    def watched(*arguments):
        inside.set()
        try:
            return train(*arguments)
        finally:
            inside.clear()

    awake = 0
    _core.train = watched
    try:
        fit = threading.Thread(target=model.fit, args=(X, y))
        fit.start()
        inside.wait()
        while fit.is_alive():
            threading.Event().wait(0.001)
            awake += inside.is_set()
    finally:
        _core.train = train
    assert awake > 5


def test_a_process_forked_during_a_fit_trains_and_ends():
    code = """
        import os, sys, threading, numpy as np
        from sotto import LogisticRegression
        X = np.eye(4, dtype=np.float32).repeat(50_000, axis=0); y = np.arange(len(X)) % 2
        def fit(passes): return LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=1e-3, max_iter=passes).fit(X, y)
        busy = threading.Thread(target=fit, args=(100,))
        busy.start()
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                fit(1)
                sys.exit(0)  # as any script ends, with what is registered for the end
            children.append(child)
        print([os.waitpid(child, 0)[1] for child in children])
        busy.join()
    """
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=600)
    assert said.stdout == "[0, 0, 0]\n", said.stderr


def test_threads_train_side_by_side(two):
    X, y = two
    done: list[float] = []

    def work() -> None:
        done.append(LogisticRegression(epsilon=5.0, data_norm=1.0).fit(X, y).score(X, y))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4


def test_two_fits_of_one_object_leave_the_card_of_the_weights(two, monkeypatch):
    """The first fit waits with its weights in hand until the second is done."""
    from sotto._encoding import Encoding

    model = LogisticRegression(epsilon=50.0, data_norm=1.0)
    waits, go_on = threading.Event(), threading.Event()
    plain = Encoding.plain_weights

    def slow(self, weights):
        if threading.current_thread() is first:
            waits.set()
            go_on.wait(60)
        return plain(self, weights)

    monkeypatch.setattr(Encoding, "plain_weights", slow)
    first = threading.Thread(target=lambda: model.fit(*two))
    first.start()
    assert waits.wait(60)
    model.set_params(epsilon=0.1).fit(*two)
    go_on.set()
    first.join()
    assert np.array_equal(model.coef_, model.encoding_.plain_weights(model.model_.weights())[0])
    assert dict(model.privacy_) == json.loads(model.model_.card_json())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_forked_by_a_signal_handler_does_not_wait_for_ever():
    code = """
        import os, signal, numpy as np
        from sotto import LogisticRegression, Unsupported, _core
        X = np.eye(4, dtype=np.float32).repeat(50_000, axis=0); y = np.arange(len(X)) % 2
        children = []
        signal.signal(signal.SIGALRM, lambda *_: children.append(os.fork()))
        train = _core.train
        _core.train = lambda *given: (signal.setitimer(signal.ITIMER_REAL, 0.02), train(*given))[1]
        try:
            LogisticRegression(epsilon=1.0, data_norm=1.0, method="bolt_on", alpha=1e-3, max_iter=300).fit(X, y)
        except Unsupported:
            os._exit(7)  # the child
        print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
    """
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=600)
    assert said.stdout == "[7]\n", said.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_draws_other_noise():
    code = """
        import os, sys, numpy as np
        from sotto import LogisticRegression
        X = np.eye(4, dtype=np.float32).repeat(500, axis=0); y = np.arange(2000) % 2
        fit = lambda: LogisticRegression(epsilon=1.0, data_norm=1.0, random_state=0).fit(X, y).coef_.tobytes().hex()
        fit()
        end, start = os.pipe()
        if os.fork() == 0:
            os.write(start, fit().encode()); os._exit(0)
        mine = fit(); os.close(start); child = b""
        while piece := os.read(end, 4096): child += piece
        os.wait()
        print(len(child) == len(mine), child.decode() == mine)
    """
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=600)
    assert said.stdout == "True False\n", said.stderr


def test_progress_is_told_in_order():
    X, y = sphere(20_000, 10)
    from sotto import _core
    from sotto._inputs import rows_of

    rows = rows_of(X, y.astype(np.int32), encoding_of(X.shape[1], 1.0))
    seen: list[float] = []
    options = _core.RunOptions()
    _core.train(rows, {"method": "bolt_on", "epsilon": "1", "passes": "20"}, options, seen.append)
    assert seen and seen == sorted(seen) and 0 <= seen[0] and seen[-1] <= 1

    def stop(fraction: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _core.train(rows, {"method": "bolt_on", "epsilon": "1"}, options, stop)


def test_a_progress_bar_is_shown_when_asked_for(two, capsys):
    pytest.importorskip("tqdm")
    X, y = two
    LogisticRegression(epsilon=1.0, data_norm=1.0, verbose=1).fit(X, y)
    shown = capsys.readouterr().err
    assert "training" in shown and "100%" in shown.split("\r")[-1]
    LogisticRegression(epsilon=1.0, data_norm=1.0).fit(X, y)
    assert capsys.readouterr().err == ""


def test_a_progress_bar_of_a_fit_that_fails_is_closed_where_it_was(two, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    from sotto import _core

    def fail(rows, fields, options, progress):
        progress(0.25)
        raise RuntimeError("enough")

    monkeypatch.setattr(_core, "train", fail)
    with pytest.raises(RuntimeError, match="enough"):
        LogisticRegression(epsilon=1.0, data_norm=1.0, verbose=1).fit(*two)
    assert "25%" in capsys.readouterr().err.split("\r")[-1]


def test_without_tqdm_a_fit_is_silent(two, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    LogisticRegression(epsilon=1.0, data_norm=1.0, verbose=1).fit(*two)
    assert capsys.readouterr().err == ""
