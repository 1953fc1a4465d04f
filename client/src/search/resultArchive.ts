/** Results of earlier searches as files in the window's storage, so that history brings back what was seen. */
import * as vscode from "vscode";
import type { RepositoryInfo } from "#contract/repositories";
import { isSearchState } from "./history";
import type { ResultSet } from "./resultSet";

/** Changes whenever older files can no longer be read. */
const format = 1;
/** A larger answer is searched for again instead. */
const bytesAtMost = 8 * 1024 * 1024;

/** A map is written as its values. */
type KeptSet = Omit<ResultSet, "repositories"> & { readonly repositories: readonly RepositoryInfo[] };

export class ResultArchive {
  readonly #folder: vscode.Uri;

  constructor(storage: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storage, "results");
  }

  /** Failing to keep results costs nothing but a search, so that nothing is told. */
  async save(id: string, set: ResultSet): Promise<void> {
    const kept: KeptSet = { ...set, repositories: [...set.repositories.values()] };
    const text = JSON.stringify({ format, set: kept });
    if (text.length > bytesAtMost) return;
    await vscode.workspace.fs.createDirectory(this.#folder);
    await vscode.workspace.fs.writeFile(this.#file(id), new TextEncoder().encode(text));
  }

  async load(id: string): Promise<ResultSet | undefined> {
    try {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(this.#file(id)));
      const { format: written, set } = JSON.parse(text) as { format: number; set: KeptSet };
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
