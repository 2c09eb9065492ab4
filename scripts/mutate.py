"""Change functions in memory, one place at a time, and list the changes that no fast test notices.

python -m scripts.mutate                             # 30 changes of each module of the table
python -m scripts.mutate library/missing dealing/rounds --count 60 --seed 2
"""

import argparse
import ast
import copy
import gc
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import cast

import pytest

# The tests of each module, those that notice most first.
TESTS = {
    "library/track_table": ["library/test_track_table.py", "library", "store/test_state.py"],
    "library/identity": ["library/test_track_table.py", "library", "pipeline/test_exchanged_files.py"],
    "library/missing": ["library/test_missing.py", "library", "store/test_home_paths.py"],
    "pipeline/undo": ["pipeline/test_undo.py"],
    "pipeline/deal": [
        "pipeline/test_last_deal.py",
        "pipeline/test_deals_by_plays.py",
        "pipeline/test_deal_model.py",
        "pipeline",
    ],
    "dealing/next_deal": ["dealing/test_deck.py", "dealing", "pipeline/test_deals_by_plays.py"],
    "dealing/rounds": ["dealing/test_rounds.py", "dealing"],
    "exporting/export": ["exporting/test_export.py", "exporting"],
    "store/records": ["store/test_records.py", "store", "pipeline/test_record.py", "pipeline/test_undo.py"],
    "history/matching": ["history/test_matching.py", "history/test_histories.py"],
}
_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or,
    ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_Codes = dict[tuple[str, int], CodeType]


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes that can replace a node: other operators, values and conditions, or nothing."""
    operator = getattr(node, "op", None) or (getattr(node, "ops", None) or [None])[0]
    if swap := _SWAPS.get(cast(type[ast.AST], type(operator))):
        yield _with(node, **({"op": swap()} if hasattr(node, "op") else {"ops": [swap(), *node.ops[1:]]}))  # type: ignore[attr-defined]
    match node:
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(cast(float, node.value) + 1)
        case ast.If() | ast.While() | ast.IfExp():
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.comprehension(ifs=[first, *rest]):
            yield _with(node, ifs=[ast.UnaryOp(ast.Not(), first), *rest])
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield ast.Return()
        case (
            ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom())
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
            | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete()
        ):  # fmt: skip
            yield ast.Pass()


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    vars(other).update(fields)
    return other


def _places(node: ast.AST, *, is_code: bool = False) -> Iterator[tuple[ast.AST, str, int, ast.AST]]:
    """Yield parent, field, index and child of each node in the functions below a node."""
    is_function = isinstance(node, ast.FunctionDef)
    for field, value in ast.iter_fields(node):
        if field == "annotation" or (is_function and field != "body"):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            # `strict` of zip is a check for faults of the code, which no test can reach.
            if isinstance(child, ast.AST) and getattr(child, "arg", "") != "strict":
                if is_code or is_function:
                    yield node, field, index, child
                yield from _places(child, is_code=is_code or is_function)


def _put(parent: ast.AST, field: str, index: int, child: ast.AST) -> None:
    if isinstance(getattr(parent, field), list):
        getattr(parent, field)[index] = child
    else:
        setattr(parent, field, child)


def mutants(path: Path) -> list[tuple[str, _Codes]]:
    """Return each change of a module: its description, and the code of its functions."""
    tree, found = ast.parse(path.read_text()), []
    for parent, field, index, child in _places(tree):
        for other in _changes(child):
            ast.copy_location(other, child)
            _put(parent, field, index, other)
            code = compile(ast.fix_missing_locations(tree), str(path), "exec")
            before, after = (ast.unparse(part).partition("\n")[0] for part in (child, other))
            line = getattr(child, "lineno", 0) or getattr(parent, "lineno", 0)
            found.append((f"{line}: {before} -> {after}", dict(_functions(code))))
            _put(parent, field, index, child)
    return found


def _functions(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """Yield the code of functions by name and line."""
    yield (code.co_qualname, code.co_firstlineno), code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _functions(part)


class Mutation:
    """A plugin that runs the collected tests once for each change."""

    def __init__(self, module: str, count: int, seed: int) -> None:
        self._module, path = module, Path("playshuffle", f"{module}.py").resolve()
        found = mutants(path)
        self._path, self._chosen = str(path), random.Random(seed).sample(found, min(count, len(found)))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        assert not self._is_noticed(session, {}), f"the tests of {self._module} fail without a change"
        lived = [text for text, codes in self._chosen if not self._is_noticed(session, codes)]
        lines = [f"{self._module}: {len(lived)} of {len(self._chosen)} not noticed", *lived]
        os.write(3, ("\n  ".join(lines) + "\n").encode())
        return True

    def _is_noticed(self, session: pytest.Session, codes: _Codes) -> bool:
        if process := os.fork():
            return os.waitpid(process, 0)[1] != 0
        for function in gc.get_objects():
            if isinstance(function, FunctionType) and function.__code__.co_filename == self._path:
                code = function.__code__
                function.__code__ = codes.get((code.co_qualname, code.co_firstlineno), code)
        items = list({item.nodeid: item for item in session.items}.values())
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os._exit(1)
        os._exit(0)


def main() -> None:
    """Read the options, and report on each module."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("modules", nargs="*", default=list(TESTS))
    words.add_argument("--count", type=int, default=30)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    os.dup2(1, 3)
    for module in given.modules:
        if not (process := os.fork()):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            options = ["-qm", "not process", "--timeout=120", "-pno:cacheprovider", "-pno:xdist"]
            tests = [f"tests/{test}" for test in TESTS[module]]
            sys.exit(pytest.main([*options, *tests], [Mutation(module, given.count, given.seed)]))
        os.waitpid(process, 0)


if __name__ == "__main__":
    main()
