"""A progress bar for long fits."""

from __future__ import annotations

from types import TracebackType
from typing import Any


class Progress:
    """Shows the fraction of the work done: by tqdm if it is installed. Silent unless asked for."""

    def __init__(self, verbose: int | bool) -> None:
        self._bar: Any = None
        self._verbose = bool(verbose)

    def __enter__(self) -> "Progress":
        if self._verbose:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self._bar = tqdm(total=1.0, desc="training", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        return self

    @property
    def tell(self) -> Any:
        return self._update if self._bar is not None else None

    def _update(self, fraction: float) -> None:
        self._bar.n = min(1.0, fraction)
        self._bar.refresh()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            if kind is None:
                self._update(1.0)
            self._bar.close()
