/** The part of `vscode.Memento` that features use to store values: for one workspace, or for the user. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}
