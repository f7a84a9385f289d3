"""Reads the scopes of a model from its records; nothing is decoded."""

from __future__ import annotations

from qviz.errors import RefusedFile
from qviz.sources.onnx.records import Node, Numbers, Scope, Stored
from qviz.sources.onnx.wire import Record, Span, Wire, varints

DEPTH = 32  # of graphs within graphs
EXTERNAL = 1
TYPED = (4, 5, 7, 10, 11)  # fields of typed data: float, int32, int64, double, uint64
LISTS = {"value_float": 2, "value_floats": 7, "value_int": 3, "value_ints": 8}  # of a Constant


class Reader:
    """Reads the scopes of a model. Raises RefusedFile: L13 external data, L15 damage."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.scopes: list[Scope] = []
        self.graphs = 0

    def model(self, end: int) -> list[Scope]:
        """All scopes of the model that fills the first ``end`` bytes."""
        model = self.wire.record(0, end)
        self.graphs = len(model.spans(7))
        for span in model.spans(7):
            self._graph(Scope(""), span)
        for span in model.spans(20):
            training = self.wire.record(*span)
            for inner in training.spans(1) + training.spans(2):
                self._graph(Scope("training/"), inner)
        for span in model.spans(25):
            function = self.wire.record(*span)
            scope = Scope(f"{function.text(1) or 'function'}/")
            self._nodes(scope, function, 7)
            for inner in function.spans(11):
                self._attribute(scope, Node(function.text(1)), inner)
        return self.scopes

    def _graph(self, scope: Scope, span: Span) -> None:
        if scope.depth > DEPTH:
            raise self.wire.damaged(f"Its graphs nest deeper than {DEPTH}.")
        graph = self.wire.record(*span)
        for inner in graph.spans(5):
            stored = self._tensor(inner)
            self._keep(scope, stored.name, stored)
        scope.sparse += [self._sparse(inner) for inner in graph.spans(15)]
        self._nodes(scope, graph, 1)

    def _nodes(self, scope: Scope, record: Record, number: int) -> None:
        self.scopes.append(scope)
        for span in record.spans(number):
            made = self.wire.record(*span)
            node = Node(made.text(3), made.text(4), made.texts(1), made.texts(2))
            scope.nodes.append(node)
            for inner in made.spans(5):
                self._attribute(scope, node, inner)

    def _attribute(self, scope: Scope, node: Node, span: Span) -> None:
        """Keep what an attribute stores, and walk the graphs that it holds."""
        made = self.wire.record(*span)
        name = made.text(1)
        own = f"{node.name or node.op or 'node'}.{name}"
        constant = node.op == "Constant"
        kept = node.outputs[0] if constant and node.outputs else own
        if made.numbers(3):
            node.numbers[name] = made.numbers(3)[-1]
        for inner in made.spans(5) + made.spans(10):
            stored = self._tensor(inner)
            if constant:
                self._keep(scope, kept, stored)
            elif node.op != "ConstantOfShape":
                scope.keep(kept, stored)
        scope.sparse += [self._sparse(i) or kept for i in made.spans(22) + made.spans(23)]
        for inner in made.spans(6) + made.spans(11):
            self._graph(Scope(f"{scope.prefix}{own}/", scope, depth=scope.depth + 1), inner)
        if constant and name in LISTS:
            self._keep(scope, kept, _numbers(made, name, span))

    def _keep(self, scope: Scope, name: str, found: Stored | Numbers) -> None:
        """Take in a constant that nodes read by name: of two it is open which they mean."""
        if name and name in scope.places:
            raise self.wire.damaged(f"It stores {name[:80]} twice.")
        scope.keep(name, found)

    def _tensor(self, span: Span) -> Stored:
        """A tensor's record. Raises RefusedFile (L13) where its data lies in another file."""
        made = self.wire.record(*span)
        if made.spans(13) or EXTERNAL in made.numbers(14)[-1:]:
            raise self._external(made)
        return Stored(
            span,
            made.text(8),
            made.numbers(1),
            (made.numbers(2) or [0])[-1],
            (made.spans(9) or [None])[-1],
            [(number, at) for number in TYPED for at in made.spans(number)],
            sum(made.loose(number) for number in TYPED),
        )

    def _sparse(self, span: Span) -> str:
        """The name of a sparse tensor, whose parts must not lie outside either."""
        made = self.wire.record(*span)
        parts = [self._tensor(inner) for inner in made.spans(1) + made.spans(2)]
        return parts[0].name if parts else ""

    def _external(self, made: Record) -> RefusedFile:
        entries = [self.wire.record(*span) for span in made.spans(13)]
        named = [entry.text(2) for entry in entries if entry.text(1) == "location"]
        where = named[-1][:160] if named else "a file that it does not name"
        name = made.text(8)[:80] or "A tensor"
        return RefusedFile(
            f"{self.wire.shown} keeps tensors in another file.",
            f"{name} lies in {where}, and nothing outside the model is opened.",
            "Save it as one file: onnx.save_model(model, path, save_as_external_data=False).",
            code="L13",
        )


def _numbers(made: Record, name: str, span: Span) -> Numbers:
    """Numbers that a Constant holds without a tensor around them."""
    field, data = LISTS[name], made.wire.data
    kind = "float32" if field in (2, 7) else "int64"
    packed = sum((b - a) // 4 if field == 7 else varints(data[a:b]) for a, b in made.spans(field))
    return Numbers(span, kind, made.loose(field) + packed, not name.endswith("s"))
