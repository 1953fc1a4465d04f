/** The commands that sort, nest, collapse and expand the rows of results. */
import * as vscode from "vscode";
import { type SortOrder, sortOrders } from "./resultOrder";
import type { ResultsTree } from "./resultsTree";

export function arrangeCommands(tree: ResultsTree) {
  return {
    "search.sort": () => sort(tree),
    "search.viewAsTree": () => tree.arrange({ viewMode: "tree" }),
    "search.viewAsList": () => tree.arrange({ viewMode: "list" }),
    "search.collapseAll": () => tree.collapseAll(),
    "search.expandAll": () => tree.expandAll(),
  };
}

async function sort(tree: ResultsTree): Promise<void> {
  const items = sortOrders.map((order) => ({
    label: orderText(order),
    description: order === tree.arrangement.order ? vscode.l10n.t("current") : "",
    order,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("Sort results by"),
  });
  if (picked !== undefined) await tree.arrange({ order: picked.order });
}

function orderText(order: SortOrder): string {
  switch (order) {
    case "relevance":
      return vscode.l10n.t("Relevance");
    case "repository":
      return vscode.l10n.t("Repository");
    case "path":
      return vscode.l10n.t("Path");
    case "matchCount":
      return vscode.l10n.t("Match Count");
  }
}
