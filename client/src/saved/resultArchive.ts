/** Stores the results of recent searches in files of the workspace storage, so that they can be shown unchanged. */
import * as vscode from "vscode";
import type { ResultSet } from "#client/search/resultSet";
import { isSearchState } from "#client/search/searchHistory";
import type { RepositoryInfo } from "#contract/repositories";

/** Version of the file format; incremented when older files can no longer be read. */
const format = 1;
/** Larger results are not stored; the search is run again instead. */
const maxBytes = 8 * 1024 * 1024;

/** A result set as stored: maps are written as their values. */
type StoredSet = Omit<ResultSet, "repositories"> & { readonly repositories: readonly RepositoryInfo[] };

export class ResultArchive {
  readonly #folder: vscode.Uri;

  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, "results");
  }

  /** Stores a set. A caller may ignore failures: without stored results, the search is run again. */
  async save(id: string, set: ResultSet): Promise<void> {
    const stored: StoredSet = { ...set, repositories: [...set.repositories.values()] };
    const text = JSON.stringify({ format, set: stored });
    if (text.length > maxBytes) return;
    await vscode.workspace.fs.createDirectory(this.#folder);
    await vscode.workspace.fs.writeFile(this.#file(id), new TextEncoder().encode(text));
  }

  async load(id: string): Promise<ResultSet | undefined> {
    try {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file(id)));
      const { format: written, set } = JSON.parse(text) as { format: number; set: StoredSet };
      if (written !== format || !isSearchState(set.state)) return undefined;
      return { ...set, repositories: new Map(set.repositories.map((each) => [each.id, each])) };
    } catch {
      return undefined;
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    await Promise.allSettled(ids.map((id) => vscode.workspace.fs.delete(this.#file(id))));
  }

  async clear(): Promise<void> {
    await Promise.allSettled([vscode.workspace.fs.delete(this.#folder, { recursive: true })]);
  }

  #file(id: string): vscode.Uri {
    return vscode.Uri.joinPath(this.#folder, `${id}.json`);
  }
}
