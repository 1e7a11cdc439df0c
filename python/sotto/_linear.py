"""What all estimators share: the scikit-learn protocol around the library's training."""

from __future__ import annotations

import json
import math
import os
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Iterator

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from . import _core
from ._block_file import encoding_of
from ._card import PrivacyCard
from ._declared import class_texts, classes_by_dtype, declared_bounds, declared_classes, declared_epsilons, declared_norm, refuse_other_than_number
from ._encoding import Encoding, constant_of
from ._fitted import FittedClassifier
from ._inputs import as_table, encode_labels, fingerprint_of, matrix_of, refuse_text_columns, rows_of, shape_of, values_of
from ._hints import hinted, in_keywords
from ._parameters import fields_of
from ._pieces import checked, refuse_continuous, unique
from ._progress import Progress
from .errors import InvalidArgument, NotPrivateWarning, Unsupported
from ._table import columns_of, rows_in, table_fingerprint
from .ledger import Charge, Ledger
from ._pipeline import before_this_fit, reasons_against, warn_of_scores
from ._prepared import Prepared, Trained, checking
from ._refused import refuse_other_arguments
from ._warn import warn, warn_of_plan
from .schema import Schema

if TYPE_CHECKING:
    from typing_extensions import Self

FROM_Y = "the classes were taken from y, not declared"
#: Classes that a warning lists.
SHOWN_CLASSES = 6
#: Share of epsilon that data_norm="private" is found with.
NORM_SHARE = 0.1
#: Share of the rows that may be longer than it.
NORM_TAIL = 0.01
NO_EPSILON = "epsilon: must be given, above 0; whoever spends says how much"
NO_FINGERPRINT = "accountant: this block file does not say which data it was made from"
#: Parameters that are numbers where they are given.
NUMBERS = ("epsilon", "delta", "C", "alpha", "huber_width", "intercept_scaling", "max_iter", "passes", "batch_size", "eta0")
#: Labels that need no declaration: everybody knows them before seeing a row.
PUBLIC_CLASSES = (0, 1)


@cache
def parameter_names(estimator: type[BaseEstimator]) -> tuple[str, ...]:
    """Those of its constructor, looked up once: that takes longer than all else a small fit does in Python."""
    return tuple(estimator._get_param_names())


