"""Anonymous memory of a fresh interpreter: what a read costs, without its mapped pages."""

import subprocess
import sys

PROGRAM = """
import sys
{imports}
from pathlib import Path
from qviz.sources.base import LOADERS, open_file

def anonymous():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

list(LOADERS)
before = anonymous()
source = open_file(sys.argv[1])
x = source[sys.argv[2]]
total = 0.0
for start in range(0, len(x), 2**20):
    total += float(x[start : start + 2**20].sum())
print(anonymous() - before, total, "torch" in sys.modules)
"""


def cost_of_reading(path, name, imports=""):
    """Kibibytes of anonymous memory it takes to open the file and add all elements up; the sum;
    whether torch was imported."""
    program = PROGRAM.format(imports=imports)
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), name],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    kibibytes, total, torch = done.stdout.split()
    return int(kibibytes), float(total), torch == "True"


def grown(path, head, nbytes, tail):
    """A sparse file: ``head``, zeros, and ``tail`` at the end of ``nbytes`` of data."""
    with path.open("wb") as stream:
        stream.write(head)
        stream.truncate(len(head) + nbytes)
        stream.seek(len(head) + nbytes - len(tail))
        stream.write(tail)
    return path
