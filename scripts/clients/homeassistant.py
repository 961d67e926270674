"""Reads texts for Home Assistant with the libraries that it uses, and does what it would do.

Standard input is a JSON object of the texts by their names. Standard output is one of what
came of each: of a script the data of its action, of a sensor of REST its state, of a card
what it is made of.
"""

import json
import sys
import urllib.request

import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment


def rendered(part, **known):
    """Returns a part of a text with its strings rendered as templates, in lists and dictionaries too."""
    if isinstance(part, str):
        return ImmutableSandboxedEnvironment().from_string(part).render(**known)
    if isinstance(part, list):
        return [rendered(inner, **known) for inner in part]
    if isinstance(part, dict):
        return {key: rendered(inner, **known) for key, inner in part.items()}
    return part


def state_of(rest):
    """Returns the state of the only sensor of a resource."""
    (sensor,) = rest["sensor"]
    request = urllib.request.Request(rest["resource"], headers={"User-Agent": "HomeAssistant"})
    with urllib.request.urlopen(request, timeout=10) as response:
        value = response.read().decode()
    return {"name": rendered(sensor["name"]), "state": rendered(sensor["value_template"], value=value, value_json=json.loads(value))}


def outcome(text):
    """Returns what comes of a text."""
    read = yaml.safe_load(text)
    if not isinstance(read, dict):
        return read  # an address
    if "rest" in read:
        (rest,) = read["rest"]
        return state_of(rest)
    if "script" in read:
        (script,) = read["script"].values()
        (step,) = script["sequence"]
        return {"alias": script["alias"], "action": rendered(step["action"]), **rendered(step["target"]), **rendered(step["data"])}
    return read


json.dump({name: outcome(text) for name, text in json.load(sys.stdin).items()}, sys.stdout)
