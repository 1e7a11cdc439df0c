"""The exceptions of the package: one class a kind of error of the library."""

from __future__ import annotations

from typing import NamedTuple


class Hint(NamedTuple):
    """What would help: a kind, and what it is about."""

    kind: str = "none"
    arguments: tuple[str, ...] = ()


class Error(Exception):
    """What the library refuses. ``field`` names the parameter at fault in its one spelling, or is empty.

    ``hint`` is what would help; the text of the error has it in words.
    """

    field: str = ""
    hint: Hint = Hint()
    #: What the caller calls the fields.
    names: dict[str, str] = {}
    remark: str = ""
    #: What was found in the rows, for those who may read them; not for release. Empty for most errors.
    table: str = ""

    def __str__(self) -> str:
        from ._hints import WORDS

        text, start = super().__str__(), f"{self.field}: "
        if self.field in self.names and text.startswith(start):
            text = f"{self.names[self.field]}: {text[len(start):]}"
        words = "; ".join(part for part in (text, WORDS[self.hint.kind](self), self.remark) if part)
        return f"{words}\n{self.table}" if self.table else words


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


class PrivacyWarning(UserWarning):
    """Something about a promise that its reader should know; those below say what."""


class PromiseWarning(PrivacyWarning):
    """The card promises something else than was asked for; its remarks say why."""


class NotPrivateWarning(PrivacyWarning):
    """The model that was made is stamped *not private*; its card says why."""


class DataWarning(UserWarning):
    """Something strange about the rows, told to the caller of ``fit``, who has them. Its table is not for release."""


class PlanWarning(PrivacyWarning):
    """A public fact of the plan that makes a model useless or a promise weak, such as noise above the signal.

    ``code`` names it, for filters: "noise_above_signal", "epsilon_large", "delta_large", "norm_assumed", "few_rows".
    """

    def __init__(self, text: str = "", code: str = "") -> None:
        super().__init__(text)
        self.code = code


class PipelineWarning(PrivacyWarning):
    """A step before the estimator may look at all rows, which no card covers."""


class ScoreWarning(PrivacyWarning):
    """Folds are being scored on rows without noise, which no guarantee covers."""
