"""``bench``: measure speed, accuracy and memory beside others that do the same work."""

from __future__ import annotations

import argparse
import json
import platform
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qviz.bench.base import JOBS, Report, Setup, Verdict
from qviz.cli.shown import strict
from qviz.cli.text import number, table
from qviz.cli.versions import versions
from qviz.errors import QvizError

FAILED = 1
VOID = "void: the machine was too busy, its reads differ more than twofold; try again"


def add(commands: Any) -> None:
    """Add the command."""
    words = "Measure speed, accuracy and memory; CPU times beside one read of the same tensor."
    made = commands.add_parser("bench", help=words, description=words)
    made.add_argument("job", nargs="+", metavar="JOB", help=f"all, or: {', '.join(JOBS)}")
    made.add_argument("--n", type=_count, default=10**7, help="elements, 1e7 say")
    made.add_argument("--dtype", default="float32", help="float32, float16 ...")
    made.add_argument("--dist", default="laplace", help="gauss, laplace, student, relu, uniform")
    made.add_argument("--threads", type=_count, default=1, help="of torch (default: 1)")
    made.add_argument("--rounds", type=_count, default=7, help="interleaved (default: 7)")
    made.add_argument("--seed", type=int, default=0, help="of the values (default: 0)")
    made.add_argument("--json", metavar="FILE", type=Path, help="also write the reports here")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the jobs one after another; 1 if a result differs from what it is compared with."""
    names = list(JOBS) if options.job == ["all"] else options.job
    jobs = {name: JOBS[name] for name in names}
    setup = Setup(*(getattr(options, name) for name in Setup.__dataclass_fields__))
    reports: dict[str, Report] = {}
    for name, job in jobs.items():
        reports[name] = job(setup)
        print(shown(name, reports[name]), flush=True)
    if options.json:
        _write(options.json, setup, reports)
    return FAILED if any(report.failed for report in reports.values()) else 0


def shown(name: str, report: Report) -> str:
    """A report as text."""
    parts = [f"-- {name}: {JOBS.entry(name).title}"]
    if report.rows:
        heads = list(dict.fromkeys(key for row in report.rows for key in row))
        parts.append(table(heads, [[_cell(row.get(h)) for h in heads] for row in report.rows]))
    parts += [f"{_word(v, 'equal', 'UNEQUAL')}  {v.name}: {v.words}" for v in report.verdicts]
    parts += [f"{_word(v, 'yes', 'no')}  {v.name}: {v.words}" for v in report.goals]
    parts += [*report.notes, *([VOID] if report.void else [])]
    return "\n".join(parts)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else number(value)


def _word(verdict: Verdict, good: str, bad: str) -> str:
    return good if verdict.holds else bad


def _write(path: Path, setup: Setup, reports: dict[str, Report]) -> None:
    machine = dict(line.split(maxsplit=1) for line in versions().splitlines())
    machine["processor"] = platform.processor() or platform.machine()
    found = {"setup": asdict(setup), "versions": machine, "jobs": {}}
    for name, report in reports.items():
        told = {key: getattr(report, key) for key in ("void", "failed", "notes", "read_ms")}
        told["rows"] = [{k: strict(v) for k, v in row.items()} for row in report.rows]
        told |= {k: [asdict(v) for v in getattr(report, k)] for k in ("verdicts", "goals")}
        found["jobs"][name] = told
    try:
        path.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise QvizError(f"{path} cannot be written.", f"{error.strerror}.", "Check it.") from error


def _count(text: str) -> int:
    try:
        value = float(text)
        whole = int(value)
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from error
    if whole != value or whole < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return whole
