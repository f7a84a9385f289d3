"""The one way in which numbers are written on screen."""

from __future__ import annotations

import math

NOTHING = "–"  # what is shown where there is no number
MINUS = "−"
SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
MOST_DIGITS = 17  # every float64 is told from every other one


def number(x: float | None, digits: int = 3) -> str:
    """``digits`` significant digits, all digits of whole numbers below 10⁵, 1.23×10⁻⁴ beyond.

    Scientific outside 10⁻³ to 10⁵; no zeros at the end; a dash for None and NaN.
    """
    if x is None or math.isnan(x):
        return NOTHING
    if math.isinf(x):
        return "∞" if x > 0 else MINUS + "∞"
    if x == 0:
        return "0"
    mantissa, _, exponent = f"{abs(x):.{digits - 1}e}".partition("e")
    power = int(exponent)
    if -3 <= power < 5:
        text = _trimmed(f"{abs(x):,.{max(digits - 1 - power, 0)}f}")
    else:
        lead = _trimmed(mantissa)
        text = power_of_ten(power) if lead == "1" else f"{lead}×{power_of_ten(power)}"
    return MINUS + text if x < 0 else text


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def power_of_ten(exponent: int) -> str:
    """``10⁶``; 1 and 10 in full."""
    if exponent in (0, 1):
        return "1" if exponent == 0 else "10"
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def fixed(x: float | None, places: int = 1) -> str:
    """A fixed number of decimal places, as in a column; never a negative zero."""
    if x is None or not math.isfinite(x):
        return number(x)
    text = f"{abs(x):,.{places}f}"
    return MINUS + text if x < 0 and any(c in "123456789" for c in text) else text


def decibels(x: float | None, places: int = 1) -> str:
    """``12.7 dB``."""
    return NOTHING if x is None or math.isnan(x) else f"{fixed(x, places)} dB"


def integer(n: int | None) -> str:
    """A whole number with separators: ``65,536``."""
    return NOTHING if n is None else (MINUS if n < 0 else "") + f"{abs(int(n)):,}"


def count(n: int | None) -> str:
    """How many: in full below a million, else ``12.8 M`` or ``1.5 G``."""
    if n is None or abs(n) < 1_000_000:
        return integer(n)
    millions = float(f"{n / 1e6:.2e}")
    return f"{number(millions / 1000)} G" if abs(millions) >= 1000 else f"{number(millions)} M"


def percent(share: float | None) -> str:
    """A share of 1 in percent; all and nothing are only said where they are true."""
    if share is None or math.isnan(share):
        return NOTHING
    if share in (0.0, 1.0):
        return f"{share * 100:.0f} %"
    if 0 < share < 1e-5:
        return "< 0.001 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{number(share * 100)} %"


def until_they_differ(a: float | None, b: float | None, digits: int = 3) -> tuple[str, str]:
    """Both numbers with as many digits as it takes to tell them apart."""
    for enough in range(digits, MOST_DIGITS + 1):
        pair = number(a, enough), number(b, enough)
        if pair[0] != pair[1]:
            return pair
    return number(a, digits), number(b, digits)


def interval(lo: float | None, hi: float | None, digits: int = 3) -> str:
    """``[−6.03, 5.28]``."""
    return "[{}, {}]".format(*until_they_differ(lo, hi, digits))
