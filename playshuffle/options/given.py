"""Define the options that a command line gives, which replace those of a list."""

from typing import Any, NamedTuple

from playshuffle.options.table import Options

_AMOUNTS = frozenset(("limit", "time", "albums"))


class Given(NamedTuple):
    """The options of one command line.

    options: all of them; those that were not given have their defaults.
    names: the fields of those that were given.
    """

    options: Options = Options()
    names: frozenset[str] = frozenset()

    def plus(self, **values: Any) -> "Given":
        """Return these options and others, by their fields."""
        return Given(self.options._replace(**values), self.names.union(values))

    def over(self, options: Options) -> Options:
        """Return the options of a list with those that were given in their place."""
        values = {name: getattr(self.options, name) for name in self.names}
        if self.names & _AMOUNTS:
            values = dict.fromkeys(_AMOUNTS) | values
        if "source" in self.names:
            values.setdefault("folders", ())
        elif "folders" in self.names:
            values["source"] = None
        return options._replace(**values)


NOTHING_GIVEN = Given()
