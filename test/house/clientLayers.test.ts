/** The rules of `layers.test.ts` for the extension: what its two programs may know of the rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClientFile, clientSources } from "#test/support/client";

const files = clientSources();
const host = files.filter(({ path }) => path.startsWith("src/"));
const webview = files.filter(({ path }) => path.startsWith("webview/"));

/** Without their types, which cost nothing and load nothing. */
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

test("values are told from types", () => {
  const text = `import type { A } from "one";\nimport { b, type C } from "two";\nimport { type D, type E } from "three";\nimport * as f from "four";\nimport "five";`;
  assert.deepEqual(valuesOf({ path: "", text, imports: [] }), ["two", "four", "five"]);
});

check("the extension knows of the server its contract alone", host, (imported) => {
  return (
    imported.startsWith("#") &&
    !/^#(?:client|contract)\/|^#webview\/(?:messages|tableMessages)$/.test(imported)
  );
});

check("the webview knows itself, and the contract's types", webview, (imported) => {
  return !/^#(?:webview|contract)\/|^\.\//.test(imported);
});

check(
  "no schema is bundled: names and addresses are all that is taken of the contract",
  files,
  (imported) => {
    return (
      imported.startsWith("#contract/") &&
      !/^#contract\/(?:methods|notifications|snapshotUri)$/.test(imported)
    );
  },
  valuesOf,
);

check("folders are crossed by name", files, (imported) => imported.startsWith(".."));

check("one file knows the language client", host, (imported, { path }) => {
  return imported.startsWith("vscode-language") && path !== "src/languageClient.ts";
});

check(
  "the language client is loaded when the server starts, not before",
  host,
  (imported) => {
    return /\/languageClient$/.test(imported);
  },
  valuesOf,
);

check("the extension has no network, and starts no program but its own", host, (imported, { path }) => {
  const startsItsOwn = path === "src/status/serverCommands.ts" && imported === "node:child_process";
  return /^node:(?:http|https|http2|net|tls|dgram|child_process)$/.test(imported) && !startsItsOwn;
});

test("what is called pure knows no VS Code, and nothing that does", () => {
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

test("nothing of a repository becomes markup", () => {
  const markup =
    /\.innerHTML\s*=|insertAdjacentHTML|outerHTML\s*=|document\.write|supportHtml\s*=\s*true|isTrusted\s*=\s*true/;
  const wrong = files.filter(({ text }) => markup.test(text));
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});
