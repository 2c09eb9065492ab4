"""List phrases that readers have to decode, with the words to write instead."""

import re
from typing import NamedTuple


class Rule(NamedTuple):
    """A forbidden phrase, and the words to write instead."""

    pattern: re.Pattern[str]
    write: str


RULES = [
    Rule(re.compile(pattern, re.IGNORECASE), write)
    for pattern, write in (
        (r"\bleav(?:e|es|ing)\b[^.;\n]{1,40}\baway\b", "omit, remove"),
        (r"\banew\b|\bafresh\b", "again"),
        (r"\bseldom\b", "rarely"),
        (r"\b(?:of|by) (?:an)?other hands?\b|\bof any hand\b", "from another program"),
        (r"\bone of both\b", "either"),
        (r"\bso many (?:tracks|times|files|plays|bytes|places|swaps|deals|folders)\b", "N, the number of"),
        (
            r"\b(?:is|are) no (?:\w+ )?(?:folder|file|track|playlist|player|part|number|order|name)s?\b",
            "is not a",
        ),
        (r"\bmend(?:s|ed|ing)?\b", "fix"),
        (r"\bamiss\b", "wrong"),
        (r"\b(?:whither|whence|thereof|hitherto|wherefore)\b", "where, of it"),
        (r"\b(?:their|its) kin\b", "similar"),
        (r"\bbears? (?:a|an|the|no|it|one)\b", "tolerate, accept"),
        (r"\b(?:it is|is) meant\b", "on purpose"),
        (r"\bdoes? not go with\b|\bgoes with\b", "works with"),
        (
            r"\bwhat (?:is|was|were) (?:gone|new|wanted|there|said|told|heard|found|read|written|known)\b",
            "the thing itself: new tracks, the saved order",
        ),
        (r"\bof which (?:no|it|they|the)\b", "two sentences"),
        (r"\bin which it lies\b", "its folder"),
        (r"\b(?:is|be|was) told (?:of|that|when)\b", "reported"),
        (r"\ball was (?:heard|said|read)\b", "every track has been"),
        (r"\bhow (?:it|they|the \w+) stands?\b", "status"),
        (r"\bis drawn (?:anew|afresh)\b|\bdrawn place\b", "random position"),
        (r"\b\d+ %", "13%, without a space"),
    )
]


# Phrases that go round about a thing instead of naming it. A few are right, so they are counted.
INDIRECT = re.compile(
    r"\bwhat (is|are|it|they|the)\b|\b(those|that) (of|by|in)\b|\b(by|of|in|to|for) which\b|\bis no\b",
    re.IGNORECASE,
)


def faults(text: str) -> list[str]:
    """Return the forbidden phrases in a text, each with the words to write instead."""
    return [f"{match[0]!r}: write {rule.write}" for rule in RULES for match in rule.pattern.finditer(text)]
