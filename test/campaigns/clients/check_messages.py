"""Checks what passed between clients and servers: check_messages.py FOLDER...

Each folder has the bytes of one connection: `in` is what the client sent, `out` what the server sent, `stderr` what it
wrote there, which must be nothing where the client shows progress, `code` its exit code. Every message of
the server must be read by the types that lsprotocol generates from the specification's own model, and be written by
them again unchanged, so that no property is unknown, missing or of another type. Requests must be answered exactly
once, and nothing may be sent that the client did not announce. Prints `{"messages": N, "problems": [...]}`.
"""

import json
import re
import sys
from pathlib import Path

from lsprotocol import converters, types

converter = converters.get_converter()
# The client learns of these only where its capabilities have the property.
needed_capability = {
    "window/workDoneProgress/create": "window.workDoneProgress",
    "workspace/workspaceFolders": "workspace.workspaceFolders",
    "workspace/configuration": "workspace.configuration",
    "workspace/applyEdit": "workspace.applyEdit",
    "window/showDocument": "window.showDocument.support",
    "workspace/textDocumentContent/refresh": "workspace.textDocumentContent",
}


def messages_of(path: Path) -> list[dict]:
    data = path.read_bytes()
    found = []
    while data:
        head = re.match(rb"(?:[\w-]+: [^\r\n]*\r\n)+\r\n", data)
        assert head, f"{path}: no header at {data[:60]!r}"
        length = int(re.search(rb"Content-Length: (\d+)", head[0])[1])
        body = data[head.end() : head.end() + length]
        if len(body) < length:
            break  # The connection was cut.
        found.append(json.loads(body.decode("utf-8")))
        data = data[head.end() + length :]
    return found


def plain(value):
    """Drops null properties, which the types write as absent."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if each is not None}
    return [plain(each) for each in value] if isinstance(value, list) else value


def problem_with(message: dict, kind) -> str | None:
    try:
        written = converter.unstructure(converter.structure(message, kind))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None if plain(written) == plain(message) else f"is written as {json.dumps(plain(written))}"


def has_capability(capabilities: dict, path: str) -> bool:
    value = capabilities
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value not in (None, False)


def registrations_in(message: dict) -> list[str]:
    registrations = message.get("params", {}).get("registrations", [])
    return [registration["method"] for registration in registrations]


def problems_of(sent: list[dict], received: list[dict], folder: Path) -> list[str]:
    problems = []
    requests = {message["id"]: message for message in sent if "method" in message and "id" in message}
    initialize = next(message for message in requests.values() if message["method"] == "initialize")
    capabilities = initialize["params"]["capabilities"]
    answered = set()

    def complain(message: dict, reason: str) -> None:
        problems.append(f"{json.dumps(message, ensure_ascii=False)[:400]}: {reason}")

    for message in received:
        if message.get("jsonrpc") != "2.0":
            complain(message, "is not a JSON-RPC 2.0 message")
        method = message.get("method")
        if method is None:
            request = requests.get(message["id"])
            if request is None or message["id"] in answered:
                complain(message, "answers no request, or one that was answered before")
                continue
            answered.add(message["id"])
            if ("error" in message) == ("result" in message):
                complain(message, "does not have exactly one of error and result")
            kinds = types.METHOD_TO_TYPES.get(request["method"])
            kind = types.ResponseErrorMessage if "error" in message else kinds and kinds[1]
        else:
            kinds = types.METHOD_TO_TYPES.get(method)
            kind = kinds and kinds[0]
            options = initialize["params"].get("initializationOptions") or {}
            is_asked_for = method == "trawl/indexing" and options.get("indexingNotifications")
            if kinds is None and not is_asked_for:
                complain(message, "is a method that this client cannot know")
            capability = needed_capability.get(method)
            if capability is not None and not has_capability(capabilities, capability):
                complain(message, f"needs the capability {capability}")
            for registered in registrations_in(message):
                path = registered.replace("/", ".") + ".dynamicRegistration"
                # Workspace folders have no such property: clients that support them accept registrations.
                if registered != "workspace/didChangeWorkspaceFolders" and not has_capability(capabilities, path):
                    complain(message, f"needs the capability {path}")
        problem = kind and problem_with(message, kind)
        if problem:
            complain(message, problem)
    has_ended = any(requests[identifier]["method"] == "shutdown" for identifier in answered)
    for identifier in requests.keys() - answered if has_ended else ():
        complain(requests[identifier], "was never answered")
    written = (folder / "stderr").read_text()
    if written and has_capability(capabilities, "window.workDoneProgress"):
        problems.append(f"the server wrote to stderr: {written}")
    # Without `exit`, the client killed the server or closed its input.
    has_exit = any(message.get("method") == "exit" for message in sent)
    code = (folder / "code").read_text().strip() if (folder / "code").exists() else None
    if has_exit and code not in (None, "0" if has_ended else "1"):
        problems.append(f"the server ended with {code} after exit")
    return problems


count = 0
found = []
for folder in map(Path, sys.argv[1:]):
    sent, received = messages_of(folder / "in"), messages_of(folder / "out")
    count += len(received)
    found += [f"{folder.name}: {problem}" for problem in problems_of(sent, received, folder)]
print(json.dumps({"messages": count, "problems": found}))
