/**
 * URIs of files at a commit: `trawl:/<repository>@<commit>/-/<path>`, as the server sends them to any editor.
 *
 * VS Code shows all folders of a path as breadcrumbs, so its documents have the repository and the commit in the
 * authority: `trawl://<repository>@<commit>/<path>`. Restored editors may still have URIs of the first form.
 *
 * The first `@` ends the repository name, in which `@` and `%` are percent-encoded. In the path, only what an editor
 * would misread is encoded. The query is JSON with short names for the title of a tab.
 */

export const snapshotScheme = "trawl";

/** Git's empty tree. In a URI with it as the commit, every file exists and is empty. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export interface SnapshotLocation {
  readonly repository: string;
  /** Full commit SHA; empty for a plain folder, which has no history. */
  readonly commit: string;
  /** `/`-separated, from the root; empty for the root itself. */
  readonly path: string;
}

/** The parts of a URI, decoded as `vscode.Uri` has them. */
export interface SnapshotUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

/** Creates a URI of the first form. */
export function snapshotUri({
  repository,
  commit,
  path,
}: SnapshotLocation): Pick<SnapshotUri, "scheme" | "path"> {
  return {
    scheme: snapshotScheme,
    path: `/${encodeName(repository)}@${commit}/-/${encodeSegments(path)}`,
  };
}

/**
 * Creates the URI of a document in VS Code. `revision` replaces the short SHA in the title; to an editor, that URI is a
 * different document.
 */
export function snapshotDocumentUri(location: SnapshotLocation, revision?: string): SnapshotUri {
  const { repository, commit, path } = location;
  const short = repository.slice(repository.lastIndexOf("/") + 1);
  return {
    scheme: snapshotScheme,
    // The repository is the user name of the authority, which keeps its case: VS Code folds the case of a host.
    authority: `${encodeName(repository)}@${commit}`,
    path: `/${encodeSegments(path)}`,
    query: JSON.stringify({ commit: revision ?? commit.slice(0, 7), repository: toWellFormed(short) }),
  };
}

/** Parses a URI of either form; `undefined` for any other. */
export function parseSnapshotUri(uri: Omit<SnapshotUri, "query">): SnapshotLocation | undefined {
  const { scheme, authority, path } = uri;
  if (scheme !== snapshotScheme) return undefined;
  const parts =
    authority === ""
      ? /^\/([^@]+)@([0-9a-f]*)\/-(?:\/(.*))?$/s.exec(path)
      : /^([^@]+)@([0-9a-f]*)(?:\/(.*))?$/s.exec(authority + path);
  if (parts === null) return undefined;
  const [, name = "", commit = "", encodedPath = ""] = parts;
  try {
    return { repository: decodeURIComponent(name), commit, path: decodeURIComponent(encodedPath) };
  } catch {
    return undefined;
  }
}

/** Returns the name of the commit in the title, or `undefined` if the URI is not of a document in VS Code. */
export function snapshotRevision({
  scheme,
  query,
}: Pick<SnapshotUri, "scheme" | "query">): string | undefined {
  if (scheme !== snapshotScheme) return undefined;
  try {
    const { commit } = JSON.parse(query) as { readonly commit?: unknown };
    return typeof commit === "string" ? commit : undefined;
  } catch {
    return undefined;
  }
}

function encodeName(repository: string): string {
  return encodeSegments(repository).replaceAll("@", "%40");
}

/** Encodes what an editor would misread, and `%`, so that decoding restores the path exactly. */
function encodeSegments(path: string): string {
  return toWellFormed(path)
    .split("/")
    .map((segment) =>
      /^\.{1,2}$/.test(segment)
        ? segment.replaceAll(".", "%2E")
        : segment.replace(/[%\\\p{Cc}\u2028\u2029]/gu, (character) => encodeURIComponent(character)),
    )
    .join("/");
}

/** Replaces lone surrogates, which cannot be percent-encoded but occur in file names on Windows. */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\u{fffd}");
}
