/** The rules of `layers.test.ts` for the extension and its webviews: what each may import. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClientFile, clientSources, isDeclaration } from "#test/support/client";

const files = clientSources();
const host = files.filter(({ path }) => path.startsWith("src/"));
const webview = files.filter(({ path }) => path.startsWith("webview/"));

/** What each room of `client/src` may import, lowest layer first. A room without a row may not exist. */
const mayImport: Readonly<Record<string, string>> = {
  text: "",
  server: "text",
  workbench: "text server",
  model: "text server workbench",
  documents: "text server workbench model",
  search: "text server workbench model",
  results: "text server workbench model documents search",
  box: "text server workbench model search",
  saved: "text server workbench search",
  quick: "text server workbench model search results",
  navigation: "text server workbench model documents search results",
  browse: "text server workbench model documents results",
  history: "text server workbench model documents search results browse",
  repositories: "text server workbench model documents browse",
  hosts: "text server workbench model",
  team: "text server workbench model search",
  endpoint: "text server workbench model",
  organization: "text server workbench",
  status: "text server workbench model search",
  help: "text server workbench search",
};

/** The wiring, its clock, and the generator of the manifest: outside of all rooms, and imported by none. */
const wiring = ["src/activationStart.ts", "src/contributions.ts", "src/extension.ts", "src/manifest.ts"];

/** Returns imports of values: imports of types are erased. */
function valuesOf({ text }: ClientFile): readonly string[] {
  const statements =
    /(?:^|\n)(?:import|export)\s+(?!type\b)([^;"']*?)from\s*"([^"]+)"|(?:^|\n)import\s+"([^"]+)"/g;
  return [...text.matchAll(statements)].flatMap(([, names = "", from = "", alone = ""]) => {
    const onlyTypes = /^\{\s*(?:type \w+(?: as \w+)?,?\s*)*\}\s*$/.test(names);
    return onlyTypes ? [] : [from || alone];
  });
}

function check(
  name: string,
  among: readonly ClientFile[],
  isWrong: (imported: string, file: ClientFile) => boolean,
  importsOf: (file: ClientFile) => readonly string[] = ({ imports }) => imports,
): void {
  test(name, () => {
    const wrong = among.flatMap((file) =>
      importsOf(file)
        .filter((imported) => isWrong(imported, file))
        .map((imported) => `${file.path}: ${imported}`),
    );
    assert.deepEqual(wrong, []);
  });
}

test("imports of values are distinguished from imports of types", () => {
  const text = `import type { A } from "one";\nimport { b, type C } from "two";\nimport { type D, type E } from "three";\nimport * as f from "four";\nimport "five";`;
  assert.deepEqual(valuesOf({ path: "", text, imports: [] }), ["two", "four", "five"]);
});

function roomOf(path: string): string | undefined {
  return /^src\/(\w+)\//.exec(path)?.[1];
}

test("the table has a row for each room, and no other", () => {
  const rooms = new Set(host.flatMap(({ path }) => roomOf(path) ?? []));
  assert.deepEqual([...rooms].sort(), Object.keys(mayImport).sort());
  assert.deepEqual(
    host.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path),
    wiring,
  );
});

test("each row of the table names only rows above it", () => {
  const rows = Object.keys(mayImport);
  const wrong = rows.filter((room, index) =>
    (mayImport[room] ?? "").split(" ").some((name) => name !== "" && !rows.slice(0, index).includes(name)),
  );
  assert.deepEqual(wrong, []);
});

check("a room imports only what its row allows", host, (imported, { path }) => {
  const room = roomOf(path);
  if (room === undefined || !imported.startsWith("#client/")) return false;
  const [, target = ""] = imported.split("/");
  return target !== room && !(mayImport[room] ?? "").split(" ").includes(target);
});

check("of the server, the extension imports only the contract and the line diff", host, (imported) => {
  return (
    imported.startsWith("#") &&
    !/^#(?:client|contract)\/|^#webview\/(?:messages|tableMessages)$|^#base\/lineDiff$/.test(imported)
  );
});

check("webviews import only themselves and the contract's types", webview, (imported) => {
  return !/^#(?:webview|contract)\/|^\.\//.test(imported);
});

check(
  "no schema is bundled: only names, URIs and the editing of queries are imported from the contract as values",
  files,
  (imported) => {
    return (
      imported.startsWith("#contract/") &&
      !/^#contract\/(?:agentTools|editorLink|methods|notifications|queryText|snapshotUri)$/.test(imported)
    );
  },
  valuesOf,
);

check(
  "declarations for the manifest are not bundled into the extension",
  host,
  (imported, { path }) => !isDeclaration(path) && isDeclaration(imported),
  valuesOf,
);

check("imports across folders use names", files, (imported) => imported.startsWith(".."));

check("one file imports the language client", host, (imported, { path }) => {
  return imported.startsWith("vscode-language") && path !== "src/server/languageClient.ts";
});

check(
  "the language client is loaded when the server starts, not before",
  host,
  (imported) => {
    return /\/languageClient$/.test(imported);
  },
  valuesOf,
);

check("the extension uses no network, and starts no program but its own", host, (imported, { path }) => {
  const startsItsOwn = path === "src/server/runProgram.ts" && imported === "node:child_process";
  return /^node:(?:http|https|http2|net|tls|dgram|child_process)$/.test(imported) && !startsItsOwn;
});

test("files marked Pure import neither VS Code nor files that do", () => {
  const byPath = new Map(host.map((file) => [file.path, file]));
  const pathOf = (imported: string, from: ClientFile) =>
    imported.startsWith("./")
      ? `${from.path.slice(0, from.path.lastIndexOf("/"))}/${imported.slice(2)}.ts`
      : `${imported.replace(/^#client\//, "src/")}.ts`;
  const knowsVsCode = (file: ClientFile, seen: Set<string>): boolean => {
    if (seen.has(file.path)) return false;
    seen.add(file.path);
    return valuesOf(file).some((imported) => {
      const next = byPath.get(pathOf(imported, file));
      return imported === "vscode" || (next !== undefined && knowsVsCode(next, seen));
    });
  };
  const pure = host.filter(({ text }) => /^\/\*\*[^/]*\bPure\b/.test(text));
  assert.ok(pure.length > 5);
  const wrong = pure.filter((file) => knowsVsCode(file, new Set()));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("no text from a repository becomes markup", () => {
  const markup =
    /\.innerHTML\s*=|insertAdjacentHTML|outerHTML\s*=|document\.write|supportHtml\s*=\s*true|isTrusted\s*=\s*true/;
  const wrong = files.filter(({ text }) => markup.test(text));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});
