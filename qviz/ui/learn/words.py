"""The words of the field: basic ones, and those of the tooltips that are more than a control."""

from __future__ import annotations

from qviz.ui.words import TERMS

BASIC = {
    "accumulator": "The 32-bit sum in which an integer layer adds its products.",
    "affine": "Codes with an offset: the range may lie unevenly around 0.",
    "clip": "Where the range ends: what lies beyond saturates at the last code.",
    "code": "The whole number that is stored in place of a value.",
    "dB": "10 log10 of a ratio of energies; 6 dB more is half the error.",
    "fake quantization": "Quantize and come back at once, to see or to train with the error.",
    "LEARNED_SCALE": "MindSpore's fake quantization with a trained range: maxq.",
    "level": "The real number that a code stands for.",
    "observer": TERMS["observer"],
    "per channel": "A range for each index of one axis, as for output channels of a weight.",
    "ReLU": "Keeps what is positive and makes 0 of the rest.",
    "requested and covered range": "What was asked for; what the grid spans once 0 is a code.",
    "rmse": "Root of the mean squared error; over the step, pure rounding gives 0.2887.",
    "saturate": "To come back as the end of the range, because the value lies beyond it.",
    "step": "Distance between neighbouring levels; the scale.",
    "straight-through": "Training pretends that rounding has slope 1 inside the range, 0 outside.",
    "tie": "A value exactly half-way between two levels; rules differ in where it goes.",
    "ulp": "Unit in the last place: the distance from a float to the next one.",
    "upstream gradient": "The gradient that arrives at an operation from behind it.",
}
FIELD = (
    *("signed", "symmetric", "granularity", "narrow_range", "reduce_range", "quant_min"),
    *("quant_max", "role", "batch_axis", "lo", "hi", "scale", "zero_point", "clipped_share"),
    *("clipped_energy", "mse", "clip_mse", "round_mse", "sqnr", "sqnr_centered", "output_sqnr"),
    *("worst_channel", "codes_used", "largest_typical", "mode", "max_abs_error", "made"),
)
WORDS = BASIC | {name: TERMS[name] for name in FIELD}
