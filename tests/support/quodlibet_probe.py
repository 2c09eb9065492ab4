"""Play a list in the real model of Quod Libet with an order of the plugin, from JSON to JSON.

It is a separate program, because Quod Libet runs on Debian's Python. Steps: "next", "previous",
"restart", "forget", ["add", song], ["remove", key], ["choose", key], ["show", keys],
["order", class].
"""

import importlib.util
import json
import os
import sys
from typing import Any

import quodlibet

quodlibet.init_cli()

from quodlibet import config  # noqa: E402
from quodlibet.formats import AudioFile  # noqa: E402
from quodlibet.qltk.songmodel import PlaylistModel  # noqa: E402

config.init()


def key_at(model: Any) -> str | None:
    return model.current.key if model.current is not None else None


def model_of(order: Any, songs: Any, resets: bool) -> Any:
    """Return a model of songs. Without `resets`, as since 4.6, changed rows do not reset the order."""
    model = PlaylistModel(order)
    if not resets and hasattr(model, "_PlaylistModel__sigs"):
        for handler in model._PlaylistModel__sigs:
            model.handler_disconnect(handler)
        model._PlaylistModel__sigs = []
    model.set(list(songs.values()))
    return model


def main() -> None:
    job = json.load(sys.stdin)
    spec = importlib.util.spec_from_file_location("playshuffle_orders", job["plugin"])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    songs = {song["~filename"]: AudioFile(song) for song in job["songs"]}
    model = model_of(getattr(module, job["order"]), songs, job["resets"])
    answers: list[str | None] = []
    for step in job["steps"]:
        verb: str = step if isinstance(step, str) else step[0]
        value: Any = None if isinstance(step, str) else step[1]
        if verb in ("next", "previous"):
            getattr(model, verb)()
            answers.append(key_at(model))
        elif verb in ("restart", "forget"):
            if verb == "forget":
                os.unlink(os.path.join(quodlibet.get_user_dir(), "playshuffle.json"))
                songs = {song["~filename"]: AudioFile(song) for song in job["songs"]}
            model = model_of(getattr(module, job["order"]), songs, job["resets"])
        elif verb == "order":
            job["order"] = value
            model.order = getattr(module, value)()
        elif verb == "add":
            songs[value["~filename"]] = AudioFile(value)
            model.append(row=[songs[value["~filename"]]])
        elif verb == "remove":
            model.remove(model.find(songs.pop(value)))
        elif verb == "choose":
            model.go_to(songs[value], explicit=True)
            answers.append(key_at(model))
        elif verb == "show":
            model.set([songs[key] for key in value])
    json.dump({"version": quodlibet.get_build_version(), "answers": answers}, sys.stdout)


main()
