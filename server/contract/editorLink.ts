/**
 * Links of the pages that open a file in VS Code. Anyone can write such a link, so it only shows a file of a repository
 * that the editor knows.
 *
 * The query is JSON, because VS Code decodes it before it could be split into parameters.
 */

const maxCharacters = 10_000;

export interface EditorLink {
  /** Name of the repository. */
  readonly repo: string;
  /** Full SHA; empty for a plain folder. */
  readonly commit: string;
  /** `/`-separated, from the root. */
  readonly path: string;
  /** One-based. */
  readonly line: number;
}

/** Returns the link, to which `#L10` may be added. */
export function editorLink(file: Omit<EditorLink, "line">): string {
  return `vscode://trawl.trawl/open?${encodeURIComponent(JSON.stringify(file))}`;
}

/** Parses the parts of a link, decoded as `vscode.Uri` has them; `undefined` if it is not one. */
export function parseEditorLink(uri: {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}): EditorLink | undefined {
  if (uri.path !== "/open" || uri.query.length > maxCharacters) return undefined;
  const { repo, commit, path } = parseObject(uri.query);
  const areValid = typeof repo === "string" && typeof path === "string" && repo !== "" && path !== "";
  if (!areValid || typeof commit !== "string" || !/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/.test(commit))
    return undefined;
  const [, line = "1"] = /^L(\d{1,7})(?:-|$)/.exec(uri.fragment) ?? [];
  return { repo, commit, path, line: Math.max(1, Number(line)) };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
