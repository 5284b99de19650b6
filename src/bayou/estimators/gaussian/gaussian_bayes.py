"""Gaussian Bayes: one normal density per class; the covariance is full, shared, spherical or diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayou.arguments import real_number
from bayou.distributions import Laplace
from bayou.errors import BadQuestion, listed, warn_user
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.gaussian.covariance import LEDOIT_WOLF, check_shrinkage
from bayou.estimators.gaussian.covariance_choice import CovarianceChoice, choose_covariance
from bayou.estimators.gaussian.discriminant import Discriminant, discriminant_of
from bayou.estimators.gaussian.gaussian_estimation import GaussianSettings, gaussian_model
from bayou.estimators.gaussian.gaussian_model import DiagonalModel, GaussianModel, SharedModel
from bayou.estimators.gaussian.incomplete_rows import completed_moments, empty_columns
from bayou.estimators.gaussian.indicator_columns import IndicatorModel, found_levels, with_indicators
from bayou.estimators.impossible_rows import ImpossibleRows
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.memory import require_memory
from bayou.schema import Variable
from bayou.statistics import Counts
from bayou.statistics.matrix.class_moments import ClassMoments, Form, MomentsByClass
from bayou.typing import FloatArray, Name, State

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AUTO = "auto"
_MATRICES = 6
"""The least number of matrices that are held at once: sums, covariances and factors of two classes."""
_COVARIANCES = (AUTO, "shared", "full", "regularised", "spherical", "diagonal")


class GaussianBayes(BayesClassifier):
    """A classifier with one normal density per class.

    ``covariance`` is "shared" (LDA), "full" (or "arbitrary": QDA), "regularised" (between these two),
    "spherical" (shared σ²I), "diagonal" (naive Bayes) or "auto": of "shared" and "regularised", with
    P(class) · densityʷ, the one that predicts held-out rows best (see ``covariance_``, ``evidence_weight_``,
    and ``print(model.choice_)`` for the comparison).
    ``shrinkage`` moves Σ towards a multiple of the identity: a number from 0 to 1, "ledoit-wolf" or "oas".
    ``ddof=1`` divides by n − 1. Training rows with missing cells count with the cells they have: means and
    covariances are found by EM (a class's own Σ with d + 1 virtual rows of the pooled one for the regressions
    that fill in its gaps). Missing cells of predicted rows are integrated out exactly. A column of texts or
    truth values becomes an indicator of each state but the first (``levels_``, decided by the first call).

    >>> model = GaussianBayes("shared").fit([[0.0], [2.0], [3.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.means_.ravel().tolist(), model.covariances_.tolist()
    ([1.0, 4.0], [[1.0]])
    >>> model.predict([[2.4], [2.6]]).tolist(), model.discriminant("b", "a").x0.tolist()
    (['a', 'b'], [2.5])
    """

    _model: GaussianModel
    covariance_: str
    evidence_weight_: float
    choice_: CovarianceChoice | None
    levels_: dict[Name, tuple[State, ...]]
    """The states of the columns that hold no numbers; all but the first have an indicator."""

    def __init__(
        self,
        covariance: str = AUTO,
        *,
        shrinkage: Any = None,
        ddof: float = 0,
        class_prior: Any = None,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.ddof = ddof
        self.class_prior = class_prior
        self.var_smoothing = var_smoothing

    def _collect(self, rows: LabelledSource) -> ClassMoments:
        if self._kind not in _COVARIANCES:
            raise BadQuestion(f"covariance={self.covariance!r}: use {listed(_COVARIANCES)}.")
        check_shrinkage(self.shrinkage)
        real_number("ddof", self.ddof, 0, expected="give a number, 0 or more")
        self._check_shrinkage_is_free()
        if not hasattr(self, "levels_"):
            self.levels_ = found_levels(rows)
        rows = with_indicators(rows, self.levels_)
        self._check_size(len(rows.features))
        with_sample = self._kind == AUTO and rows.gives_rows
        if self._kind == AUTO and not with_sample:
            warn_user(
                "covariance='auto' compares covariances on some rows, which this data does not give "
                "(transport=\"cells\"): one covariance for all classes is used. Give covariance='shared' to "
                "say so, or 'full' for one matrix per class."
            )
        request = MomentsByClass(rows.features, rows.target, self._form, self._with_spread, with_sample)
        found = rows.collect([request])[request]
        self._tell_of_empty(found)
        return found

    def _tell_of_empty(self, found: ClassMoments) -> None:
        """Warn of columns without a value, which have the same density in all classes, at the first call."""
        empty = [
            name for name, is_empty in zip(found.variables, empty_columns(found), strict=True) if is_empty
        ]
        if empty and not hasattr(self, "statistics_"):
            warn_user(
                f"No training row has a value of {listed(empty)}: nothing can be learned from such a column, "
                "so it is not used. Drop it from the data to avoid this warning."
            )

    def _check_size(self, columns: int) -> None:
        """Refuse covariance matrices that are too large, before anything is read or allocated."""
        if self._form != "columns":
            require_memory(
                _MATRICES * columns**2 * 8,
                f"GaussianBayes(covariance={self.covariance!r}) of {columns:,} columns",
                "Use covariance='diagonal' (or NaiveBayes('gaussian')), or fewer columns.",
            )

    def _check_ddof(self, largest: float) -> None:
        """Refuse a divisor n - ddof that is above 0 in no class."""
        if self.ddof > 1 and 0 < largest <= self.ddof:
            raise BadQuestion(
                f"ddof={self.ddof!r}: variances divide by n - ddof, and the largest class has {largest:g} "
                "rows. Give a smaller number: 0, or 1 for unbiased variances."
            )

    def _check_shrinkage_is_free(self) -> None:
        """Refuse a shrinkage where the covariance determines it itself."""
        given = self.shrinkage is not None if self._kind == AUTO else isinstance(self.shrinkage, str)
        if given and self._kind in (AUTO, "regularised"):
            numbers = "" if self._kind == AUTO else " or a number"
            raise BadQuestion(
                f"shrinkage={self.shrinkage!r}: covariance={self.covariance!r} determines the shrinkage "
                f"itself; use None{numbers}, or covariance='shared' or 'full'."
            )

    @property
    def _kind(self) -> str:
        return "full" if self.covariance == "arbitrary" else self.covariance

    @property
    def _form(self) -> Form:
        """The moments to collect: by column, pooled, or (for shrinkage rules too) a matrix per class."""
        if self._kind in ("diagonal", "spherical"):
            return "columns"
        return "pooled" if self._kind == "shared" and not isinstance(self.shrinkage, str) else "matrices"

    @property
    def _with_spread(self) -> bool:
        return self._form == "matrices" and isinstance(self.shrinkage, str) and self.shrinkage == LEDOIT_WOLF

    def _estimate(self, statistics: ClassMoments, classes: Variable) -> GaussianModel:
        moments = completed_moments(statistics.aligned([classes]))
        self._check_ddof(float(moments.rows.max(initial=0.0)))

        def log_prior(rows: FloatArray) -> FloatArray:
            logs = log_class_prior(self.class_prior, Counts((classes,), rows), Laplace(0.0))
            # Classes that were declared but have no rows have no density.
            return np.where(rows > 0, logs, -np.inf)

        settings = GaussianSettings(self._kind, self.shrinkage, float(self.ddof), float(self.var_smoothing))
        choice = None
        if self._kind == AUTO:
            settings, choice = choose_covariance(settings, moments, log_prior)
        model = gaussian_model(settings, moments, log_prior(moments.rows))
        self.covariance_, self.evidence_weight_, self.choice_ = settings.covariance, settings.weight, choice
        empty = empty_columns(statistics)
        if empty.any():
            model = model.ignoring(empty)
        return IndicatorModel(model, self.levels_) if getattr(self, "levels_", {}) else model

    def _posteriors(self, rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
        """P(class | row) of a batch, by one kernel."""
        self._fitted()
        posterior = self._model.table_scores(rows, posterior=True)
        # If all densities of a row underflow to 0, the base class gives it the class prior.
        return posterior if np.isfinite(posterior[:, 0]).all() else super()._posteriors(rows, first, found)

    def _scores(self, rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
        """The posteriors, which are faster to compute than log P(class, row)."""
        return self._posteriors(rows, first, found)

    def _fitted(self) -> GaussianModel:
        """The model of rows of numbers, with indicators in place of columns of states."""
        check_is_fitted(self, "statistics_")
        return self._model.inner if isinstance(self._model, IndicatorModel) else self._model

    # What was learned

    @property
    def means_(self) -> FloatArray:
        """The mean of each class, [class, feature]."""
        return self._fitted().means

    @property
    def priors_(self) -> FloatArray:
        """P(class)."""
        return np.exp(self._fitted().log_prior)

    @property
    def covariances_(self) -> FloatArray:
        """Σ: one matrix if shared, σ² if spherical, variances if diagonal, else [class, feature, feature]."""
        model = self._fitted()
        if isinstance(model, DiagonalModel):
            return model.variances if self.covariance_ == "diagonal" else model.variances[0, 0]
        if isinstance(model, SharedModel):
            return model.whitening.covariance
        return np.array([model.covariance(k) for k in range(len(self.classes_))])

    @property
    def coef_(self) -> FloatArray:
        """wΣ⁻¹μ of each class if Σ is shared (for two classes the difference), as in scikit-learn.

        w is ``evidence_weight_``: 1 unless ``covariance="auto"`` chose another.
        """
        return self._linear()[0]

    @property
    def intercept_(self) -> FloatArray:
        """The intercepts for ``coef_``: log P(class) − ½ wμᵀΣ⁻¹μ."""
        return self._linear()[1]

    def _linear(self) -> tuple[FloatArray, FloatArray]:
        model = self._fitted()
        if self.covariance_ not in ("shared", "spherical"):
            chosen = " (chosen by 'auto')" if self._kind == AUTO else ""
            raise AttributeError(
                f"covariance={self.covariance_!r}{chosen} has curved boundaries, so there are no "
                "coefficients; use 'shared' or 'spherical', or discriminant(a, b)."
            )
        solved = np.linalg.solve(model.covariance(0) / model.weight, model.means.T).T
        coefficients = np.asarray(solved, dtype=np.float64)
        intercepts: FloatArray = model.log_prior - 0.5 * (coefficients * model.means).sum(axis=1)
        if len(intercepts) == 2:
            return coefficients[1:] - coefficients[:1], intercepts[1:] - intercepts[:1]
        return coefficients, intercepts

    def discriminant(self, a: State, b: State) -> Discriminant:
        """Return log P(a | x) − log P(b | x) as a function, with its ``w``, ``x0`` and ``bias``.

        ``a`` and ``b`` are two classes.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``UnknownState`` for a class that
        is not there.

        >>> import bayou
        >>> model = bayou.GaussianBayes("spherical").fit([[0], [1], [4], [5]], ["a", "a", "b", "b"])
        >>> between = model.discriminant("a", "b")
        >>> between.x0.round(3).tolist(), round(float(between([[2.0]])[0]), 3)
        ([2.5], 8.0)
        """
        model = self._fitted()
        places = (self._class_variable.code(a), self._class_variable.code(b))
        return discriminant_of(model, *places, (a, b))

    def plot_boundary(self, ax: Axes | None = None, X: Any = None, y: Any = None) -> Axes:
        """Draw the regions, means and one-σ ellipses of the classes over two features; X and y add points.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadQuestion`` for a model of one
        feature, or of more than two.

        >>> import bayou
        >>> model = bayou.GaussianBayes().fit([[0, 0], [1, 1], [4, 5], [5, 4]] * 5, ["a", "a", "b", "b"] * 5)
        >>> type(model.plot_boundary()).__name__
        'Axes'
        """
        from bayou.plots.boundary import ClassPicture, class_boundary

        model = self._fitted()
        if model.means.shape[1] != 2:
            raise BadQuestion(
                f"A boundary can be drawn over two features only; this model has {model.means.shape[1]}."
            )
        covariances = np.array([model.covariance(k) for k in range(len(self.classes_))])
        names = [str(name) for name in self.statistics_.variables]
        picture = ClassPicture([str(name) for name in self.classes_], names, model.means, covariances)
        points = None if X is None else (np.asarray(X, dtype=np.float64), np.asarray(y))
        return class_boundary(picture, lambda grid: model.scores(grid, posterior=True), points, ax)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False  # whole numbers are numbers here; texts are categories
        return tags
