"""Lists files without reading their tensors, and reads pasted text, under the limits of a child.

Run as ``python -m tests.security.listing`` with a JSON list of ``[kind, what]`` on standard input:
a path to be listed, or text that was pasted.
"""

import json
import sys
import time

from qviz.errors import QvizError
from qviz.sources.base import open_file
from qviz.sources.pasted import pasted
from tests.security.child import Ending, limit, peak

DO = {"list": lambda path: len(open_file(path)), "paste": lambda text: pasted(text).array.size}


def outcome(kind, what):
    """The count of tensors or numbers, or why there is none; seconds of the processor; bytes."""
    before, start, count = peak(), time.process_time(), 0
    with Ending() as ending:
        count = DO[kind](what)
    said = {"count": count, "words": "", "raised": ""}
    if isinstance(ending.error, QvizError):
        said["words"] = str(ending.error)
    elif ending.error is not None:
        said["raised"] = repr(ending.error)
    return said | {"seconds": time.process_time() - start, "memory": peak() - before}


def main():
    tasks = json.load(sys.stdin)
    limit()
    for kind, what in tasks:
        sys.stdout.write(json.dumps(outcome(kind, what)) + "\n")


if __name__ == "__main__":
    main()
