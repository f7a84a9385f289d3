"""The door: its names and arguments, and no import of torch."""

import ast
import inspect

import pytest

from qviz.dialects import pytorch
from tests.browser.serving import ROOT

FUNCTIONS = {
    "fake_quantize_per_tensor_affine": "input scale zero_point quant_min quant_max",
    "fake_quantize_per_channel_affine": "input scale zero_point axis quant_min quant_max",
    "quantize_per_tensor": "input scale zero_point dtype",
    "quantize_per_channel": "input scales zero_points axis dtype",
    "_choose_qparams_per_tensor": "input reduce_range",
}
AFFINE = (
    "mapping_type target_dtype granularity quant_min quant_max eps scale_dtype zero_point_dtype "
    "preserve_zero zero_point_domain"
)
CLASSES = {
    "FixedQParamsObserver": "scale zero_point dtype qscheme quant_min quant_max is_dynamic",
    "FakeQuantize": "observer quant_min quant_max is_dynamic",
    "FusedMovingAvgObsFakeQuantize": "observer quant_min quant_max",
    "_LearnableFakeQuantize": (
        "observer quant_min quant_max scale zero_point channel_len use_grad_scaling"
    ),
    "AffineQuantizedMinMaxObserver": AFFINE,
}


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_arguments_are_torchs(name):
    parameters = inspect.signature(getattr(pytorch, name)).parameters.values()
    named = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert named == (FUNCTIONS | CLASSES)[name].split()


def test_every_name_is_there_once():
    assert len(set(pytorch.__all__)) == len(pytorch.__all__)
    for name in pytorch.__all__:
        assert inspect.getdoc(getattr(pytorch, name))


def test_no_file_imports_torch():
    files = sorted((ROOT / "qviz/dialects/pytorch").glob("*.py"))
    assert len(files) > 40
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in getattr(node, "names", [])]
            module = getattr(node, "module", None) or ""
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert not any(n.split(".")[0].startswith("torch") for n in [module, *names])
