#!/usr/bin/env python3
"""The progress bar on a real terminal: of work over two seconds, and none when piped. The schema, the model or the file
written is a FIFO that the test serves after more than two seconds, so that the work lasts as long as it has to.
Usage: progress.py <path of the program>"""
import fcntl
import os
import pty
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

PROGRAM = ""
PATIENCE = 2.8
SPHERE = ["data", "synth", "sphere", "--rows", "3000", "--features", "5", "--margin", "0.001"]
SCHEMA = '{"label": {"column": "y"}, "range": {"min": -1, "max": 1}, "data_norm": 1}'
OPEN = '{"label": {"column": "y"}}'


def drain(descriptor, into):
    while True:
        try:
            part = os.read(descriptor, 65536)
        except OSError:  # the other side of a terminal is closed
            return
        if not part:
            return
        into.append(part)


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = cls.folder.name + "/"
        subprocess.run([PROGRAM, *SPHERE, "--out", cls.path + "rows.csv"], check=True, stdout=subprocess.DEVNULL)
        for name, text in (("schema.json", SCHEMA), ("open.json", OPEN)):
            with open(cls.path + name, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([PROGRAM, "train", "--data", cls.path + "rows.csv", "--schema", cls.path + "schema.json",
                        "--method", "noiseless", "--out", cls.path + "model.json"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.train = ["--data", cls.path + "rows.csv", "--lambda", "0.01", "--method", "bolt_on", "--epsilon", "1", "--out",
                     os.devnull]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def fifo(self, name):
        path = f"{self.path}{name}.fifo"
        os.mkfifo(path)
        self.addCleanup(os.unlink, path)
        return path

    def serve(self, fifo, source, wait):
        """Gives the bytes of `source` to whoever reads the FIFO; without one, reads what is written to it."""
        def work():
            time.sleep(wait)
            if source:
                with open(source, "rb") as file, open(fifo, "wb") as out:
                    out.write(file.read())
            else:
                with open(fifo, "rb") as written:
                    while written.read(65536):
                        pass
        thread = threading.Thread(target=work)
        thread.start()
        return thread

    def run_all(self, runs, wait, terminal):
        """Standard error of every run by its name; all run at a time."""
        started = []
        for name, (arguments, fifo, source) in runs.items():
            ours, theirs = pty.openpty() if terminal else os.pipe()
            if terminal:
                attributes = termios.tcgetattr(theirs)
                attributes[1] &= ~termios.OPOST
                termios.tcsetattr(theirs, termios.TCSANOW, attributes)
            fcntl.fcntl(ours, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
            process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=theirs)
            os.close(theirs)
            seen = []
            threads = [threading.Thread(target=drain, args=(ours, seen)), self.serve(fifo, source, wait)]
            threads[0].start()
            started.append((name, process, threads, ours, seen))
        result = {}
        for name, process, threads, ours, seen in started:
            answer = process.communicate(timeout=300)[0]
            for thread in threads:
                thread.join()
            os.close(ours)
            result[name] = b"".join(seen).decode()
            self.assertEqual(process.returncode, 0, name + ": " + result[name])
            self.assertNotIn(b"\x1b", answer)
        return result

    def runs(self, *more):
        """Every verb that may take long, and what its bar says. `more` goes to trainings."""
        rows, schema, model = (self.path + name for name in ("rows.csv", "schema.json", "model.json"))
        table = {
            "train": (["train", *self.train, *more], "--schema", schema, "reading training"),
            "tune parts": (["tune", *self.train, *more, "--delta", "1e-6", "--tune-by", "parts", "--grid", "passes=1,2"],
                           "--schema", schema, "reading tuning"),
            "tune": (["tune", *self.train, *more, "--delta", "1e-6", "--grid", "passes=1,2"], "--schema", schema, "reading"),
            "pack": (["data", "pack", "--data", rows, "--out", self.path + "rows.sotto"], "--schema", schema,
                     "reading"),
            "info": (["data", "info", "--data", rows], "--schema", schema, "reading"),
            "bounds": (["data", "bounds", "--data", rows, "--epsilon", "1", "--out", self.path + "found.json"],
                       "--schema", self.path + "open.json", "reading"),
            "evaluate": (["evaluate", "--data", rows], "--model", model, "reading"),
            "predict": (["predict", "--data", rows, "--out", self.path + "predicted.csv"], "--model", model,
                        "reading"),
            "synth": (SPHERE, "--out", None, "drawing"),
        }
        made = {}
        for name, (arguments, flag, source, said) in table.items():
            fifo = self.fifo(name.replace(" ", "_"))
            made[name] = ([*arguments, flag, fifo], fifo, source), said
        return made

    def test_a_terminal_shows_a_bar_for_work_over_two_seconds(self):
        runs = self.runs()
        seen = self.run_all({name: run for name, (run, _) in runs.items()}, PATIENCE, terminal=True)
        for name, (_, said) in runs.items():
            for word in said.split():
                self.assertRegex(seen[name], word + r" \[[#.]{40}\] \d+%", name)
            self.assertRegex(seen[name], r"working, \d+ s", name)
            self.assertTrue(seen[name].endswith("\r\x1b[K"), (name, seen[name]))
        self.assertNotIn("tuning", seen["tune"])  # the number of runs is secret

    def test_nothing_is_shown_when_piped(self):
        seen = self.run_all({name: run for name, (run, _) in self.runs("--no-check").items()}, PATIENCE, terminal=False)
        self.assertEqual({name: text for name, text in seen.items() if text}, {})

    def test_predictions_on_a_terminal_are_not_disturbed(self):
        fifo = self.fifo("quiet")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "predict", "--data", self.path + "rows.csv", "--model", fifo],
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        seen = []
        threads = [threading.Thread(target=drain, args=(ours, seen)),
                   self.serve(fifo, self.path + "model.json", PATIENCE)]
        threads[0].start()
        process.wait(300)
        for thread in threads:
            thread.join()
        os.close(ours)
        text = b"".join(seen).decode()
        begin = text.index("prediction,margin")
        self.assertNotIn("\x1b", text[begin:])
        self.assertNotIn("%", text[begin:])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
