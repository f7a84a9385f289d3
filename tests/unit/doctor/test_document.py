from pathlib import Path

import qviz
from qviz.doctor.base import RULES
from qviz.doctor.document import COMMAND, markdown

DOCUMENT = Path(qviz.__file__).parent.parent / "docs" / "doctor.md"


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == markdown(), COMMAND


def test_every_rule_has_a_row_with_its_reports():
    rows = {
        line.split("`")[1]: line
        for line in markdown().splitlines()
        if line.startswith("| `") and "`--" not in line[:6]
    }
    assert list(rows) == list(RULES)
    assert "pytorch/pytorch#173075" in rows["RANGE-FAR-FROM-ZERO"]
    assert "below 0.25" in rows["RANGE-FAR-FROM-ZERO"]
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows.values())
