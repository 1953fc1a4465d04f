import { URI } from "vscode-uri";

/** The path of a document or folder on this computer; `undefined` for what lies elsewhere, and for what is no URI. */
export function pathOf(uri: string): string | undefined {
  try {
    const parsed = URI.parse(uri, true);
    return parsed.scheme === "file" ? parsed.fsPath : undefined;
  } catch {
    return undefined;
  }
}
