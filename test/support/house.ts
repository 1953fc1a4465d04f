/** The project's own source, for tests of its rules. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The rooms of the server in dependency order, with the rooms that each may import. A room is a folder of `server/src`,
 * or a folder in it (a sub-room, such as `shard/format`). Every source file must be in one of these rooms, or in `entry`.
 *
 * Naming a room covers its sub-rooms. Only in the rows of its own sub-rooms does it mean just the files next to them.
 */
export const mayImport: Readonly<Record<string, string>> = {
  base: "",
  contract: "base",
  model: "base",
  platform: "base",
  languages: "base model",
  query: "base",
  "query/regexp": "base query",
  "query/analysis": "query query/regexp",
  "query/parser": "base languages query query/analysis query/regexp",
  kernels: "",
  "shard/format": "base platform model query kernels",
  "shard/symbolFile": "base platform model shard/format",
  "shard/matches": "model query kernels shard/format shard/symbolFile",
  "shard/evaluation": "base query kernels shard/format shard/matches shard/symbolFile",
  "shard/directory": "base platform shard/format shard/symbolFile",
  catalog: "base platform model",
  hosts: "base model platform",
  git: "base platform model",
  "git/objects": "base platform model git",
  "git/refs": "base platform model git git/objects",
  "git/history": "base platform model git git/objects git/refs",
  "git/workTree": "base platform model git git/objects",
  "git/mirror": "base platform hosts git git/refs",
  store: "base platform model",
  symbols: "base model",
  "symbols/grammars": "platform symbols",
  "symbols/elision": "base",
  "symbols/recovery": "base",
  "symbols/definitions": "base model symbols",
  "symbols/scopes": "base model symbols symbols/definitions symbols/grammars symbols/recovery",
  "symbols/parsing":
    "base platform model symbols symbols/definitions symbols/elision symbols/grammars symbols/recovery symbols/scopes",
  engine: "base platform model query kernels shard symbols",
  "engine/zoekt": "base platform model query kernels shard languages symbols engine",
  indexing: "base platform model git shard languages symbols",
  overlay: "base platform model git shard languages",
  dependencies: "platform query",
  mirrors: "base model platform hosts",
  sync: "base platform model query git hosts mirrors shard catalog indexing overlay symbols dependencies",
  access: "base contract platform model store",
  remote: "contract base platform",
  gitServer: "contract base platform model",
  team: "contract base platform model access remote",
  "service/repositories": "base contract platform model query git",
  "service/history": "base contract platform model languages git service/repositories",
  "service/search": "base contract platform model query git engine service/repositories service/history",
  "service/queries":
    "base contract platform model query languages engine service/repositories service/history service/search",
  "service/navigation":
    "base contract platform model query languages symbols git engine service/repositories service/history service/search",
  "service/organization": "base contract platform model store access",
  service:
    "base contract platform symbols access service/repositories service/history service/search service/queries service/navigation service/organization",
  agents: "base contract query service",
  transport: "contract base platform model access service remote agents team",
  "transport/git": "contract base platform model git gitServer transport",
  instance:
    "base contract model platform query shard catalog git hosts mirrors store symbols engine indexing overlay sync access remote gitServer team service transport",
  cli: "base contract platform access agents instance",
};

export interface SourceFile {
  /** `/`-separated, below `server/`. */
  readonly path: string;
  /** A key of `mayImport`, or the folder that it should be. */
  readonly room: string;
  readonly text: string;
  /** Import specifiers, as written. */
  readonly imports: readonly string[];
}

/** Returns the folder of `package.json`, independent of the current directory; bundles are below it. */
export function projectRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export function serverSources(): readonly SourceFile[] {
  const server = join(projectRoot(), "server");
  return ["contract", "src"]
    .flatMap((folder) =>
      readdirSync(join(server, folder), { recursive: true, encoding: "utf8" }).map((path) =>
        join(folder, path),
      ),
    )
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.startsWith("src/kernels/assembly/"))
    .map((path) => {
      const text = readFileSync(join(server, path), "utf8");
      return {
        path,
        room: roomOf(path.replace(/^src\//, "")),
        text,
        imports: importsOf(text),
      };
    });
}

/** Returns the room of a path below `server/src`: the first two folders if they are a sub-room, else the first. */
export function roomOf(path: string): string {
  const [folder = "", inside = ""] = path.split("/");
  const subRoom = `${folder}/${inside}`;
  return subRoom in mayImport ? subRoom : folder;
}

/** Returns one line for each import cycle that is found, types included: `a.ts > b.ts > a.ts`. */
export function importCycles(sources: readonly Pick<SourceFile, "path" | "imports">[]): readonly string[] {
  const importsByPath = new Map(sources.map(({ path, imports }) => [path, imports]));
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, importers: readonly string[]): void => {
    if (importers.includes(path)) {
      cycles.push([...importers.slice(importers.indexOf(path)), path].join(" > "));
    } else if (!finished.has(path)) {
      for (const name of importsByPath.get(path) ?? []) visit(sourcePath(path, name), [...importers, path]);
      finished.add(path);
    }
  };
  for (const path of importsByPath.keys()) visit(path, []);
  return cycles;
}

/** Returns the path below `server/` that an import specifier names; not a source file if it names a package. */
function sourcePath(importer: string, name: string): string {
  if (name.startsWith("./")) return `${dirname(importer)}/${name.slice(2)}.ts`;
  if (name.startsWith("#contract/")) return `${name.slice(1)}.ts`;
  return `src/${name.replace(/^#/, "")}.ts`;
}

/** Reads `import … from`, `export … from`, `import "…"` and `import("…")`. */
export function importsOf(text: string): readonly string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
}
