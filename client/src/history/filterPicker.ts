/** A quick pick that edits the filters of a commit list: typed text adds filters, and set filters can be removed. */
import * as vscode from "vscode";
import { visible } from "#client/text/visible";
import {
  type CommitFilter,
  type FilterName,
  filterNames,
  filterParts,
  parseFilter,
  withoutFilter,
} from "./commitFilter";

interface Choice extends vscode.QuickPickItem {
  readonly action: { readonly remove: FilterName } | { readonly insert: FilterName } | "apply";
}

/** Returns the edited filter; `undefined` if the user cancels. */
export async function pickFilter(current: CommitFilter, title: string): Promise<CommitFilter | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  let filter = current;
  const show = () => {
    const text = picker.value.trim();
    const names = filterNames.filter((name) => filter[name] !== undefined);
    const [...parts] = filterParts(filter);
    picker.items = [
      ...(text === "" && names.length === 0
        ? []
        : [
            choice(
              "check",
              text === "" ? vscode.l10n.t("Show Commits") : visible(text),
              "apply",
              vscode.l10n.t("Enter"),
            ),
          ]),
      ...names.map((name, index) =>
        choice("close", visible(parts[index] ?? name), { remove: name }, vscode.l10n.t("remove")),
      ),
      ...filterNames
        .filter((name) => name !== "lines" && filter[name] === undefined && !text.includes(`${name}:`))
        .map((name) => choice("filter", `${name}:`, { insert: name }, exampleOf(name))),
    ];
  };
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Message text, or filters such as author:ada since:2024-01-31 path:src");
  picker.onDidChangeValue(show);
  try {
    return await new Promise<CommitFilter | undefined>((resolve) => {
      picker.onDidAccept(() => {
        const action = picker.selectedItems[0]?.action ?? "apply";
        if (action === "apply") {
          resolve({ ...filter, ...parseFilter(picker.value) });
        } else if ("remove" in action) {
          filter = withoutFilter(filter, action.remove);
          // Applied at once, unless the user is typing another filter.
          if (picker.value.trim() === "") resolve(filter);
          else show();
        } else {
          picker.value = `${picker.value.trimEnd()} ${action.insert}:`.trimStart();
          show();
        }
      });
      picker.onDidHide(() => resolve(undefined));
      show();
      picker.show();
    });
  } finally {
    picker.dispose();
  }
}

function choice(icon: string, label: string, action: Choice["action"], description: string): Choice {
  return { label, description, action, iconPath: new vscode.ThemeIcon(icon), alwaysShow: true };
}

function exampleOf(name: FilterName): string {
  switch (name) {
    case "author":
      return vscode.l10n.t("part of the name or email address");
    case "message":
      return vscode.l10n.t("part of the message");
    case "since":
    case "until":
      return vscode.l10n.t("a date, or a phrase such as “2 weeks ago” in quotation marks");
    case "ref":
      return vscode.l10n.t("a branch, a tag or a commit");
    default:
      return vscode.l10n.t("a file or a folder");
  }
}