class PrivateLinearClassifier(FittedClassifier):
    """Base of the estimators; use one of them."""

    _binary_loss: ClassVar[str] = "logistic"
    _several_loss: ClassVar[str] = "logistic"

    # The parameters every estimator has; each __init__ assigns them.
    epsilon: float | None
    delta: float
    data_norm: float | str | None
    bounds: Any
    classes: Any
    schema: Schema | None
    fit_intercept: bool
    intercept_scaling: float
    max_iter: int | None
    passes: int | None
    batch_size: int | None
    method: str
    neighboring_relation: str
    random_state: Any
    accountant: Ledger | str | None
    check: bool
    options: dict[str, Any] | None
    verbose: int

    def fit(self, X: Any, y: Any = None, *, personal_epsilons: Any = None, **refused: Any) -> Self:
        """Trains a model; with an accountant the cost is charged before a row is used, and stays whatever happens.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or Arrow table
            The rows; with a schema a raw table.
        y : array, optional
            The labels. May be left out where a schema names a column of ``X``.
        personal_epsilons : array, optional
            One number for each row, at most ``epsilon``: what the row at that position is promised. They are public.
        **refused
            Nothing else is taken; ``sample_weight`` is refused with the reason.

        Returns
        -------
        self
            The fitted estimator.
        """
        refuse_other_arguments(self, refused)
        with self._fitting():
            self._asked()
            prepared = self._prepared(X, y, declared_epsilons(personal_epsilons))
            self._take_run(self._train(prepared.rows, prepared.options, prepared.norm_found), prepared)
        return self

    def _prepared(self, X: Any, y: Any, personal: Any = None) -> Prepared:
        """Checks and encodes rows. With ``data_norm="private"`` the norm is found, and paid for."""
        outside = reasons_against(before_this_fit())
        warn_of_scores()
        if self.schema is not None:
            return self._prepared_table(X, y, personal, outside)
        norm = declared_norm(self.data_norm, self.bounds)
        if personal is not None and norm == "private":
            raise InvalidArgument("data_norm: must be a number with personal_epsilons: finding it takes a share of one epsilon")
        declared = classes_by_dtype(self.classes, y)
        X = as_table(X)
        refuse_text_columns(X)
        X, y = checked(self, X, y)
        refuse_continuous(y)
        classes, not_private = self._class_list(y, declared)
        not_private = [*outside, *not_private]
        matrix = matrix_of(X)
        codes = encode_labels(y, classes)
        self._refuse_undeclared(codes)
        encoding = Encoding.build(self, norm, X.shape[1], classes, getattr(self, "feature_names_in_", None))
        charge = self._charge_of(matrix, codes, encoding.classes)
        found = None
        if norm == "private":
            found = self._find_norm(matrix, encoding, charge, not_private)
            encoding = encoding.with_norm(found.data_norm)
        options = self._run_options(charge, personal)
        options.encoding = encoding.json()
        options.norm_assumed = encoding.core.proposed_norm() if norm is None else None
        options.not_private = not_private
        if found is not None:
            options.found_norm = found
        # A norm that was found and paid for fits the rows, and a refusal would come too late.
        rows = rows_of(matrix, codes, encoding.core, self.check and found is None)
        return Prepared(rows, encoding, classes, options, found is not None)

    def _prepared_table(self, X: Any, y: Any, personal: Any, not_private: list[str]) -> Prepared:
        """The same for a table of raw cells, which the schema declares."""
        schema = self._declared_schema()
        columns = columns_of(X, y, schema.label)
        encoding = self._encoding_by(schema, list(columns))
        cells = encoding.cells(columns)
        ledger = self._ledger()
        count = len(cells[0][1]) if cells else 0
        charge = Charge() if ledger is None else Charge.to(ledger, table_fingerprint(columns), count)
        rows = _core.table_rows(cells, encoding.core, True, self.check)
        options = self._run_options(charge, personal)
        options.not_private = not_private
        options.norm_assumed = self._assumed_norm(encoding)
        return Prepared(rows, encoding, encoding.class_values(), options)

    def _take_run(self, trained: Trained, prepared: Prepared) -> None:
        self._take(trained, prepared.encoding, prepared.classes)
        warn_of_plan(trained.warned)

    def _declared_schema(self) -> Schema:
        if not isinstance(self.schema, Schema):
            raise InvalidArgument("schema: must be a sotto.Schema; Schema.from_json(Path(...)) reads the file of one")
        for name in ("data_norm", "bounds", "classes"):
            if getattr(self, name) is not None:
                raise InvalidArgument(f"{name}: is declared by the schema; leave it out here")
        return self.schema

    def _encoding_by(self, schema: Schema, names: list[str]) -> Encoding:
        """The encoding of a table with these columns. A schema with a constant feature of its own keeps it."""
        declared = json.loads(schema.to_json())
        if not declared.get("intercept"):
            declared["intercept"] = constant = constant_of(self)
            if constant:
                declared["data_norm"] = math.hypot(declared.get("data_norm", 1.0), constant)
        return Encoding(_core.complete_encoding(json.dumps(declared), names), named=True, raw=True)

    def fit_block_file(self, path: str | os.PathLike[str]) -> Self:
        """Trains on a block file, which may be larger than memory and carries its own declarations."""
        with self._fitting():
            self._asked()
            rows = _core.block_rows(os.fspath(path))
            encoding = encoding_of(rows)
            self._refuse_other_declarations(encoding)
            ledger = self._ledger()
            if ledger is not None and not rows.fingerprint:
                raise hinted(Unsupported(NO_FINGERPRINT), "pack_again")
            charge = Charge() if ledger is None else Charge.to(ledger, rows.fingerprint, rows.rows)
            # What the file's header says about its bounds the library takes from there.
            trained = self._train(rows, self._run_options(charge))
            self._take(trained, encoding, encoding.class_values())
            warn_of_plan(trained.warned)
        return self

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """A fit that fails leaves nothing: what it found in the rows must not stand beside the card of a fit before."""
        self._forget()
        try:
            with in_keywords(self):
                yield
        except BaseException:
            self._forget()
            raise

    def _asked(self) -> None:
        """Refuses what cannot be right whatever the rows are; nothing has been read or charged yet."""
        if self.epsilon is None:
            raise InvalidArgument(NO_EPSILON)
        for name in NUMBERS:
            refuse_other_than_number(name, getattr(self, name, None))
        if self.random_state is not None and not isinstance(self.random_state, (int, np.integer)):
            check_random_state(self.random_state)
        self._ledger()

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _charge_of(self, matrix: Any, codes: Any, classes: Any) -> Charge:
        ledger = self._ledger()
        if ledger is None:
            return Charge()
        return Charge.to(ledger, fingerprint_of(matrix, codes, classes), matrix.shape[0])

    def _run_options(self, charge: Charge, personal: Any = None) -> _core.RunOptions:
        options = _core.RunOptions()
        seed = self._order_seed()
        if seed is not None:
            options.order_seed = seed
        options.ledger, options.fingerprint, options.part = charge.path, charge.fingerprint, charge.part
        if personal is not None:
            options.promise(personal)
        return options

    def _train(self, rows: Any, options: _core.RunOptions, norm_found: bool = False) -> Trained:
        fields = self._fields(rows.rows, rows.classes, norm_found)
        with Progress(self.verbose) as progress, checking(options):
            model, _, stored, warned = _core.train(rows, fields, options, progress.tell)
        return Trained(model, stored, warned)

    def _take(self, trained: Trained, encoding: Encoding, classes: Any) -> None:
        model, stored, _ = trained
        card = PrivacyCard.from_json(model.card_json(), model.card_text(), model.card_words())
        coef, intercept = encoding.plain_weights(model.weights())
        # In one step: of two threads that fit one object none leaves its weights beside the card of the other.
        self.__dict__.update(
            model_=model,
            stored_=stored,
            privacy_=card,
            encoding_=encoding,
            classes_=classes,
            n_features_in_=encoding.features,
            coef_=coef,
            intercept_=intercept,
            n_iter_=max(1, math.ceil(float(card["parameters"].get("passes") or 1))),  # of sampled rows also parts of a pass
            **({"feature_names_in_": np.array(encoding.names, dtype=object)} if encoding.named else {}),
        )
        if not card.is_private:
            reasons = "; ".join(card["not_private_because"])
            declare = f". Declare them: classes={_some(classes)}" if FROM_Y in card["not_private_because"] else ""
            warn(NotPrivateWarning(f"The model is NOT PRIVATE: {reasons}{declare}"))

    def privacy_cost(self, X: Any = None, *, n_samples: int | None = None, n_features: int | None = None) -> PrivacyCard:
        """What ``fit`` would cost and how large its noise would be. Reads no value and charges nothing.

        Parameters
        ----------
        X : array or table, optional
            Its shape alone is used.
        n_samples, n_features : int, optional
            The shape, where there are no rows yet.

        Returns
        -------
        PrivacyCard
            With ``card["warnings"]``: what the plan itself says against the fit.
        """
        facts, fields, assumed = self._planned(X, n_samples, n_features)
        ledger = self._ledger()
        path = ledger.path if ledger is not None else ""
        with in_keywords(self):
            return PrivacyCard.from_json(*_core.plan(facts, fields, path, assumed))

    def _planned(
        self, X: Any, n_samples: int | None, n_features: int | None
    ) -> tuple[dict[str, Any], dict[str, str], float | None]:
        """Public facts and fields of a fit on rows of this shape, and the usual norm where none is declared."""
        if self.schema is not None:
            return self._planned_table(X, n_samples)
        if X is not None:
            n_samples, n_features = shape_of(X)
        if n_samples is None or n_features is None:
            raise InvalidArgument("n_samples: give X, or n_samples and n_features")
        norm = declared_norm(self.data_norm, self.bounds)
        if norm == "private":
            raise InvalidArgument("data_norm: must be a number for a dry run, which reads no row")
        classes = PUBLIC_CLASSES if self.classes is None else declared_classes(classes_by_dtype(self.classes, None))
        encoding = Encoding.build(self, norm, n_features, classes)
        assumed = encoding.core.proposed_norm() if norm is None else None
        return encoding.facts(int(n_samples)), self._fields(int(n_samples), len(classes)), assumed

    def _planned_table(self, X: Any, n_samples: int | None) -> tuple[dict[str, Any], dict[str, str], float | None]:
        schema = self._declared_schema()
        if X is not None:
            columns = columns_of(X, None, schema.label)
            n_samples, names = rows_in(columns), list(columns)
        else:
            names = [column["name"] for column in json.loads(schema.to_json())["columns"]]
        if n_samples is None:
            raise InvalidArgument("n_samples: give X, or n_samples")
        encoding = self._encoding_by(schema, [*names, *([] if schema.label in names else [schema.label])])
        return encoding.facts(int(n_samples)), self._fields(int(n_samples), len(encoding.classes)), self._assumed_norm(encoding)

    def _assumed_norm(self, encoding: Encoding) -> float | None:
        """The usual norm for the columns of a schema without one."""
        declared = self.schema is None or "data_norm" in json.loads(self.schema.to_json())
        return None if declared else encoding.core.proposed_norm()

    # What the estimators differ in.

    def _loss(self, classes: int) -> str:
        return self._binary_loss if classes == 2 else self._several_loss

    def _fields(self, rows: int, classes: int, norm_found: bool = False) -> dict[str, str]:
        if self.epsilon is None:
            raise InvalidArgument(NO_EPSILON)
        kind: Any = type(self)  # typed as no Hashable, though every class is one
        keywords = {name: getattr(self, name) for name in parameter_names(kind)}
        if keywords.get("loss") is None:
            keywords["loss"] = self._loss(classes)
        if keywords.get("C") is not None and self.neighboring_relation == "add_remove":
            raise InvalidArgument("C: its meaning depends on the number of rows, which add_remove hides; give alpha")
        if norm_found:
            keywords["epsilon"] = self._split_epsilon()[1]
        return fields_of(keywords, self.options, rows)

    def _split_epsilon(self) -> tuple[float, float]:
        """What is spent on the norm, and what is left for the training; together no more than epsilon."""
        if self.epsilon is None:
            raise InvalidArgument(NO_EPSILON)
        epsilon = float(self.epsilon)
        if not 0 < epsilon < math.inf:
            return epsilon, epsilon  # which the library refuses
        return _core.split_epsilon(epsilon, NORM_SHARE)

    def _find_norm(self, matrix: Any, raw: Encoding, charge: Charge, not_private: list[str]) -> Any:
        """A bound on the norm of rows, chosen privately for a share of epsilon; the card promises both together.

        A ledger is charged for it before a norm is counted, and only if the training fits as well.
        """
        asked: dict[str, Any] = {
            "epsilon": self._split_epsilon()[0],
            "relation": self.neighboring_relation,
            "tail": NORM_TAIL,
        }
        # A request the library refuses is refused before the norm is paid for, and the norm is one the training takes.
        rows = matrix.shape[0]
        asked |= {
            "training": self._fields(rows, len(raw.classes), norm_found=True),
            "not_private": not_private,
            "facts": raw.facts(rows),
        }
        if charge.path:
            asked["charged"] = {"ledger": charge.path, "fingerprint": charge.fingerprint, "part": charge.part}
        return _core.find_norm(values_of(matrix), raw.core, asked)

    def _refuse_other_declarations(self, encoding: Encoding) -> None:
        """Rows of a block file are encoded already: what is declared here as well must say the same."""
        if self.data_norm is not None:
            norm = declared_norm(self.data_norm, self.bounds)
            same = isinstance(norm, float) and math.isclose(math.hypot(norm, encoding.intercept), encoding.stored_norm, rel_tol=1e-9)
            if not same:
                raise InvalidArgument(
                    f"data_norm: the rows of the file are clipped to {encoding.stored_norm:g}, the constant feature included; "
                    "leave data_norm out, or pack the file with another"
                )
        if self.bounds is not None and declared_bounds(self.bounds, encoding.features) != encoding.bounds:
            raise InvalidArgument("bounds: the file declares others for its rows; leave bounds out")
        if self.classes is not None:
            if class_texts(declared_classes(classes_by_dtype(self.classes, None))) != encoding.classes:
                raise InvalidArgument("classes: the file declares others for its rows; leave classes out")

    def _class_list(self, y: Any, declared: Any) -> tuple[Any, list[str]]:
        """The sorted classes, and why the list is not private if it is not."""
        if declared is not None:
            return declared_classes(declared), []
        dtype = np.asarray(y).dtype
        if dtype.kind == "b":
            return np.array([False, True]), []
        if dtype.kind in "iu" and y.min() >= PUBLIC_CLASSES[0] and y.max() <= PUBLIC_CLASSES[-1]:
            return np.asarray(PUBLIC_CLASSES, dtype=dtype), []
        found = unique(y)
        if dtype.kind in "iuf" and np.isin(found, PUBLIC_CLASSES).all():
            return np.asarray(PUBLIC_CLASSES, dtype=dtype), []
        if len(found) < 2:
            raise ValueError("This estimator needs samples of at least 2 classes in the data, but it contains only one class")
        return found, [FROM_Y]

    def _refuse_undeclared(self, codes: Any) -> None:
        if self.classes is not None and len(codes) and codes.min() < 0:
            raise ValueError("y contains labels that are not in the declared classes")

    def _ledger(self) -> Ledger | None:
        if self.accountant is None or isinstance(self.accountant, Ledger):
            return self.accountant
        if isinstance(self.accountant, (str, os.PathLike)):
            return Ledger(self.accountant)
        raise InvalidArgument("accountant: must be a sotto.Ledger or the path of one")

    def _order_seed(self) -> int | None:
        if self.random_state is None:
            return None
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state) % 2**64
        return int(check_random_state(self.random_state).randint(2**31 - 1))


def _some(classes: Any) -> str:
    """A list as people type it; of many its beginning."""
    listed = [value.item() if hasattr(value, "item") else value for value in classes[:SHOWN_CLASSES]]
    return repr(listed) if len(classes) <= SHOWN_CLASSES else repr(listed)[:-1] + ", ...]"
