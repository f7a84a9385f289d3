"""What no tensor could mend is refused before a file is opened."""

import pytest

from qviz.cli.doctor_options import check
from qviz.cli.main import main, parser
from qviz.errors import QvizError

REFUSED = {
    "--fail-on fatal": "No level",
    "--range 0 1 --observer minmax": "both choose",
    "--range -1 1 --scale 0.03 --zero-point 128": "--range and --scale both choose a range.",
    "--observer mse --scale 0.1": "--observer and --scale both choose a range. Drop one.",
    "--bits 4 --quant-min -128 --quant-max 127": "are 256 codes. --bits 4 has 16. Drop --bits",
    "--bits 8 --quant-min 0 --quant-max 256": "are 257 codes. --bits 8 has 256.",
    "--bias b.npy": "go together",
    "--input-scale 2": "go together",
    "--zero-point 3": "needs a scale",
    "--operand-axis 0": "needs --operand",
    "--range 1 -1": "The lower end of the range, 1, is above the upper end, -1. Exchange them.",
    "--range nan 1": "The range nan to 1 is not finite.",
    "--range -inf inf": "The range -inf to inf is not finite.",
    "--scale nan": "--scale nan is no number.",
    "--quant-min 5 --quant-max 2": "--quant-min 5 is above --quant-max 2.",
    "--bias b.npy --input-scale 0": "--input-scale 0 is no step.",
    "--bias b.npy --input-scale -0.5": "--input-scale -0.5 is no step.",
    "--bias b.npy --input-scale nan": "--input-scale nan is no step.",
    "--bias b.npy --input-scale inf": "--input-scale inf is no step.",
    "--role weights": "No role is called 'weights'. Known: weight, activation, bias.",
    "--role unknown": "No role is called 'unknown'.",
    "--stored-as float9": "Known: float8_e4m3fn, ",
}
EMPTY = {"--observer": "No observer is called ''", "--stored-as": "No format is called ''"}
SERVED = (
    *("--bits 8 --quant-min -128 --quant-max 127", "--quant-min 0 --quant-max 65535"),
    *("--scale 0", "--scale -0.5", "--scale inf", "--scale -inf", "--range 1 1"),
)
SAID = {  # what depends on the codes, but on no value
    "--scale 1e-3 --zero-point 999": "Zero point 999 is not one of the codes. The codes are 0 to",
    "--scale 0.1 --zero-point -5": "Zero point -5 is not one of the codes.",
    "--scale 0.1 --zero-point 128 --signed": "The codes are -128 to 127,",
    "--scale 0.1 --quant-min 1 --quant-max 255": "Zero point 0 is not one of the codes.",
    "--scale 1e308": "255 steps of 1e+308 reach beyond the largest float64.",
    "--quant-min 3": "Only one end",
    "--bits 0": "0 bits",
}


def asked(words):
    return parser().parse_args(["doctor", "sample:relu", *words.split()])


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_meant(words):
    with pytest.raises(QvizError) as error:
        check(asked(words))
    assert REFUSED[words] in str(error.value)


@pytest.mark.parametrize("option", EMPTY)
def test_an_empty_word_is_not_the_default(capsys, option):
    assert main(["doctor", "sample:relu", option, ""]) == 2
    said = capsys.readouterr()
    assert EMPTY[option] in said.err and said.out == ""


def test_a_refused_word_is_no_finding(capsys):
    assert main(["doctor", "sample:relu", "--role", "weights"]) == 2
    assert "No role is called" in capsys.readouterr().err


@pytest.mark.parametrize("words", SERVED)
def test_what_a_rule_should_see_is_let_through(words):
    check(asked(words))
    assert main(["doctor", "sample:relu", *words.split()]) in (0, 1)


@pytest.mark.parametrize("words", SAID)
def test_what_no_code_can_have(capsys, words):
    assert main(["doctor", "sample:relu", *words.split()]) == 2
    said = capsys.readouterr()
    assert SAID[words] in said.err and said.out == ""
