"""Holds what we send against OpenAI's own Python SDK (`pip install openai`).

- Every tool and every message must fit the SDK's types, with no key that they don't know.
- The SDK's own lowering must have nothing left to do on a schema that we call strict.
- Responses that the SDK's types accept must be read by us; that half is in `tests/dialect`.

Without the package it says so and passes, but under `CI=true` it fails.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing

try:
    import openai
    from openai.lib._pydantic import _ensure_strict_json_schema
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
    from pydantic import TypeAdapter
except ImportError as missing:
    print(f"SKIPPED: {missing}; `pip install openai` to run this", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") == "true" else 0)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def wire():
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "wire.json"
        test = ["cargo", "test", "--quiet", "-p", "tests", "--test", "dialect", "--", "--exact", "interop::wire"]
        subprocess.run(test, cwd=ROOT, check=True, env=os.environ | {"TOOLKIT_WIRE_OUT": str(out)})
        return json.loads(out.read_text())


def plain(value):
    """The SDK's types read some lists lazily; this reads them out."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    return [plain(one) for one in value]


def check(kind, value):
    """The value as the SDK's type reads it; a key that the type doesn't know falls out of it."""
    known = plain(TypeAdapter(kind).validate_python(value))
    assert known == value, f"the SDK knows less of it:\n{value}\n{known}"


def main():
    sent = wire()
    strict = 0
    for tool in sent["tools"]:
        check(ChatCompletionToolParam, tool)
        function = tool["function"]
        schema = function["parameters"]
        if function["strict"]:
            copy = json.loads(json.dumps(schema))
            lowered = _ensure_strict_json_schema(copy, path=(), root=copy)
            assert lowered == schema, f"{function['name']}: the SDK changes\n{schema}\nto\n{lowered}"
            strict += 1
    assert 0 < strict < len(sent["tools"]), "both kinds of tools are there"
    for message in sent["messages"]:
        check(ChatCompletionMessageParam, message)
    check(typing.List[ChatCompletionMessageParam], sent["messages"])
    print(
        f"openai {openai.__version__} takes {len(sent['tools'])} tools ({strict} strict) "
        f"and {len(sent['messages'])} messages"
    )


main()
