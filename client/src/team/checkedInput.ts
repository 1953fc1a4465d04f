/** An input box whose value is checked by the server before it is accepted. */
import * as vscode from "vscode";
import { callError } from "#client/server/callError";

export interface CheckedInput {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  readonly value: string;
  readonly isSecret?: boolean;
  /** Returns what is wrong with the value. What it rejects with is wrong, too. */
  readonly check: (text: string) => Promise<string | undefined>;
}

/** Returns the accepted value; `undefined` if the user canceled. */
export async function askChecked(options: CheckedInput): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = options.title;
  box.prompt = options.prompt;
  box.placeholder = options.placeholder;
  box.value = options.value;
  box.password = options.isSecret === true;
  box.ignoreFocusOut = true;
  box.onDidChangeValue(() => {
    box.validationMessage = undefined;
  });
  try {
    return await new Promise((resolve) => {
      box.onDidAccept(async () => {
        const text = box.value.trim();
        if (box.busy || text === "") return;
        box.busy = true;
        box.enabled = false;
        const problem = await options.check(text).catch((error: unknown) => callError(error).message);
        box.busy = false;
        box.enabled = true;
        if (problem === undefined) resolve(text);
        else box.validationMessage = problem;
      });
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    box.dispose();
  }
}
