/** Checks that the documents of the project name rooms, files and scripts that exist. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { clientSources, readProjectFile } from "#test/support/client";
import { projectRoot, serverSources } from "#test/support/house";

const readme = readProjectFile("server/README.md");

/** Returns the names in the first column of a table whose header starts with `title`. */
function rowsOf(title: string): readonly string[] {
  const [, table = ""] = readme.split(`\n| ${title} |`);
  const [rows = ""] = table.split("\n\n");
  return [...rows.matchAll(/^\| `([\w/-]+)\/` \|/gm)].map(([, name = ""]) => name).sort();
}

test("server/README.md has a row for each room of the server, and no other", () => {
  assert.deepEqual(rowsOf("room"), [...new Set(serverSources().map(({ room }) => room))].sort());
});

test("server/README.md has a row for each room of the extension, and no other", () => {
  const rooms = clientSources().flatMap(({ path }) => /^src\/(\w+)\//.exec(path)?.[1] ?? []);
  assert.deepEqual(rowsOf("room of `client/src`"), [...new Set(rooms)].sort());
});

/** Every file and folder, `/`-separated below the root of the project, except what git ignores. */
const paths = pathsBelow("");
const documents = paths.filter((path) => path.endsWith(".md"));
/** The first parts of paths below the root, `server`, `server/src` and `test`, which a document may omit. */
const starts = paths.flatMap((path) => /^(?:server\/src\/|server\/|test\/)?([^/]+)$/.exec(path)?.[1] ?? []);

function pathsBelow(folder: string): readonly string[] {
  return readdirSync(join(projectRoot(), folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return [".git", "node_modules", "out", "dist"].includes(path) ? [] : [path, ...pathsBelow(path)];
  });
}

/**
 * Reports whether a path ends like this one, in which `*`, `NAME` and `<name>` stand for any characters. It may omit
 * extensions, like `test/house/map`.
 */
function isPath(text: string): boolean {
  const parts = text.replace(/\/$/, "").split(/\*+|<[^>]*>|NAME|N{4}/);
  const escaped = parts.map((part) => part.replaceAll(".", "\\."));
  const pattern = new RegExp(`(?:^|/)${escaped.join(".*")}(?:\\.[\\w.]+)?$`);
  return paths.some((path) => pattern.test(path));
}

/** Returns source files named in code spans and plain code blocks, and code spans that begin with a folder. */
function pathsIn(document: string): readonly string[] {
  const blocks = [...document.matchAll(/^```\n([\s\S]*?)^```/gm)];
  const spans = [...document.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)];
  const sources = [...blocks, ...spans].flatMap(([, code = ""]) =>
    [...code.matchAll(/(?<![\w.<>*/-])[\w.<>*/-]+\.(?:ts|mjs|scm)(?![\w.])/g)].map(([path]) => path),
  );
  const below = spans.map(([, code = ""]) => code).filter((code) => /^[\w.<>*-]+\/[\w.<>*/-]*$/.test(code));
  return [...sources, ...below.filter((path) => starts.includes(path.split("/")[0] ?? ""))];
}

for (const path of documents) {
  const text = readProjectFile(path);

  test(`${path} names files and folders that exist`, () => {
    assert.deepEqual([...new Set(pathsIn(text).filter((each) => !isPath(each)))], []);
  });

  test(`${path} links to files and headings that exist`, () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const missing = links.filter(([, file = "", heading]) => {
      const target = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(projectRoot(), target))) return true;
      return heading !== undefined && !headingsOf(readProjectFile(target)).includes(heading);
    });
    assert.deepEqual(
      missing.map(([link]) => link),
      [],
    );
  });

  test(`${path} names scripts that exist`, () => {
    const { scripts } = JSON.parse(readProjectFile("package.json"));
    const named = [...text.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = ""]) => name);
    assert.deepEqual(
      named.filter((name) => !(name in scripts)),
      [],
    );
  });
}

/** Returns the anchors of a document's headings. */
function headingsOf(document: string): readonly string[] {
  const headings = [...document.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}
