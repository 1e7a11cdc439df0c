"""Headless Chromium over its debugging pipe; nothing but the standard library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_SECONDS = 240


def find():
    """The path of the browser, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    """One browser with one tab. Use as a context manager."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command_read, self.command = os.pipe()
        self.answer, answer_write = os.pipe()

        def connect():
            # The browser expects its pipe at 3 and 4; whatever is there now is moved away first.
            first, second = os.dup(command_read), os.dup(answer_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.command)
        os.close(self.answer)
        self.folder.cleanup()

    def receive(self):
        limit = time.monotonic() + PATIENCE_SECONDS
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answer], [], [], max(0, limit - time.monotonic()))
            chunk = os.read(self.answer, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("the browser does not answer")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def look(self, width, dark=False, media=""):
        """How wide the window is, and which colours its owner prefers."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def open(self, path):
        """Loads a file and returns what went wrong: console errors, exceptions, requests that leave the file."""
        self.events = []
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return [problem for problem in map(self.problem, self.events) if problem]

    @staticmethod
    def problem(event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            return "exception: " + parameters["exceptionDetails"]["text"]
        if method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            return "log: " + parameters["entry"]["text"]
        if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            return "console: " + str(parameters["args"])
        if method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file:", "data:")):
            return "request: " + parameters["request"]["url"]
        return None

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    KEY_CODES = {"Tab": 9, "Escape": 27, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=self.KEY_CODES[name])

    def hover(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path, whole=True):
        image = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            image = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=False)["data"])
