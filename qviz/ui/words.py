"""The one dictionary of terms: it feeds tooltips, column headers and the glossary."""

TERMS: dict[str, str] = {
    "tensor": "The array of numbers that is looked at.",
    "open": "Tensors in .npy, .npz, .safetensors or .pt files; nothing in a file is ever run.",
    "bits": "Width of a code: b bits give 2^b codes.",
    "signed": "Codes from -2^(b-1) to 2^(b-1) - 1 instead of 0 to 2^b - 1.",
    "symmetric": "Zero sits in the middle of the codes; the range is ± one bound.",
    "granularity": "Which elements share a range: all, a channel, a group of neighbours, a token.",
    "axis": "The axis along which each index has a range of its own.",
    "mode": "The rule that turns a range into scale and zero point, and values into codes.",
    "narrow_range": "Drop the lowest code, so that both signs have equally many.",
    "reduce_range": "Halve both ends of the codes (7 bits in 8), as some integer kernels need.",
    "custom": "Any smallest and largest code, in place of those that bits and sign give.",
    "quant_min": "Smallest code.",
    "quant_max": "Largest code.",
    "role": "What the tensor is in its model; guessed from its name.",
    "batch_axis": "The axis whose slices are seen one after the other, as in calibration.",
    "observer": "A rule that chooses the range to keep from what it saw of the tensor.",
    "highlight": "Up to four rows in colour; only these draw their range on the histogram.",
    "view": "Full range shows every value; body shows the middle 99.9 %.",
    "variant": "The same rule with other settings, as a row of its own.",
    "sets": "Whose rules stand in the list: neutral ones, or those of a framework.",
    "lo": "Lower end of the clipping range; what lies below saturates.",
    "hi": "Upper end of the clipping range; what lies above saturates.",
    "scale": "Step between neighbouring levels, in input units.",
    "zero_point": "The code that stands for real 0.",
    "clipped_share": "Share of the elements whose code before clamping lies outside the codes.",
    "clipped_energy": "Squared error of the clipped elements over the sum of all squares.",
    "mse": "Mean squared error, in squared input units.",
    "clip_mse": "Part of the MSE that comes from clipped elements.",
    "round_mse": "Part of the MSE that comes from rounding inside the range.",
    "sqnr": "10 log10 of signal energy over error energy; 6 dB more halves the error.",
    "sqnr_centered": "SQNR with the mean taken off the signal: trust this one far from zero.",
    "worst_channel": "Lowest SQNR of any channel under the whole tensor's range.",
    "codes_used": "Distinct codes that occur.",
    "made": "exact: every element was counted. sketch: read off counts of leading bits.",
    "exact": "Judge every element instead of the sketch; takes a read of the tensor per row.",
    "pin": "Keep this row's numbers, to set them beside another tensor or scheme.",
    "upto": "Show what the observer knew after this many batches.",
    "path": "A file in a folder that this app was started in, or was given.",
}


def term(name: str) -> str:
    """The sentence that explains a term."""
    return TERMS[name]
