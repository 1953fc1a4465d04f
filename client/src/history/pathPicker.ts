/** A quick pick of a file or folder. */
import * as vscode from "vscode";
import { visible } from "#client/text/visible";

interface Choice extends vscode.QuickPickItem {
  /** Empty for everything. */
  readonly path: string;
}

/** Returns a path from `known` or a typed one; empty for everything; `undefined` if the user cancels. */
export async function pickPath(title: string, known: readonly string[]): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  const fixed = [
    choice("files", vscode.l10n.t("All Files"), ""),
    ...known.map((path) => choice("folder", visible(path), path)),
  ];
  const show = () => {
    const path = picker.value.trim().replace(/^\/+|\/+$/g, "");
    const typed = { ...choice("filter", visible(path), path), description: vscode.l10n.t("as typed") };
    picker.items = path === "" || known.includes(path) ? fixed : [...fixed, { ...typed, alwaysShow: true }];
  };
  picker.title = title;
  picker.placeholder = vscode.l10n.t("File or folder");
  picker.onDidChangeValue(show);
  try {
    return await new Promise<string | undefined>((resolve) => {
      picker.onDidAccept(() => resolve(picker.selectedItems[0]?.path));
      picker.onDidHide(() => resolve(undefined));
      show();
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

function choice(icon: string, label: string, path: string): Choice {
  return { label, path, iconPath: new vscode.ThemeIcon(icon) };
}
