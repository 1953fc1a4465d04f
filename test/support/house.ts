/** The project's own source, as the tests of its rules read it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface SourceFile {
  /** `/`-separated, below `server/`. */
  readonly path: string;
  /** `contract`, or a folder of `server/src`. */
  readonly room: string;
  readonly text: string;
  /** What it imports, as written. */
  readonly imports: readonly string[];
}

/** The folder of `package.json`; bundles lie below it, wherever the tests are run from. */
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
        room: path.split("/")[path.startsWith("src/") ? 1 : 0] ?? "",
        text,
        imports: importsOf(text),
      };
    });
}

/** Reads `import … from`, `export … from`, `import "…"` and `import("…")`. */
export function importsOf(text: string): readonly string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^;"']*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? "");
}
