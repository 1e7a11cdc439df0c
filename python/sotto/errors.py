"""The exceptions of the package: one class a kind of error of the library."""

from __future__ import annotations


class Error(Exception):
    """What the library refuses. ``field`` names the parameter at fault in its one spelling, or is empty.

    ``filters`` are the filters of a ledger that would take a request which this one has no price for.
    """

    field: str = ""
    filters: tuple[str, ...] | list[str] = ()


class InvalidArgument(Error, ValueError):
    """A parameter that makes no sense, or not together with the others."""


class InvalidData(Error, ValueError):
    """Data or a file that is not what it should be."""


class BudgetExceeded(Error, RuntimeError):
    """A ledger does not have what the request costs; nothing was charged."""


class Unsupported(Error, ValueError):
    """Something no theorem of the chosen method covers."""


class StorageError(Error, OSError):
    """A file that cannot be read or written."""


class InternalError(Error, RuntimeError):
    """A check of the library on itself failed."""


class PromiseWarning(UserWarning):
    """The card promises something else than was asked for; its remarks say why."""


class NotPrivateWarning(UserWarning):
    """The model that was made is stamped *not private*; its card says why."""
