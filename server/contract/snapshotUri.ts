/**
 * Addresses of files as they stood in a commit: `trawl:/<repository>@<commit>/-/<path>`. Client and server both write them.
 *
 * The first `@` ends the repository's name, in which it and `%` are percent-encoded. Of the path those segments are
 * encoded that an editor would take for something else. The query holds short names for the title of a tab.
 */

export const snapshotScheme = "trawl";

/** Git's name for a tree without files. As the commit of an address: every file is there, and empty. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export interface SnapshotPlace {
  readonly repository: string;
  /** Full name of the commit; empty for a plain folder, which has only its present state. */
  readonly commit: string;
  /** `/`-separated, from the root; empty for the root itself. */
  readonly path: string;
}

/** The parts of a URI, decoded as `vscode.Uri` has them. */
export interface SnapshotUri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
}

/** `revision` is what a title calls the commit: another document than under the commit's own short name. */
export function snapshotUri({ repository, commit, path }: SnapshotPlace, revision?: string): SnapshotUri {
  const name = encodedSegments(repository).replaceAll("@", "%40");
  const short = repository.slice(repository.lastIndexOf("/") + 1);
  return {
    scheme: snapshotScheme,
    path: `/${name}@${commit}/-/${encodedSegments(path)}`,
    query: JSON.stringify({ commit: revision ?? commit.slice(0, 7), repository: wellFormed(short) }),
  };
}

/** `undefined` for what `snapshotUri` cannot have written. */
export function snapshotPlace({ scheme, path }: Omit<SnapshotUri, "query">): SnapshotPlace | undefined {
  if (scheme !== snapshotScheme) return undefined;
  const parts = /^\/([^@]+)@([0-9a-f]*)\/-(?:\/(.*))?$/s.exec(path);
  if (parts === null) return undefined;
  const [, name = "", commit = "", inside = ""] = parts;
  try {
    return { repository: decodeURIComponent(name), commit, path: decodeURIComponent(inside) };
  } catch {
    return undefined;
  }
}

/** What its title calls the commit; `undefined` for what is no snapshot. */
export function snapshotRevision({ scheme, query }: Omit<SnapshotUri, "path">): string | undefined {
  if (scheme !== snapshotScheme) return undefined;
  try {
    const { commit } = JSON.parse(query) as { readonly commit?: unknown };
    return typeof commit === "string" ? commit : undefined;
  } catch {
    return undefined;
  }
}

/** `%` is encoded first, so that decoding gives back exactly what was there. */
function encodedSegments(path: string): string {
  return wellFormed(path)
    .split("/")
    .map((segment) =>
      /^\.{1,2}$/.test(segment)
        ? segment.replaceAll(".", "%2E")
        : segment.replace(/[%\\\p{Cc}\u2028\u2029]/gu, (character) => encodeURIComponent(character)),
    )
    .join("/");
}

/** Half of a surrogate pair cannot be encoded. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\u{fffd}");
}
