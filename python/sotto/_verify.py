"""Whether a model file is what a ledger released."""

from __future__ import annotations

import os
from pathlib import Path

from . import _core
from ._card import PrivacyCard
from .errors import InvalidData


def verify(path: str | os.PathLike[str], key: str | os.PathLike[str]) -> PrivacyCard:
    """The card of a model file, after a check that a ledger signed exactly these bytes.

    Parameters
    ----------
    path : str or path
        A model file.
    key : str or path
        The public key of the ledger, :attr:`Ledger.public_key`, or a file with it.

    Returns
    -------
    PrivacyCard

    Raises
    ------
    InvalidData
        If a byte of the file was changed, if another ledger signed it, or if none did.
    """
    problem = _core.signature_problem(Path(path).read_bytes(), _text_of(key))
    if problem:
        raise InvalidData(f"{os.fspath(path)}: {problem}")
    model = _core.Model.load(os.fspath(path))
    return PrivacyCard.from_json(model.card_json(), model.card_text(), model.card_words())


def _text_of(key: str | os.PathLike[str]) -> str:
    if isinstance(key, str) and ("-----BEGIN" in key or (len(key) == 64 and not os.path.exists(key))):
        return key
    return Path(key).read_text(encoding="ascii", errors="replace")
