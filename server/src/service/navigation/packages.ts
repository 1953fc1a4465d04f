/** Finds the packages of a repository and their names, from the indexed manifests. */

import { ByteCache } from "#base/byteCache";
import type { Engine } from "#engine/engine";
import type { Repository } from "#model/repository";
import { monotonicNow } from "#platform/clock";
import type { Query } from "#query/query";
import { createInternalPlan } from "#service/search/internalPlan";

export type PackageKind = "npm" | "go" | "cargo" | "python";

export interface Package {
  readonly kind: PackageKind;
  /** Folder of its manifest, without a trailing `/`; empty for the root. */
  readonly folder: string;
  /** The name by which others import it. */
  readonly name: string;
}

const manifestQuery: Query = {
  kind: "text",
  pattern: {
    kind: "regexp",
    source: "(?:^|/)(?:package\\.json|go\\.mod|Cargo\\.toml|pyproject\\.toml|setup\\.cfg|setup\\.py)$",
    caseSensitive: true,
  },
  where: "name",
};

/** Packages beyond this limit are matched by path only. */
const maxManifests = 2000;
const maxManifestCharacters = 64 * 1024;
const maxCachedBytes = 8 * 1024 * 1024;
const timeLimitMs = 1000;

export class Packages {
  readonly #engine: Engine;
  readonly #known = new ByteCache<readonly Package[]>(maxCachedBytes);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the packages of a repository, cached until it is indexed again. */
  async of(repository: Repository, signal: AbortSignal): Promise<readonly Package[]> {
    const { id, revisions, defaultRevision, indexedAt = 0 } = repository;
    const commit = revisions.find(({ name }) => name === defaultRevision)?.commit ?? "";
    const key = `${id} ${commit} ${indexedAt}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const plan = createInternalPlan(manifestQuery, new Set([id]), maxManifests, monotonicNow() + timeLimitMs);
    const limits = { ...plan.limits, returnsContent: true, maxResponseBytes: maxCachedBytes };
    const { files, isExhaustive } = await this.#engine.search({ ...plan, limits }, signal);
    const found = files.flatMap(({ path, content }) => parseManifest(path, content) ?? []);
    if (isExhaustive) this.#known.set(key, found, 200 + found.length * 200);
    return found;
  }
}

/** Parses a manifest; returns `undefined` if it has no name. */
export function parseManifest(path: string, text: string): Package | undefined {
  const slash = path.lastIndexOf("/");
  const folder = path.slice(0, Math.max(slash, 0));
  const reader = readers[path.slice(slash + 1)];
  if (reader === undefined) return undefined;
  const name = reader.name(text.slice(0, maxManifestCharacters));
  return name === undefined || name === "" ? undefined : { kind: reader.kind, folder, name };
}

interface ManifestReader {
  readonly kind: PackageKind;
  readonly name: (text: string) => string | undefined;
}

const readers: Readonly<Record<string, ManifestReader>> = {
  "package.json": { kind: "npm", name: readJsonName },
  "go.mod": { kind: "go", name: (text) => /^module[ \t]+"?([^\s"]+)/m.exec(text)?.[1] },
  "Cargo.toml": { kind: "cargo", name: (text) => toImportName(readSectionName(text, ["package"])) },
  "pyproject.toml": {
    kind: "python",
    name: (text) => toImportName(readSectionName(text, ["project", "tool.poetry"])),
  },
  "setup.cfg": { kind: "python", name: (text) => toImportName(readSectionName(text, ["metadata"])) },
  "setup.py": {
    kind: "python",
    name: (text) => toImportName(/\bname\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]),
  },
};

function readJsonName(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    // The manifest may be a template, or invalid.
    return undefined;
  }
}

/** Returns `name` from one of these sections of a TOML or INI file. */
function readSectionName(text: string, sections: readonly string[]): string | undefined {
  let section = "";
  for (const line of text.split("\n")) {
    const head = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
    if (head !== undefined) section = head.trim();
    const name = sections.includes(section) ? /^\s*name\s*=\s*["']?([\w.-]+)/.exec(line)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Converts a published name to the name in code, which has underscores instead of hyphens. */
function toImportName(name: string | undefined): string | undefined {
  return name?.replaceAll("-", "_");
}

/** Returns the innermost package of a kind that contains a file. */
export function findEnclosingPackage(
  packages: readonly Package[],
  kind: PackageKind,
  path: string,
): Package | undefined {
  return packages
    .filter((each) => each.kind === kind && (each.folder === "" || path.startsWith(`${each.folder}/`)))
    .sort((left, right) => right.folder.length - left.folder.length)[0];
}
