/** The last things that went wrong, for diagnostics. */
import type * as vscode from "vscode";

const keptAtMost = 20;

export class RecentErrors {
  #lines: readonly string[] = [];

  /** Oldest first, each with its time. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  add(text: string): void {
    this.#lines = [...this.#lines, `${new Date().toISOString()} ${text}`].slice(-keptAtMost);
  }

  /** The same channel; what is written to it as an error is kept here as well. */
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
