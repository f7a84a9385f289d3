"""Names of many tensors, short enough for a picture or a table and still told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qviz.figures.theme import clean

CUT = "…"
NAMELESS = "(no name)"
ENDS = "./:"  # a part of a name ends with one of these
SHARES = (1 / 2, 1 / 3, 2 / 3, 1 / 6, 5 / 6)  # of what is kept, before the cut
MANY = 0.2  # share of the names whose common start is worth a word
SLACK = 2  # characters too many that are not worth a cut
STEPS = 16  # lengths that are tried at most


@dataclass(frozen=True, eq=False)
class Names:
    """A label for each name, plain text; ``start`` and ``end`` are what labels leave out.

    Where not all names have that start, ``CUT`` stands for it in those that do.
    """

    labels: Mapping[str, str]
    start: str = ""
    end: str = ""
    everywhere: bool = True

    @property
    def words(self) -> str:
        """What is left out, said once; empty where nothing is."""
        marked = self.start and not self.everywhere
        parts = [f"“{part}”" for part in ("" if marked else self.start, self.end) if part]
        said = [f"names without {' and '.join(parts)}"] if parts else []
        said += [f"{CUT} at the start of a name is “{self.start}”"] if marked else []
        text = "; ".join(said)
        return text[:1].upper() + text[1:]


def told_apart(names: Sequence[str], most: int) -> Names:
    """Labels of about ``most`` characters, different ones for different names.

    Names that fit stay whole. Else a start that many share and an end that all share are left
    out; what is still too long loses its middle, in a place and of a length that leave it the
    only name with such a beginning and such an end.
    """
    whole = {name: clean(name, len(name)) or NAMELESS for name in names}
    texts = list(whole.values())
    long = [text for text in texts if len(text) > most + SLACK]
    start = _start(long, max(2, len(texts) * MANY))
    everywhere = all(_has(text, start) for text in texts)
    mark = "" if everywhere else CUT
    bare = {n: _bare(text, start, mark) for n, text in whole.items()}
    end = _end(list(bare.values()), most)
    bare = {n: text.removesuffix(end) for n, text in bare.items()}
    cut = _cut(sorted(set(bare.values())), most)
    return Names(_numbered({n: cut[text] for n, text in bare.items()}), start, end, everywhere)


def called_among(name: str, names: Sequence[str], most: int) -> str:
    """One name, by what tells it from the others where it is too long."""
    text = clean(name, len(name)) or NAMELESS
    if len(text) <= most or name not in names:
        return clean(name, most) or NAMELESS
    found = told_apart(names, most)
    short = CUT + text.removeprefix(found.start)
    if found.start and text.startswith(found.start) and len(short) <= most + SLACK:
        return short
    before = CUT if found.start and found.everywhere else ""
    return f"{before}{found.labels[name]}{CUT * bool(found.end)}"


def lines(label: str, most: int) -> list[str]:
    """A label on one line, or on two where it is longer than ``most``: parted where a part ends."""
    if len(label) <= most:
        return [label]
    middle = len(label) / 2
    places = [at + 1 for at, sign in enumerate(label[:-1]) if sign in f"{ENDS}_{CUT}" and at]
    near = min(places, key=lambda at: abs(at - middle), default=0)
    fits = 0 < near and max(near, len(label) - near) <= most + most // 4
    at = near if fits else round(middle)
    return [label[:at], label[at:]]


def _start(texts: Sequence[str], least: float) -> str:
    """The start, up to the end of a part, that saves most when all who share it leave it out.

    At least so many share it; else it is none.
    """
    found = Counter(start for text in texts for start in _starts(text))
    shared = {start: many * (len(start) - 1) for start, many in found.items() if many >= least}
    return max(shared, key=lambda start: (shared[start], start), default="")


def _starts(text: str) -> Iterator[str]:
    for at, sign in enumerate(text[:-1]):
        if sign in ENDS and at:
            yield text[: at + 1]


def _end(texts: Sequence[str], most: int) -> str:
    """An end, from the beginning of a part, that all share, if any is too long still.

    The shortest after which all fit, else the longest.
    """
    top = max(map(len, texts), default=0) - most - SLACK
    if top <= 0 or len(texts) < 2:
        return ""
    first = texts[0]
    ends = [first[at:] for at in range(len(first) - 1, 0, -1) if first[at] in ENDS]
    shared = [e for e in ends if all(t.endswith(e) and len(t) > len(e) for t in texts)]
    return next((end for end in shared if len(end) >= top), shared[-1] if shared else "")


def _has(text: str, start: str) -> bool:
    """Whether it has that start and goes on behind it."""
    return text.startswith(start) and len(text) > len(start)


def _bare(text: str, start: str, mark: str) -> str:
    return mark + text[len(start) :] if start and _has(text, start) else text


def _cut(texts: Sequence[str], most: int) -> dict[str, str]:
    """Texts that are too long without their middle; each is longer where it has to be."""
    done = {text: text for text in texts if len(text) <= most + SLACK}
    longest = max(map(len, texts), default=0)
    for length in range(most, longest, max(1, (longest - most) // STEPS)):
        for share in SHARES:
            if len(done) == len(texts):
                return done
            head = max(1, round((length - 1) * share))
            tail = max(1, length - 1 - head)
            ends = [(text[:head], text[-tail:]) for text in texts]
            met = Counter(ends)
            for text, key in zip(texts, ends, strict=True):
                if text not in done and len(text) > length and met[key] == 1:
                    done[text] = key[0] + CUT + key[1]
    return {text: done.get(text, text) for text in texts}


def _numbered(labels: dict[str, str]) -> dict[str, str]:
    """The same; a label that an earlier name has too gets a number."""
    taken: set[str] = set()
    for name, label in labels.items():
        unused, count = label, 1
        while unused in taken:
            count += 1
            unused = f"{label} ({count})"
        taken.add(unused)
        labels[name] = unused
    return labels
