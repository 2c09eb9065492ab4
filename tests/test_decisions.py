"""Check that no code makes a decision by the words of a message of playshuffle: codes and types decide."""

import ast
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import playshuffle

PACKAGE = Path(os.environ.get("PLAYSHUFFLE_PACKAGE", Path(playshuffle.__file__).parent))

# Names of variables and attributes that have texts for users.
TEXTS = frozenset([
    "advice", "cure", "detail", "in_configuration", "last_error", "note", "problem", "reason", "summary",
    "what", "why",
])  # fmt: skip
# Attributes that have such a text only on a value with one of these names.
OF_TEXTS = {"text": TEXTS | {"fault"}, "error": {"message", "failed"}}
READS = frozenset([
    "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace", "rfind",
    "rindex", "rpartition", "rsplit", "split", "splitlines", "startswith", "strip", "translate",
])  # fmt: skip
PATTERNS = frozenset(["findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"])

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module:
    """A module, with those of its names that are bound to texts for users."""

    def __init__(self, path: Path, errors: frozenset[str]) -> None:
        self.path = path
        self.tree = ast.parse(path.read_text())
        self.errors = errors
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.names: defaultdict[ast.AST, set[str]] = defaultdict(set)  # by function, or the module
        self.caught: defaultdict[ast.AST, set[str]] = defaultdict(set)  # names of our errors
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ExceptHandler) and node.name and self.is_error(node.type):
                self.caught[self.scope(node)].add(node.name)
            elif isinstance(node, ast.arg) and self.is_error(node.annotation):
                self.caught[self.scope(node)].add(node.arg)

    def is_error(self, node: ast.AST | None) -> bool:
        """Return whether an expression names a class of our errors."""
        return node is not None and any(
            isinstance(each, ast.Name) and each.id in self.errors for each in ast.walk(node)
        )

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function that a node is in, or the module."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, Function):
                return node
        return self.tree

    def is_text(self, node: ast.AST) -> bool:
        """Return whether the value of an expression is a text for users."""
        scope = self.scope(node)
        if isinstance(node, ast.Name):
            return node.id in TEXTS or node.id in self.names[scope]
        if isinstance(node, ast.Attribute):
            base = node.value
            name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
            return node.attr in TEXTS or name in OF_TEXTS.get(node.attr, ())
        return self._is_made_of_text(node)

    def _is_made_of_text(self, node: ast.AST) -> bool:
        if isinstance(node, ast.JoinedStr):
            values = (each.value for each in node.values if isinstance(each, ast.FormattedValue))
            return any(self.is_text(value) or self.is_our_error(value) for value in values)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "str" and node.args:
                return self.is_text(node.args[0]) or self.is_our_error(node.args[0])
            return node.func.id == "shown" and bool(node.args) and self.is_text(node.args[0])
        return isinstance(node, ast.BinOp) and (self.is_text(node.left) or self.is_text(node.right))

    def is_our_error(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.caught[self.scope(node)]

    def assignments(self) -> bool:
        """Note the names that a text for users is assigned to; return whether there are new ones."""
        before = sum(map(len, self.names.values()))
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if self.is_text(node.value):
                    names = [target.id for target in targets if isinstance(target, ast.Name)]
                    self.names[self.scope(node)].update(names)
        return sum(map(len, self.names.values())) > before

    def arguments(self) -> Iterator[tuple[str, int | str]]:
        """Yield each function called with a text for users, and the position or name of the argument."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from ((node.func.id, at) for at, arg in enumerate(node.args) if self.is_text(arg))
                named = ((word.arg, word.value) for word in node.keywords if word.arg is not None)
                yield from ((node.func.id, name) for name, value in named if self.is_text(value))

    def takes(self, passed: frozenset[tuple[str, int | str]]) -> bool:
        """Note the parameters that get a text for users; return whether there are new ones."""
        before = sum(map(len, self.names.values()))
        for node in self.tree.body:
            if isinstance(node, Function):
                parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                for at, parameter in enumerate(parameters):
                    is_str = isinstance(parameter.annotation, ast.Name) and parameter.annotation.id == "str"
                    if is_str and not passed.isdisjoint({(node.name, at), (node.name, parameter.arg)}):
                        self.names[node].add(parameter.arg)
        return sum(map(len, self.names.values())) > before

    def decisions(self) -> Iterator[str]:
        """Yield each expression that makes a decision by a text for users."""
        for node in ast.walk(self.tree):
            if self._decides(node):
                yield f"{self.path.relative_to(PACKAGE)}: {ast.unparse(node)}"

    def _decides(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_read = node.func.attr in READS and self.is_text(node.func.value)
            return is_read or (node.func.attr in PATTERNS and any(map(self.is_text, node.args)))
        if isinstance(node, ast.Compare):
            texts = [node.left, *node.comparators]
            for left, operator, right in zip(texts, node.ops, texts[1:], strict=False):
                if isinstance(operator, ast.In | ast.NotIn) and self.is_text(right):
                    return True
                if isinstance(operator, ast.Eq | ast.NotEq) and self.is_text(left) and is_words(right):
                    return True
        return False


def is_words(node: ast.AST) -> bool:
    """Return whether an expression is a text of several words; one word may be a code."""
    return isinstance(node, ast.Constant) and " " in str(node.value)


def modules() -> Sequence[Module]:
    """Return the modules of the package, with all names that are bound to texts for users."""
    paths = sorted(PACKAGE.rglob("*.py"))
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    errors = {"PlayshuffleError"}
    while new := {name for name, of in bases.items() if of & errors} - errors:
        errors |= new
    found = [Module(path, frozenset(errors)) for path in paths]
    is_new = True
    while is_new:
        is_assigned = [module.assignments() for module in found]
        passed = frozenset(each for module in found for each in module.arguments())
        is_new = any([*is_assigned, *[module.takes(passed) for module in found]])
    return found


def test_no_code_makes_a_decision_by_the_words_of_a_message() -> None:
    assert [decision for module in modules() for decision in module.decisions()] == []
