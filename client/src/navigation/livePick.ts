/** A quick pick that fetches its items on every keystroke: the service matches and sorts, the editor only shows. */
import * as vscode from "vscode";
import { CallError } from "#client/server/callError";

export interface PickItem extends vscode.QuickPickItem {
  /** Opens the item; `button` is the one that was clicked. Absent for items that only inform. */
  readonly open?: (button?: vscode.QuickInputButton) => Promise<unknown>;
  /** Selects the icon that `ThemeIcon.File` shows. Editors before 1.109 ignore or reject it. */
  readonly resourceUri?: vscode.Uri;
}

export interface LivePickOptions {
  readonly title: string;
  readonly placeholder: string;
  /** The initial text. */
  readonly value?: string;
  readonly fetchItems: (text: string, token: vscode.CancellationToken) => Promise<readonly PickItem[]>;
  /** Returns the label shown if nothing was found. */
  readonly emptyLabel: (text: string) => string;
  readonly onError: (error: unknown) => void;
}

const delayMs = 60;

export function showLivePick(options: LivePickOptions): void {
  const pick = vscode.window.createQuickPick<PickItem>();
  let running: vscode.CancellationTokenSource | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Whether the list shows the items for the current text. */
  let isCurrent = true;
  /** Whether to open the first item as soon as it arrives. */
  let isAccepted = false;
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.value = options.value ?? "";
  // Turns off sorting by label, with a property that VS Code's type declarations lack.
  (pick as { sortByLabel?: boolean }).sortByLabel = false;

  const refresh = async (text: string) => {
    running?.cancel();
    const source = new vscode.CancellationTokenSource();
    running = source;
    pick.busy = true;
    const show = (items: readonly PickItem[]) => {
      if (running !== source) return;
      pick.items = items.map((item) => ({ ...item, alwaysShow: true }));
      isCurrent = text === pick.value;
      if (isCurrent && isAccepted) open(items[0]);
    };
    try {
      const items = text.trim() === "" ? [] : await options.fetchItems(text, source.token);
      show(items.length > 0 || text.trim() === "" ? items : [{ label: options.emptyLabel(text) }]);
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
    item.open(button).catch(options.onError);
  };

  pick.onDidChangeValue((text) => {
    isCurrent = false;
    isAccepted = false;
    clearTimeout(timer);
    timer = setTimeout(() => void refresh(text), delayMs);
  });
  pick.onDidAccept(() => {
    const [first] = pick.items;
    // `activeItems` is updated a moment after `items`.
    const item = pick.activeItems.find((each) => pick.items.includes(each)) ?? first;
    // Enter right after typing means the typed text, unless the user has moved to one of the rows still shown.
    if (isCurrent || item !== first) open(item);
    else isAccepted = true;
  });
  pick.onDidTriggerItemButton(({ item, button }) => open(item, button));
  pick.onDidHide(() => {
    clearTimeout(timer);
    running?.cancel();
    pick.dispose();
  });
  pick.show();
  void refresh(pick.value);
}

export const toSide: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: vscode.l10n.t("Open to the Side"),
};

export const asSnapshot: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("git-commit"),
  tooltip: vscode.l10n.t("Open Snapshot at Indexed Commit"),
};
