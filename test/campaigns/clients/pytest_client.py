"""Runs the steps of the plan with pytest-lsp, whose client reads every message with the types of the specification."""

import asyncio
import json
import os
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

plan = json.loads(Path(os.environ["CLIENT_PLAN"]).read_text())
uri = Path(plan["file"]).as_uri()
text = Path(plan["file"]).read_text()
options = json.loads(Path(os.environ["CLIENT_CONFIGURATION"]).read_text())


@pytest_lsp.fixture(config=ClientServerConfig(server_command=["trawl", "serve", "--stdio"]))
async def client(lsp_client: LanguageClient):
    folder = Path.cwd()
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities("visual-studio-code"),
        root_uri=folder.as_uri(),
        workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name)],
        initialization_options=options,
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


def position(of: str, content: str) -> types.TextDocumentPositionParams:
    before = content[: content.index(of)].split("\n")
    return types.TextDocumentPositionParams(
        text_document=types.TextDocumentIdentifier(uri=uri),
        position=types.Position(
            line=len(before) - 1, character=len(before[-1].encode("utf-16-le")) // 2
        ),
    )


async def described(client: LanguageClient, location: types.Location) -> dict:
    """Describes a location with its text in the document."""
    if location.uri.startswith("file:"):
        path = unquote(urlparse(location.uri).path)
        is_read_only = not os.stat(path).st_mode & 0o200
        content = client.opened.get(location.uri) or Path(path).read_text()
    else:
        path = unquote(location.uri)
        is_read_only = True
        params = types.TextDocumentContentParams(uri=location.uri)
        response = await client.workspace_text_document_content_async(params)
        content = response.text
    start = location.range.start
    end = location.range.end
    line = content.split("\n")[start.line]
    units = line.encode("utf-16-le")
    name = units[start.character * 2 : end.character * 2].decode("utf-16-le")
    return {
        "path": path, "line": start.line + 1, "text": line, "name": name, "isReadOnly": is_read_only,
    }


async def symbols(client: LanguageClient, query: str) -> list[dict]:
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query=query))
    return [await described(client, symbol.location) for symbol in found or []]


async def definition(client: LanguageClient, of: str, content: str) -> list[dict]:
    at = position(of, content)
    params = types.DefinitionParams(text_document=at.text_document, position=at.position)
    found = await client.text_document_definition_async(params)
    return [await described(client, location) for location in found or []]


def flattened(found: list[types.DocumentSymbol]) -> list[dict]:
    names = []
    for symbol in found:
        names.append({"text": symbol.name, "line": symbol.selection_range.start.line + 1})
        names.extend(flattened(symbol.children or []))
    return names


@pytest.mark.asyncio
async def test_steps(client: LanguageClient):
    client.opened = {uri: text}
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            text_document=types.TextDocumentItem(
                uri=uri, language_id="javascript", version=1, text=text
            )
        )
    )
    async with asyncio.timeout(plan["timeLimitMs"] / 1000):
        while not all([await symbols(client, query) for query in plan["symbols"]]):
            await asyncio.sleep(0.05)
    results = {"symbols": {query: await symbols(client, query) for query in plan["symbols"]}}
    results["definitions"] = {of: await definition(client, of, text) for of in plan["definitions"]}
    at = position(plan["hover"], text)
    hover = await client.text_document_hover_async(
        types.HoverParams(text_document=at.text_document, position=at.position)
    )
    results["hover"] = hover.contents.value
    results["outline"] = flattened(
        await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(text_document=at.text_document)
        )
    )
    at = position(plan["references"], text)
    references = await client.text_document_references_async(
        types.ReferenceParams(
            text_document=at.text_document,
            position=at.position,
            context=types.ReferenceContext(include_declaration=True),
        )
    )
    results["references"] = [await described(client, location) for location in references]

    edit = "\n".join(plan["edit"]) + "\n"
    top = types.Position(line=0, character=0)
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[
                types.TextDocumentContentChangePartial(
                    range=types.Range(start=top, end=top), text=edit
                )
            ],
        )
    )
    edited = edit + text
    client.opened[uri] = edited
    results["edited"] = {
        "symbols": {query: await symbols(client, query) for query in plan["editedSymbols"]},
        "definitions": {
            of: await definition(client, of, edited) for of in plan["editedDefinitions"]
        },
    }
    Path(plan["results"]).write_text(json.dumps(results))
