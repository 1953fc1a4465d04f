/** What packages are called that a repository holds: by their manifests, as the index has them. */
import { ByteCache } from "#base/byteCache";
import type { Engine } from "#engine/engine";
import type { Repository } from "#model/repository";
import type { Query } from "#query/query";
import { ownPlan } from "#service/ownPlan";

export type PackageKind = "npm" | "go" | "cargo" | "python";

export interface Package {
  readonly kind: PackageKind;
  /** Where its manifest lies: empty for the root, else without a `/` at its end. */
  readonly folder: string;
  /** As others import it. */
  readonly name: string;
}

const manifests: Query = {
  kind: "text",
  pattern: {
    kind: "regexp",
    source: "(?:^|/)(?:package\\.json|go\\.mod|Cargo\\.toml|pyproject\\.toml|setup\\.cfg|setup\\.py)$",
    caseSensitive: true,
  },
  where: "name",
};

/** A repository with more has its other packages matched by their paths alone. */
const maxManifests = 2000;
const maxManifestCharacters = 64 * 1024;
const maxCachedBytes = 8 * 1024 * 1024;
const timeMs = 1000;

export class Packages {
  readonly #engine: Engine;
  readonly #known = new ByteCache<readonly Package[]>(maxCachedBytes);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async of(repository: Repository, signal: AbortSignal): Promise<readonly Package[]> {
    const { id, revisions, defaultRevision, indexedAt = 0 } = repository;
    const commit = revisions.find(({ name }) => name === defaultRevision)?.commit ?? "";
    const key = `${id} ${commit} ${indexedAt}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const plan = ownPlan(manifests, new Set([id]), maxManifests, Date.now() + timeMs);
    const limits = { ...plan.limits, whole: true, maxAnswerBytes: maxCachedBytes };
    const { files, exhaustive } = await this.#engine.search({ ...plan, limits }, signal);
    const found = files.flatMap(({ path, content }) => packageOf(path, content) ?? []);
    if (exhaustive) this.#known.set(key, found, 200 + found.length * 200);
    return found;
  }
}

/** What a manifest says; undefined where it names nothing. */
export function packageOf(path: string, text: string): Package | undefined {
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
  "package.json": { kind: "npm", name: nameInJson },
  "go.mod": { kind: "go", name: (text) => /^module[ \t]+"?([^\s"]+)/m.exec(text)?.[1] },
  "Cargo.toml": { kind: "cargo", name: (text) => importable(nameIn(text, ["package"])) },
  "pyproject.toml": { kind: "python", name: (text) => importable(nameIn(text, ["project", "tool.poetry"])) },
  "setup.cfg": { kind: "python", name: (text) => importable(nameIn(text, ["metadata"])) },
  "setup.py": {
    kind: "python",
    name: (text) => importable(/\bname\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]),
  },
};

function nameInJson(text: string): string | undefined {
  try {
    const { name } = JSON.parse(text) as { readonly name?: unknown };
    return typeof name === "string" ? name : undefined;
  } catch {
    // A manifest may be a template, or damaged: then it names nothing.
    return undefined;
  }
}

/** The `name` in one of these sections of a file in TOML's or INI's manner. */
function nameIn(text: string, sections: readonly string[]): string | undefined {
  let section = "";
  for (const line of text.split("\n")) {
    const head = /^\s*\[([^[\]]+)\]/.exec(line)?.[1];
    if (head !== undefined) section = head.trim();
    const name = sections.includes(section) ? /^\s*name\s*=\s*["']?([\w.-]+)/.exec(line)?.[1] : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Packages may be published with a hyphen where code has an underscore. */
function importable(name: string | undefined): string | undefined {
  return name?.replaceAll("-", "_");
}

/** The innermost package of a kind around a file. */
export function packageAround(
  packages: readonly Package[],
  kind: PackageKind,
  path: string,
): Package | undefined {
  return packages
    .filter((each) => each.kind === kind && (each.folder === "" || path.startsWith(`${each.folder}/`)))
    .sort((left, right) => right.folder.length - left.folder.length)[0];
}
