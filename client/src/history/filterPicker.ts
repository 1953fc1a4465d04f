/** Asking the person which commits a list is to show: what is written is a filter, and what is set can be taken away. */
import * as vscode from "vscode";
import { visible } from "#client/search/resultLines";
import {
  type CommitFilter,
  type FilterName,
  filterNames,
  filterParts,
  parseFilter,
  withoutFilter,
} from "./commitFilter";

interface Choice extends vscode.QuickPickItem {
  readonly does: { readonly removes: FilterName } | { readonly begins: FilterName } | "applies";
}

/** The filter that is wanted now; `undefined` where the person gave up. */
export async function pickFilter(present: CommitFilter, title: string): Promise<CommitFilter | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  let filter = present;
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
              "applies",
              vscode.l10n.t("Enter"),
            ),
          ]),
      ...names.map((name, index) =>
        choice("close", visible(parts[index] ?? name), { removes: name }, vscode.l10n.t("remove")),
      ),
      ...filterNames
        .filter((name) => name !== "lines" && filter[name] === undefined && !text.includes(`${name}:`))
        .map((name) => choice("filter", `${name}:`, { begins: name }, exampleOf(name))),
    ];
  };
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Words of the message, or author:… since:… path:…");
  picker.onDidChangeValue(show);
  try {
    return await new Promise<CommitFilter | undefined>((resolve) => {
      picker.onDidAccept(() => {
        const does = picker.selectedItems[0]?.does ?? "applies";
        if (does === "applies") {
          resolve({ ...filter, ...parseFilter(picker.value) });
        } else if ("removes" in does) {
          filter = withoutFilter(filter, does.removes);
          // What is left holds at once, but for what is still being written.
          if (picker.value.trim() === "") resolve(filter);
          else show();
        } else {
          picker.value = `${picker.value.trimEnd()} ${does.begins}:`.trimStart();
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

function choice(icon: string, label: string, does: Choice["does"], description: string): Choice {
  return { label, description, does, iconPath: new vscode.ThemeIcon(icon), alwaysShow: true };
}

function exampleOf(name: FilterName): string {
  switch (name) {
    case "author":
      return vscode.l10n.t("a part of the name or the e-mail address");
    case "message":
      return vscode.l10n.t("a part of the message");
    case "since":
    case "until":
      return vscode.l10n.t("a date, or words such as “2 weeks ago” in quotation marks");
    case "ref":
      return vscode.l10n.t("a branch, a tag or a commit");
    default:
      return vscode.l10n.t("a file or a folder");
  }
}
