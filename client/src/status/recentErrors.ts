/** The latest errors, for diagnostics. */
import type * as vscode from "vscode";

const maxLines = 20;

export class RecentErrors {
  #lines: readonly string[] = [];

  /** Oldest first, each with a timestamp. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  add(text: string): void {
    this.#lines = [...this.#lines, `${new Date().toISOString()} ${text}`].slice(-maxLines);
  }

  /** Wraps a channel so that errors written to it are recorded here. */
  from(channel: vscode.LogOutputChannel): vscode.LogOutputChannel {
    return Object.create(channel, {
      error: {
        value: (error: string | Error, ...details: unknown[]) => {
          this.add(String(error));
          channel.error(error, ...details);
        },
      },
    });
  }
}
