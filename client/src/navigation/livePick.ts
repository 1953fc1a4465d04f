/** A list that is asked for anew with every key: the service matches and orders, the editor only shows. */
import * as vscode from "vscode";
import { CallError } from "#client/callError";

export interface PickItem extends vscode.QuickPickItem {
  /** What choosing it does; `button` is the one that was clicked. Absent for what only says something. */
  readonly open?: (button?: vscode.QuickInputButton) => Promise<void>;
  /** Gives a file's own icon to `ThemeIcon.File`. Editors before 1.109 do not know it, and some of them refuse it. */
  readonly resourceUri?: vscode.Uri;
}

export interface LivePickOptions {
  readonly title: string;
  readonly placeholder: string;
  /** What the field holds at first. */
  readonly value?: string;
  readonly ask: (text: string, token: vscode.CancellationToken) => Promise<readonly PickItem[]>;
  /** What the list says where nothing was found. */
  readonly nothing: (text: string) => string;
  readonly failed: (error: unknown) => void;
}

const delayMs = 60;

export function showLivePick(options: LivePickOptions): void {
  const pick = vscode.window.createQuickPick<PickItem>();
  let running: vscode.CancellationTokenSource | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Whether the list shows what was found for the present text. */
  let isPresent = true;
  /** Whether the first that is found is to be opened at once. */
  let isAccepted = false;
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.value = options.value ?? "";
  // VS Code sorts by label unless it is told not to, and its types leave the way to tell it out.
  (pick as { sortByLabel?: boolean }).sortByLabel = false;

  const look = async (text: string) => {
    running?.cancel();
    const source = new vscode.CancellationTokenSource();
    running = source;
    pick.busy = true;
    const show = (items: readonly PickItem[]) => {
      if (running !== source) return;
      pick.items = items.map((item) => ({ ...item, alwaysShow: true }));
      isPresent = text === pick.value;
      if (isPresent && isAccepted) open(items[0]);
    };
    try {
      const items = text.trim() === "" ? [] : await options.ask(text, source.token);
      show(items.length > 0 || text.trim() === "" ? items : [{ label: options.nothing(text) }]);
    } catch (error) {
      if (error instanceof vscode.CancellationError) return;
      const message = error instanceof CallError ? error.message : vscode.l10n.t("The search failed.");
      show([{ label: message, iconPath: new vscode.ThemeIcon("error") }]);
    } finally {
      if (running === source) pick.busy = false;
      source.dispose();
    }
  };
  const open = (item: PickItem | undefined, button?: vscode.QuickInputButton) => {
    if (item?.open === undefined) return;
    pick.hide();
    item.open(button).catch(options.failed);
  };

  pick.onDidChangeValue((text) => {
    isPresent = false;
    isAccepted = false;
    clearTimeout(timer);
    timer = setTimeout(() => void look(text), delayMs);
  });
  pick.onDidAccept(() => {
    const [first] = pick.items;
    // Which row is active is told a moment after the rows were given.
    const item = pick.activeItems.find((each) => pick.items.includes(each)) ?? first;
    // Who types fast and presses Enter means what was typed, unless one of the present rows was gone to.
    if (isPresent || item !== first) open(item);
    else isAccepted = true;
  });
  pick.onDidTriggerItemButton(({ item, button }) => open(item, button));
  pick.onDidHide(() => {
    clearTimeout(timer);
    running?.cancel();
    pick.dispose();
  });
  pick.show();
  void look(pick.value);
}

export const toSide: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: vscode.l10n.t("Open to the Side"),
};

export const asSnapshot: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("git-commit"),
  tooltip: vscode.l10n.t("Open Snapshot at Indexed Commit"),
};
