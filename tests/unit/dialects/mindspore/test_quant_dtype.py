"""Numbers and bits of QuantDtype, and the names it goes by."""

from types import SimpleNamespace

from qviz.dialects.mindspore.quant_dtype import QuantDtype, quant_dtype_of


def test_numbers_and_bits():
    assert len(QuantDtype) == 32
    assert (QuantDtype.INT1.value, QuantDtype.INT16.value) == (0, 15)
    assert (QuantDtype.UINT1.value, QuantDtype.UINT16.value) == (100, 115)
    for member in QuantDtype:
        assert member.name.lstrip("UINT") == str(member.num_bits)


def test_a_member_a_name_or_an_object_of_that_name():
    for given in (QuantDtype.UINT4, "UINT4", "QuantDtype.UINT4", SimpleNamespace(name="UINT4")):
        assert quant_dtype_of(given) is QuantDtype.UINT4
