import { URI } from "vscode-uri";

/** Returns `undefined` for an invalid URI. */
export function parseUri(uri: string): URI | undefined {
  try {
    return URI.parse(uri, true);
  } catch {
    return undefined;
  }
}

/** Returns the path of a `file:` URI; `undefined` for other and invalid URIs. */
export function fileUriToPath(uri: string): string | undefined {
  const parsed = parseUri(uri);
  return parsed?.scheme === "file" ? parsed.fsPath : undefined;
}
