"""What the field tests ask."""

from qviz import api
from qviz.doctor import examine
from qviz.spec import QuantSpec

INT8 = QuantSpec(8, signed=True, symmetric=True)
NARROW = QuantSpec(8, signed=True, symmetric=True, narrow_range=True)
UINT8 = QuantSpec(8)


def first(case, count=3):
    """Names of the first findings."""
    return [finding.rule for finding in examine(case)[:count]]


def named(case, rule):
    """The finding of one rule."""
    return next(finding for finding in examine(case) if finding.rule == rule)


def compared(x, observer="minmax", spec=UINT8, mode="affine"):
    """The record of one observer."""
    words = {name: getattr(spec, name) for name in ("bits", "signed", "symmetric", "narrow_range")}
    return api.compare(x, observer, mode=mode, **words).records[0]


def metric(record, name):
    """One metric's value."""
    return record.readings[name].value
