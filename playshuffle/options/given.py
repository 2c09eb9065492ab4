"""Define the options that a command line gives; they replace the options of a list."""

from typing import Any, NamedTuple

from playshuffle.options.table import Options

_AMOUNTS = frozenset(("limit", "time", "groups", "size"))


class Given(NamedTuple):
    """The options of one command line.

    Attributes:
        options: all options of a playlist; those not given have their defaults.
    """

    options: Options = Options()
    names: frozenset[str] = frozenset()

    def plus(self, **values: Any) -> "Given":
        return Given(self.options._replace(**values), self.names.union(values))

    def over(self, options: Options) -> Options:
        values = {name: getattr(self.options, name) for name in self.names}
        if self.names & _AMOUNTS:
            values = dict.fromkeys(_AMOUNTS) | values
        if values.get("done_when") == "dealt":
            values.setdefault("patience", None)
        if "source" in self.names:
            values.setdefault("folders", ())
        elif "folders" in self.names:
            values["source"] = None
        return options._replace(**values)


NOTHING_GIVEN = Given()
