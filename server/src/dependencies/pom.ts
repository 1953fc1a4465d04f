/**
 * Reads which versions `pom.xml` files state: their own dependencies, and those of their parents. Versions may come from
 * properties, from `dependencyManagement`, and from the bills of materials that it imports.
 */
import { type PackageVersion, versionKey } from "./package";
import { childText, elementsAt, parseXml, type XmlElement } from "./xml";

/** Returns the text of the POM file of an artifact (`group:artifact`); `undefined` if it is not on this computer. */
export type FindPom = (artifact: PackageVersion) => string | undefined;

interface Pom extends PackageVersion {
  readonly parent: PackageVersion | undefined;
  readonly properties: ReadonlyMap<string, string>;
  readonly managed: readonly Dependency[];
  readonly dependencies: readonly Dependency[];
}

/** Names and version as written, `""` if absent. */
interface Dependency extends PackageVersion {
  /** Whether it imports what another POM file manages. */
  readonly isImport: boolean;
}

/** Of parents. */
const maxDepth = 10;
const maxOwn = 2000;
/** POM files that are read outside of the project. */
const maxFound = 500;
/** Dependencies that a POM file and its parents manage. */
const maxManaged = 20_000;
/** Elements of one kind that are read from a POM file. Real files have fewer. */
const maxElements = 10_000;
/** Dependencies of all POM files, some of which name the same package. */
const maxResolved = 500_000;

/** Yields the dependencies of these POM files, some without a known version. Skips damaged files. */
export function* resolvePoms(texts: readonly string[], find: FindPom): Generator<PackageVersion> {
  const own = texts.slice(0, maxOwn).flatMap((text) => tryParse(text) ?? []);
  const poms = new Poms(own, find);
  let count = 0;
  for (const pom of own) {
    const dependencies = poms.dependenciesOf(pom);
    yield* dependencies;
    count += dependencies.length;
    if (count > maxResolved) return;
  }
}

class Poms {
  readonly #own: ReadonlyMap<string, Pom>;
  readonly #find: FindPom;
  readonly #found = new Map<string, Pom | undefined>();
  readonly #imports = new Map<string, ReadonlyMap<string, string>>();

  constructor(own: readonly Pom[], find: FindPom) {
    this.#own = new Map(own.map((pom) => [versionKey(pom), pom]));
    this.#find = find;
  }

  dependenciesOf(pom: Pom): readonly PackageVersion[] {
    const lineage = this.#lineageOf(pom);
    const properties = propertiesOf(lineage);
    let managed: ReadonlyMap<string, string> | undefined;
    return lineage
      .flatMap(({ dependencies }) => dependencies)
      .map((each) => {
        const { name, version } = interpolate(each, properties);
        if (version !== "") return { name, version };
        managed ??= this.#managedVersions(lineage);
        return { name, version: managed.get(name) ?? "" };
      });
  }

  /** Returns the POM file and its parents, the nearest first. */
  #lineageOf(pom: Pom): readonly Pom[] {
    const lineage: Pom[] = [];
    for (let each: Pom | undefined = pom; each !== undefined && lineage.length < maxDepth; ) {
      lineage.push(each);
      each = each.parent && this.#load(each.parent);
    }
    return lineage;
  }

  /** Returns versions by `group:artifact`. What a file declares precedes what it imports. */
  #managedVersions(lineage: readonly Pom[]): ReadonlyMap<string, string> {
    const properties = propertiesOf(lineage);
    const managed = lineage
      .flatMap((each) => each.managed)
      .slice(0, maxManaged)
      .map((each) => interpolate(each, properties));
    const versions = new Map<string, string>();
    const add = (name: string, version: string) => {
      if (!versions.has(name) && versions.size < maxManaged) versions.set(name, version);
    };
    for (const { name, version, isImport } of managed) if (!isImport) add(name, version);
    for (const each of managed) {
      if (!each.isImport) continue;
      for (const [name, version] of this.#importedVersions(each)) add(name, version);
    }
    return versions;
  }

  #importedVersions(artifact: PackageVersion): ReadonlyMap<string, string> {
    const key = versionKey(artifact);
    const known = this.#imports.get(key);
    if (known !== undefined) return known;
    // An import of itself adds nothing.
    this.#imports.set(key, new Map());
    const imported = this.#load(artifact);
    const versions = imported === undefined ? new Map() : this.#managedVersions(this.#lineageOf(imported));
    this.#imports.set(key, versions);
    return versions;
  }

  #load(artifact: PackageVersion): Pom | undefined {
    const key = versionKey(artifact);
    const own = this.#own.get(key);
    if (own !== undefined) return own;
    if (!this.#found.has(key) && this.#found.size < maxFound)
      this.#found.set(key, tryParse(this.#find(artifact) ?? ""));
    return this.#found.get(key);
  }
}

function propertiesOf(lineage: readonly Pom[]): ReadonlyMap<string, string> {
  return new Map([...lineage].reverse().flatMap(({ properties }) => [...properties]));
}

/** Properties may contain others. */
const maxRounds = 5;
const maxValueLength = 500;

/** Replaces properties by their values. Names and versions that become too long are `""`. */
function interpolate(dependency: Dependency, properties: ReadonlyMap<string, string>): Dependency {
  const expand = (text: string) => {
    let result = text;
    for (
      let round = 0;
      round < maxRounds && result.includes("${") && result.length <= maxValueLength;
      round++
    )
      result = result.replace(/\$\{([\w.-]+)\}/g, (written, name: string) => properties.get(name) ?? written);
    return result.length <= maxValueLength ? result : "";
  };
  return { ...dependency, name: expand(dependency.name), version: expand(dependency.version) };
}

function tryParse(text: string): Pom | undefined {
  try {
    return text === "" ? undefined : parsePom(text);
  } catch {
    return undefined;
  }
}

function parsePom(text: string): Pom | undefined {
  const [project] = elementsAt(parseXml(text), "project");
  if (project === undefined) return undefined;
  const [parent] = elementsAt(project, "parent");
  const group = childText(project, "groupId") || (parent ? childText(parent, "groupId") : "");
  const version = childText(project, "version") || (parent ? childText(parent, "version") : "");
  const written = elementsAt(project, "properties")
    .flatMap(({ children }) => children.map(({ name, text }) => [name, text.trim()] as const))
    .filter(([, value]) => value.length <= maxValueLength);
  const properties = new Map(written.slice(0, maxElements));
  for (const prefix of ["project.", "pom."]) {
    properties.set(`${prefix}groupId`, group);
    properties.set(`${prefix}version`, version);
  }
  if (parent) properties.set("project.parent.version", childText(parent, "version"));
  return {
    name: `${group}:${childText(project, "artifactId")}`,
    version,
    parent: parent && { name: nameOf(parent), version: childText(parent, "version") },
    properties,
    managed: dependenciesAt(project, "dependencyManagement", "dependencies", "dependency"),
    dependencies: dependenciesAt(project, "dependencies", "dependency"),
  };
}

function dependenciesAt(project: XmlElement, ...names: readonly string[]): readonly Dependency[] {
  return elementsAt(project, ...names)
    .slice(0, maxElements)
    .map(dependencyOf);
}

function nameOf(element: XmlElement): string {
  return `${childText(element, "groupId")}:${childText(element, "artifactId")}`;
}

function dependencyOf(element: XmlElement): Dependency {
  return {
    name: nameOf(element),
    version: childText(element, "version"),
    isImport: childText(element, "scope") === "import",
  };
}
