/** The bar of the search view, while a search takes longer than one notices. */
import * as vscode from "vscode";
import type { Searches } from "./searches";

/** What is over sooner would only flicker. */
const showsAfterMs = 200;

export function showProgress(searches: Searches): vscode.Disposable {
  let last = 0;
  return searches.onChange(() => {
    const { present } = searches;
    if (present?.outcome !== "running" || present.id === last) return;
    last = present.id;
    const isOver = () => searches.present?.id !== last || searches.present.outcome !== "running";
    setTimeout(() => {
      if (!isOver())
        void vscode.window.withProgress({ location: { viewId: "trawl.search" } }, () => until(isOver));
    }, showsAfterMs);
  });

  function until(isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const subscription = searches.onChange(() => {
        if (!isOver()) return;
        subscription.dispose();
        resolve();
      });
    });
  }
}
