"""Array types with shapes: ``Float[np.ndarray, "rows columns"]``.

They are jaxtyping's where shapes are checked (type checkers, and tests, which load jaxtyping first) and plain array
types elsewhere: nothing looks at them in production, and loading jaxtyping costs a fifth of a command's start-up.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int, Integer, Real
else:

    class _ArrayOnly:
        """Forgets the shape: ``Float[np.ndarray, "rows"]`` is ``np.ndarray``."""

        def __class_getitem__(cls, item: tuple[Any, str]) -> Any:
            return item[0]

    Bool = Float = Int = Integer = Real = _ArrayOnly

__all__ = ["Bool", "Float", "Int", "Integer", "Real"]
