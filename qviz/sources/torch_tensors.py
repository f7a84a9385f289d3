"""Which tensors of a checkpoint can be shown, and as what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

from qviz.errors import QvizError, RefusedFile
from qviz.sources.arrays import late_torch
from qviz.sources.base import CAP
from qviz.sources.codes import VALUES, Scaled, scaled
from qviz.sources.contents import Contents
from qviz.sources.found import Found

_NUMPY = {
    *("float64", "float32", "float16", "bool", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
}
_TORCH = {"bfloat16", "float8_e4m3fn", "float8_e5m2"}
_CODES = {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}


def sort(contents: Contents, name: str, tensor: Any) -> None:
    """Add the tensor to the contents as what it is, or skip it with the reason.

    Layout, device and type are looked at before anything is computed: most operations raise, and
    some allocate without bound, on tensors that are not plain.
    """
    if not tensor.is_nested:
        tensor = late_torch().Tensor.detach(tensor)  # free of attributes that a pickle may set
    refusal = _not_plain(contents.file.size, tensor)
    if refusal:
        contents.skip(name, refusal)
        return
    tensor, about = _distinct(tensor)
    dtype = _dtype(tensor)
    found = Found(name, tuple(tensor.shape), dtype, partial(_numpy, tensor), about)
    if dtype in _CODES:
        _add_quantized(contents, found, tensor)
    elif dtype == "complex32":
        contents.add(replace(found, dtype="complex64", read=partial(_widened, tensor)))
    elif dtype in _TORCH:
        contents.add(replace(found, read=lambda: tensor))
    elif dtype in _NUMPY:
        contents.add(found)
    else:
        why = f"Type {dtype} cannot be read."
        contents.skip(name, _refusal(why, "L12", "Convert it to float32."))


def _not_plain(file_size: int, tensor: Any) -> RefusedFile | None:
    """Why the tensor cannot be read at all, if so."""
    layout = str(tensor.layout).removeprefix("torch.")
    kinds: list[tuple[str, Callable[[], bool]]] = [  # in this order: each guards the next
        ("nested", lambda: tensor.is_nested),
        (layout, lambda: layout != "strided"),
        (tensor.device.type, lambda: tensor.device.type != "cpu"),
        ("broadcast quantized", lambda: tensor.is_quantized and bool(_repeated(tensor))),
    ]
    for kind, holds in kinds:
        if holds():
            return _refusal(f"A {kind} tensor is not read.", "L07", "Save it as a dense one.")
    size = tensor.numel() * tensor.element_size()
    if size > CAP:
        what = "A broadcast view" if _repeated(tensor) else "A tensor"
        why = f"{what} of {size} bytes is not read; {CAP} are allowed."
        return _refusal(why, "L06", "Save the elements it is made of.")
    stored = tensor.untyped_storage().nbytes()
    if stored > file_size:
        why = "It claims more bytes than the file has."
        return _refusal(why, "L06", "Save or download it again.")
    repeated = _repeated(tensor)
    extents = [n for axis, n in enumerate(tensor.shape) if axis not in repeated]
    if prod(extents) * tensor.element_size() > stored:
        why = "A view with overlapping windows is not read."
        return _refusal(why, "L06", "Save the elements it is made of.")
    return None


def _distinct(tensor: Any) -> tuple[Any, str]:
    """The tensor with each repeated axis cut to one, and a word on that."""
    repeated = _repeated(tensor)
    if not repeated:
        return tensor, ""
    whole = tuple(tensor.shape)
    cut = tuple(slice(0, 1) if axis in repeated else slice(None) for axis in range(len(whole)))
    return tensor[cut], f"broadcast view: shape {whole} repeats what is shown here"


def _repeated(tensor: Any) -> list[int]:
    """Axes along which one and the same element is read again and again."""
    steps = zip(tensor.stride(), tensor.shape, strict=True)
    return [axis for axis, (step, n) in enumerate(steps) if step == 0 and n > 1]


def _add_quantized(contents: Contents, found: Found, tensor: Any) -> None:
    """The codes under ``name``, and the values they stand for."""
    codes = replace(found, dtype=_CODES[found.dtype], read=lambda: tensor.int_repr().numpy())
    try:
        contents.add(replace(codes, qparams=_qparams(tensor, codes.dtype)))
    except QvizError as error:
        contents.add(codes)
        why = f"{error.what} {error.why}".strip()
        contents.skip(found.name + VALUES, _refusal(why, "L07", error.do))


def _qparams(tensor: Any, dtype: str) -> Scaled:
    """Scale and zero point. Raises QvizError where they are no positive and no whole numbers."""
    shape = tuple(tensor.shape)
    if str(tensor.qscheme()) == "torch.per_tensor_affine":
        return scaled(tensor.q_scale(), tensor.q_zero_point(), shape, dtype=dtype)
    scales, zeros = tensor.q_per_channel_scales(), tensor.q_per_channel_zero_points()
    axis = tensor.q_per_channel_axis()
    return scaled(scales.numpy(), zeros.numpy(), shape, axis, dtype=dtype)


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _numpy(tensor: Any) -> Any:
    """The same memory as a NumPy array; a pending conjugate or sign is carried out."""
    return tensor.resolve_conj().resolve_neg().numpy()


def _widened(tensor: Any) -> Any:
    return _numpy(tensor.to(late_torch().complex64))


def _refusal(why: str, code: str, do: str) -> RefusedFile:
    return RefusedFile("A tensor is skipped.", why, do, code=code)
