"""Numbers that were typed or pasted: lists, nested lists, printed arrays, rows of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from qviz.errors import QvizError

CODE = "L25"
LONGEST = 1_000_000  # characters
DEPTH = 16  # of lists within lists
TAIL = 400  # characters in which what follows the numbers of a printed array is looked for
TOKEN = re.compile(r"[\[\](){}]|[^\s,;\[\](){}]+|[,;\n]")
WRAPPER = re.compile(r"^\s*(?:\w+\.)*(?:array|tensor|asarray|Tensor)\s*\(", re.ASCII)
END = re.compile(
    r"(,\s*(dtype|device|requires_grad|grad_fn|shape|size)\s*=[^\[\]]*)?\)\s*$", re.DOTALL
)
NUMBER = re.compile(
    r"[+\-\u2212]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-\u2212]?\d+)?|nan|inf|infinity)",
    re.IGNORECASE | re.ASCII,
)
DIGIT = re.compile(r"\d", re.ASCII)
NONZERO = re.compile(r"[^eE]*[1-9]")
RAGGED = "Its lines have unequal lengths, so their numbers were taken as one list."
BLANKS = str.maketrans(",;", "  ")
OPEN, CLOSE = "[({", "])}"


@dataclass(frozen=True, eq=False)
class Pasted:
    """Numbers of a text; ``about`` says what was made of them that the text does not show."""

    array: np.ndarray
    about: str = ""


def pasted(text: str) -> Pasted:
    """The numbers in a text: int64 where all are whole and fit, else float64.

    Brackets give the shape; without any, lines of equally many numbers are rows of a matrix, and
    lines of unequal length one list. ``array(...)`` and ``tensor(...)``, as Python prints them, are
    understood.

    Raises
    ------
    QvizError
        L25: no number, a word that is none, a number beyond float64, brackets that do not match, or
        bracketed rows of unequal length.
    """
    if len(text) > LONGEST:
        why = f"They are {len(text):,} characters; {LONGEST:,} are allowed."
        raise _mistake(
            "That is too much to paste.", why, "Save the numbers as a .npy or .csv file."
        )
    printed = WRAPPER.match(text)
    if printed:
        text = text[printed.end() :].rstrip()
        end = END.search(text, max(0, len(text) - TAIL))
        text = text[: end.start()] if end else text
    bracketed = any(bracket in text for bracket in OPEN + CLOSE)
    tokens = TOKEN.findall(text.replace("\r", "\n")) if bracketed else []
    read = _Read()
    array = _array(_nested(tokens, read) if bracketed else _rows(text, read))
    return Pasted(array, " ".join(read.notes))


class _Read:
    """Reads words as numbers, one after the other, and notes what they lose."""

    def __init__(self) -> None:
        self.count, self.notes = 0, list[str]()

    def number(self, word: str) -> int | float:
        """The number. Raises QvizError where there is none, or it lies beyond float64."""
        self.count += 1
        value = _number(word)
        if value in (np.inf, -np.inf) and DIGIT.search(word):
            where = f"Number {self.count}, {word[:40]},"
            why = "The largest that fits is 1.798e+308."
            raise _mistake(f"{where} lies beyond float64.", why, "Scale the numbers down.")
        if value == 0 and NONZERO.match(word) and not self.notes:
            self.notes.append(f"Number {self.count}, {word[:40]}, is too small for float64: now 0.")
        return value


def _nested(tokens: list[str], read: _Read) -> Any:
    """Lists within lists; several at the top are rows of one."""
    stack: list[list[Any]] = [[]]
    for token in tokens:
        if token in OPEN:
            stack.append([])
        elif token in CLOSE and len(stack) > 1:
            stack[-2].append(stack.pop())
        elif token in CLOSE:
            raise _mistake("A bracket is closed that was never opened.")
        elif token not in ",;\n":
            stack[-1].append(read.number(token))
        if len(stack) > DEPTH:
            raise _mistake("The brackets nest too deep.", f"{DEPTH - 1} levels are allowed.")
    if len(stack) > 1:
        raise _mistake("A bracket is not closed.")
    top = stack[0]
    return top[0] if len(top) == 1 and isinstance(top[0], list) else top


def _rows(text: str, read: _Read) -> Any:
    """Numbers without brackets: a matrix where several lines have equally many, else a list."""
    split = (line.split() for line in text.translate(BLANKS).splitlines())
    lines = [[read.number(word) for word in words] for words in split if words]
    lengths = {len(line) for line in lines}
    if len(lengths) > 1:
        read.notes.append(RAGGED)
    table = len(lines) > 1 and len(lengths) == 1 and len(lines[0]) > 1
    return lines if table else [value for line in lines for value in line]


def _number(word: str) -> int | float:
    if not word.strip(".") or word == "\u2026":
        why = f"{word[:40]} stands for them."
        raise _mistake("Some numbers are left out.", why, "Paste them all.")
    if not NUMBER.fullmatch(word):
        raise _mistake(f"{word[:40]!r} is no number.", "", "Leave it out.")
    word = word.replace("\u2212", "-")
    return int(word) if re.fullmatch(r"[+-]?\d{1,19}", word) else float(word)


def _array(nested: Any) -> np.ndarray:
    if not _first(nested):
        raise _mistake("There is no number.", "", "Paste at least one.")
    try:
        made = np.array(nested)
    except (ValueError, OverflowError) as error:
        raise _mistake("The rows are of unequal length.", "", "Give each as many.") from error
    return made if made.dtype == np.int64 else made.astype(np.float64)


def _first(nested: Any) -> bool:
    """Whether there is a number anywhere."""
    waiting = [nested]
    while waiting:
        value = waiting.pop()
        if not isinstance(value, list):
            return True
        waiting += value
    return False


def _mistake(what: str, why: str = "", do: str = "Check what was pasted.") -> QvizError:
    return QvizError(what, why, do, code=CODE)
