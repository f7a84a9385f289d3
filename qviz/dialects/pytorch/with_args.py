"""Classes with some arguments already given, as PyTorch hands its settings around."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class WithArgs:
    """A class and arguments for it: call it to make an instance, ``with_args`` adds to them."""

    p: partial[Any]  # PyTorch's own name for it

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.p(*args, **kwargs)

    def with_args(self, *args: Any, **kwargs: Any) -> WithArgs:
        """The same with further arguments, later ones winning."""
        return WithArgs(partial(self.p, *args, **kwargs))


class Configurable:
    """A class whose arguments can be given in advance."""

    @classmethod
    def with_args(cls, *args: Any, **kwargs: Any) -> WithArgs:
        """A maker of instances with these arguments."""
        return WithArgs(partial(cls, *args, **kwargs))
