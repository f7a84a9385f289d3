import numpy as np
import pandas as pd
import pytest

from qviz.errors import RefusedFile
from qviz.sources.base import open_file

X = np.random.default_rng(0).normal(size=(7, 3))


def opened(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_file(path)


def test_a_table_written_by_pandas_comes_back_bit_for_bit(tmp_path):
    pd.DataFrame(X, columns=["a", "b", "c"]).to_csv(tmp_path / "t.csv", index=False)
    source = open_file(tmp_path / "t.csv")
    assert source.names == ("t", "a", "b", "c")
    assert np.array_equal(source["t"], X) and np.array_equal(source["b"], X[:, 1])
    assert source.info("t").shape == (7, 3) and source.info("t").dtype == "float64"
    assert {info.role for info in source.infos.values()} == {"unknown"}


@pytest.mark.parametrize("delimiter", [" ", ",", ";", "\t", ", "])
def test_a_table_written_by_numpy_comes_back(tmp_path, delimiter):
    np.savetxt(tmp_path / "t.txt", X, delimiter=delimiter, fmt="%.17g")
    source = open_file(tmp_path / "t.txt")
    assert source.names == ("t",) and np.array_equal(source["t"], X)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("a;b\n1,5;2\n3;4,25\r\n", [[1.5, 2], [3, 4.25]]),
        ("# a b\n1 2\n", [[1, 2]]),
        ('"1","2"\n"3","4"', [[1, 2], [3, 4]]),
        ('"x, y",z\n1,2\n3,4', [[1, 2], [3, 4]]),
        ("  1.0e+00  2.0\n  3  -.5\n", [[1, 2], [3, -0.5]]),
        ("1,2\n\n\n3,4\n\n", [[1, 2], [3, 4]]),
        ("+1,+2e+3\n-3,4", [[1, 2000], [-3, 4]]),
        ("99999999999999999999,1\n0,0", [[1e20, 1], [0, 0]]),
        ("\ufeff1,2\n3,4", [[1, 2], [3, 4]]),
        ("1\n2\n3", [1, 2, 3]),
        ("1,2,3", [[1, 2, 3]]),
        ("# hello\n1,2\n3,4", [[1, 2], [3, 4]]),
        ("\ufeff# by a tool 3\n  # 2\n#\n\n1 2\n3 4", [[1, 2], [3, 4]]),
        ("# hello\n1\n2", [1, 2]),
        ("# hello\na,b\n1,2\n", [[1, 2]]),
        ("#" * 9_000 + "\n1\n2", [1, 2]),
        ("7.5", [7.5]),
    ],
)
def test_spellings_of_tables(tmp_path, text, want):
    source = opened(tmp_path / "t.csv", text)
    assert source["t"].tolist() == want


def test_whole_numbers_stay_whole(tmp_path):
    source = opened(tmp_path / "t.csv", "9007199254740993,-1\n0,1\n")
    assert source["t"].dtype == np.int64 and source["t"][0, 0] == 2**53 + 1


def test_words_for_nan_and_infinity_are_numbers(tmp_path):
    source = opened(tmp_path / "t.csv", "NaN\ninf\n-inf\nnan\n-Infinity\n1\n")
    got = source["t"].tolist()
    assert np.isnan(got[0]) and np.isnan(got[3])
    assert got[1:3] + got[4:] == [np.inf, -np.inf, -np.inf, 1]


def test_an_index_column_and_more_columns_than_are_listed(tmp_path):
    pd.DataFrame(X).to_csv(tmp_path / "t.csv")
    source = open_file(tmp_path / "t.csv")
    assert source.names == ("t", "column 1", "0", "1", "2")  # the first is the index
    assert np.array_equal(source["t"][:, 1:], X) and source["0"].tolist() == X[:, 0].tolist()
    named = pd.DataFrame(np.ones((2, 300)), columns=[f"c{n}" for n in range(300)])
    named.to_csv(tmp_path / "wide.csv", index=False)
    assert open_file(tmp_path / "wide.csv").names == ("wide",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,hello\n", "Row 2, column 2 says 'hello', which is no number."),
        ("1,2\n3,x\n", "Row 2, column 2 says 'x'"),
        ("1,,2\n3,4,5", "Row 1, column 2 is empty."),
        ("1,2\n3,\n", "Row 2, column 2 is empty."),
        ("1,2\n3\n", "Row 2 has 1 cell, the first 2."),
        ("# hello\na,b\n1,x\n", "Row 3, column 2 says 'x'"),
        ("# hello\n1,2\n3\n", "Row 3 has 1 cell"),
        ("1,1e400\n2,inf", "Row 1, column 2 says '1e400', which lies beyond float64."),
        ("inf,1\n 3, -1e999", "Row 2, column 2 says '-1e999', which lies beyond float64."),
        ("x\n1,5\n2,5\n", "Its header names 1 column; its rows have 2."),
        ("a,b\n1\n", "Its header names 2 columns; its rows have 1."),
        ("1,2\n1-2,3", "'1-2'"),
        ("1,2\n0x10,3", "'0x10'"),
        ("1,true\n0,false", "'true'"),
        ('1,2\n1"5,3', "'1\"5'"),
    ],
)
def test_what_is_no_number_is_named_by_row_and_column(tmp_path, text, words):
    with pytest.raises(RefusedFile) as caught:
        opened(tmp_path / "t.csv", text)
    assert words in caught.value.why and caught.value.code == "L22" and caught.value.do


def test_a_last_comment_may_name_the_columns(tmp_path):
    np.savetxt(tmp_path / "t.txt", X, delimiter=",", header="made by hand\na,b,c")
    assert open_file(tmp_path / "t.txt").names == ("t", "a", "b", "c")
    assert opened(tmp_path / "u.csv", "# two words\n1,2,3\n").names == ("u",)


def test_a_single_column_goes_by_its_header(tmp_path):
    source = opened(tmp_path / "t.csv", "width\n1\n2\n")
    assert source.names == ("width",) and source["width"].tolist() == [1, 2]
    assert source.info("width").role == "unknown"


@pytest.mark.parametrize("text", ["x\n1,5\n2,5\n", "1,5\n2\n3,5\n", "2\n3,25\n"])
def test_decimal_commas_of_a_single_column_are_told(tmp_path, text):
    with pytest.raises(RefusedFile) as caught:
        opened(tmp_path / "t.csv", text)
    assert "If its commas mark decimals, write points" in caught.value.do


def test_two_columns_of_whole_numbers_may_have_been_decimals(tmp_path):
    assert "decimals need points" in opened(tmp_path / "t.csv", "1,5\n2,5\n").info("t").about
    assert opened(tmp_path / "t.csv", "a,b\n1,5\n2,5\n").info("t").about == "2 rows"
    assert opened(tmp_path / "t.csv", "1;5\n").info("t").about == "1 row"
