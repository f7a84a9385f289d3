"""``golden``: replay recorded vectors of the real libraries."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qviz.cli.text import plain
from qviz.golden.replay import BACKENDS, Report, replay
from qviz.golden.vectors import folders, load

FAILED = 1
MOST = 20  # failing cases told in full for each set


def add(commands: Any) -> None:
    """Add the command."""
    words = "Replay recorded vectors of the real libraries through the public functions."
    made = commands.add_parser("golden", help=words, description=words)
    made.add_argument("folder", type=Path, metavar="DIR", help="a set, or a folder of sets")
    made.add_argument("--backend", choices=BACKENDS, default="numpy", help="kind of the inputs")
    made.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="of tensors")
    made.add_argument("--json", action="store_true", help="print the report as JSON")
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Replay each set; 1 if a case fails."""
    reports: dict[str, Report] = {}
    for folder in folders(options.folder):
        vectors = load(folder)
        twice = vectors.name in reports
        name = f"{vectors.name} ({folder.name})" if twice else vectors.name
        reports[name] = replay(vectors, options.backend, options.device)
    if options.json:
        whole = {name: asdict(r) | {"closing": r.closing} for name, r in reports.items()}
        print(json.dumps(whole, indent=1))
    else:
        print("\n".join(line for name, report in reports.items() for line in _told(name, report)))
    return FAILED if any(report.failures for report in reports.values()) else 0


def _told(name: str, report: Report) -> list[str]:
    lines = [plain(f"{f.case} ({f.op}): {f.words}") for f in report.failures[:MOST]]
    more = len(report.failures) - MOST
    lines += [f"... and {more} more"] * (more > 0)
    return [plain(f"-- {name}"), *lines, plain(report.closing)]
