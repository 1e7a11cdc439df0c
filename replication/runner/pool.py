"""Runs what the cache does not hold, several at a time, and says how far it is."""
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed


def clock(seconds):
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Progress:
    """Remaining time: jobs of a kind (data and method) are taken to last as long as those of it that are done."""

    def __init__(self, tasks, workers, out=sys.stderr):
        self.out, self.workers = out, workers
        self.left, self.spent, self.done_of = {}, {}, {}
        for task in tasks:
            self.left[task.kind] = self.left.get(task.kind, 0) + 1
        self.total, self.done, self.began, self.said = len(tasks), 0, time.monotonic(), 0.0
        self.every = 0.5 if out.isatty() else 15.0

    def finished(self, task, seconds):
        self.done += 1
        self.left[task.kind] -= 1
        self.spent[task.kind] = self.spent.get(task.kind, 0.0) + seconds
        self.done_of[task.kind] = self.done_of.get(task.kind, 0) + 1
        now = time.monotonic()
        if now - self.said < self.every and self.done < self.total:
            return
        self.said = now
        line = f"{self.done}/{self.total} trainings, {clock(now - self.began)} gone, about {clock(self.remaining())} left"
        self.out.write(f"\r{line}   " + ("\n" if self.done == self.total else "") if self.out.isatty() else line + "\n")
        self.out.flush()

    def remaining(self):
        overall = sum(self.spent.values()) / max(1, sum(self.done_of.values()))
        seconds = 0.0
        for kind, count in self.left.items():
            seconds += count * (self.spent[kind] / self.done_of[kind] if kind in self.done_of else overall)
        return seconds / self.workers


class Task:
    """A job with its key; `exclusive` ones run alone, after the others."""

    def __init__(self, key, what, kind="", exclusive=False):
        self.key, self.what, self.kind, self.exclusive = key, what, kind, exclusive


def run_missing(tasks, cache, work, workers=2, out=sys.stderr):
    """Every task's result by key. `work(what)` computes one; what it raises is collected, the others go on."""
    results, missing = {}, {}
    for task in tasks:
        if task.key in results or task.key in missing:
            continue
        found = cache.get(task.key)
        if found is None:
            missing[task.key] = task
        else:
            results[task.key] = found
    if results:
        out.write(f"{len(results)} trainings are in the cache, {len(missing)} to run\n")
    progress, lock, errors = Progress(missing.values(), workers, out), threading.Lock(), []

    def one(task):
        began = time.monotonic()
        try:
            result = work(task.what)
            cache.put(task.key, result)
        except Exception as error:  # reported at the end with the job it belongs to
            with lock:
                errors.append((task, error))
                progress.finished(task, time.monotonic() - began)
            return
        with lock:
            results[task.key] = result
            progress.finished(task, time.monotonic() - began)

    with ThreadPoolExecutor(workers) as threads:
        for future in as_completed([threads.submit(one, t) for t in missing.values() if not t.exclusive]):
            future.result()
    for task in missing.values():
        if task.exclusive:
            one(task)
    return results, errors
