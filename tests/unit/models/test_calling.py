"""Batches become arguments of a torch module, which is left as it was."""

import numpy as np
import pytest
import torch
from torch import nn

from qviz.errors import QvizError
from qviz.models.calling import call, listed, undisturbed


class Keeps(nn.Module):
    """Keeps what it is called with; takes one argument, and a second where it is given."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2, dtype=torch.bfloat16))
        self.seen = []

    def forward(self, x, gain=1.0):
        self.seen.append((x, gain))
        return x


class Counts(nn.Module):
    """Uses random numbers and writes to its buffers: in place, in another shape, a new one."""

    def __init__(self):
        super().__init__()
        self.drop, self.norm = nn.Dropout(), nn.BatchNorm1d(4)
        self.n: torch.Tensor
        self.grows: torch.Tensor
        self.register_buffer("n", torch.zeros(()))
        self.register_buffer("grows", torch.zeros(0))
        self.register_buffer("other", torch.ones(3))
        self.fails = False

    def forward(self, x):
        self.n += 1
        self.grows.resize_(5).fill_(7)
        self.other = torch.zeros(3)
        x = self.norm(self.drop(x)) + torch.rand(4)
        if self.fails:
            raise RuntimeError("no more")
        return x


def state(module):
    modes = [one.training for one in module.modules()]
    return modes, {name: value.tolist() for name, value in module.state_dict().items()}


@pytest.mark.parametrize("keep_mode", [False, True])
@pytest.mark.parametrize("fails", [False, True])
def test_a_module_is_left_as_it_was(keep_mode, fails):
    module = Counts()
    module.norm.eval()
    other = module.other
    before, random = state(module), torch.get_rng_state()
    module.fails, x = fails, torch.ones(6, 4, requires_grad=True)
    try:
        with undisturbed(module, keep_mode):
            assert module.training is keep_mode and not module.norm.training
            assert not module(x).requires_grad
    except RuntimeError:
        assert fails
    assert state(module) == before and module.other is other
    assert torch.equal(torch.get_rng_state(), random)


class Writes(nn.Module):
    """Writes to its parameters: in place, other data, another tensor, another shape."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.tensor([1.0, torch.nan])), nn.Parameter(torch.ones(2))
        self.c, self.d = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        self.tied, self.small = self.a, nn.Parameter(torch.ones(2).to(torch.float8_e4m3fn), False)
        self.still = nn.Parameter(torch.tensor([torch.nan]))

    def forward(self, x):
        self.a += 1
        self.b.data.mul_(2)
        self.c = nn.Parameter(torch.zeros(2))
        self.d.data = torch.zeros(3)
        self.small.data = torch.zeros(2).to(torch.float8_e4m3fn)
        return x


def test_parameters_too_are_left_as_they_were():
    module = Writes()
    own, still = dict(module.named_parameters()), module.still._version
    before = {name: value.detach().float().tolist() for name, value in own.items()}
    with undisturbed(module, keep_mode=False):
        module(torch.ones(1))
        assert module.b.tolist() == [2, 2]
    after = dict(module.named_parameters())
    assert all(after[name] is own[name] for name in own) and module.tied is module.a
    found = {name: value.detach().float().tolist() for name, value in after.items()}
    assert str(found) == str(before)  # NaN included
    assert module.still._version == still  # it was not written to


def test_what_is_saved_for_a_backward_pass_stays_valid():
    module = nn.BatchNorm1d(4).eval()
    loss = module(torch.randn(3, 4)).sum()
    with undisturbed(module, keep_mode=False):
        module(torch.ones(2, 4))
    loss.backward()
    assert module.weight.grad is not None


def test_arrays_become_tensors_of_the_module():
    module = Keeps()
    call(module, np.array([[2.5], [1.0]])[::-1])
    call(module, {"x": np.array([3, 4], ">i4"), "gain": np.float32(2)})
    call(module, ([np.ones(2, np.float32)], None))
    (x, _), (ids, gain), (nested, none) = module.seen
    assert x.dtype == torch.bfloat16 and x.tolist() == [[1.0], [2.5]]
    assert ids.dtype == torch.int32 and ids.tolist() == [3, 4] and gain == 2
    assert nested[0].dtype == torch.bfloat16 and none is None


def test_a_module_that_writes_to_its_input_leaves_the_batch():
    x = torch.tensor([-1.0, 2.0])
    call(nn.ReLU(inplace=True), x)
    assert x.tolist() == [-1, 2]


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        ((torch.ones(1, 2), torch.zeros(1)), "takes input; it was given 2 arguments"),
        ((torch.ones(1, 2), torch.zeros(1)), r"\(x for x, \*_ in loader\)"),
        ([torch.ones(1, 2), torch.zeros(1)], "given a list of 2"),
        ({"nosuch": torch.ones(1, 2)}, "'nosuch'.*A tuple holds arguments"),
        (np.ones((1, 2), np.int64), "int64 1 x 2. Arrays of whole numbers"),
        (np.ones((1, 3)), "float32 1 x 3"),
        (np.array(["a"]), "cannot be quantized"),
    ],
)
def test_arguments_that_it_does_not_take_are_refused(batch, words):
    with pytest.raises(QvizError, match=words):
        call(nn.Linear(2, 1), batch)


class Fails(nn.Module):
    """Raises what it is told to."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def forward(self, x):
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("shapes\nand more"), "Fails fails with RuntimeError: shapes."),
        (KeyError("k"), "Fails fails with KeyError: 'k'."),
        (ZeroDivisionError(), "Fails fails with ZeroDivisionError."),
        (StopIteration(), "Fails fails with StopIteration."),
    ],
)
def test_whatever_a_module_raises_is_the_cause_of_one_sentence(error, words):
    with pytest.raises(QvizError) as failure:
        call(Fails(error), torch.ones(1, 3))
    assert failure.value.__cause__ is error and failure.value.what == words
    assert failure.value.why == "It takes x; it was given float32 1 x 3."


@pytest.mark.parametrize("error", [KeyboardInterrupt(), QvizError("Told already.")])
def test_what_is_no_fault_of_the_module_passes(error):
    with pytest.raises(type(error)) as failure:
        call(Fails(error), torch.ones(1, 3))
    assert failure.value is error


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_compiled_module_is_refused_alike():
    made = torch.jit.trace(nn.Linear(2, 1), torch.ones(1, 2))
    with pytest.raises((QvizError, RuntimeError), match="argument"):
        call(made, (torch.ones(1, 2), torch.ones(1)))


def test_one_batch_needs_no_list():
    x = torch.ones(2, 3)
    assert listed(x)[0] is x
    assert len(listed(np.ones((2, 3)))) == len(listed({"x": x})) == 1
    assert listed(one for one in (x, x)) == [x, x]
    for none in (7, "text", None):
        with pytest.raises(QvizError, match="Batches are no"):
            listed(none)
