/** Shows a progress bar in the search view while a slow search runs. */
import * as vscode from "vscode";
import type { Searches } from "#client/search/searches";

/** A bar for faster searches would only flicker. */
const showAfterMs = 200;

export function showProgress(searches: Searches): vscode.Disposable {
  let last = 0;
  return searches.onChange(() => {
    const { current } = searches;
    if (current?.outcome !== "running" || current.id === last) return;
    last = current.id;
    const hasEnded = () => searches.current?.id !== last || searches.current.outcome !== "running";
    setTimeout(() => {
      if (!hasEnded())
        void vscode.window.withProgress({ location: { viewId: "trawl.search" } }, () => until(hasEnded));
    }, showAfterMs);
  });

  function until(hasEnded: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const subscription = searches.onChange(() => {
        if (!hasEnded()) return;
        subscription.dispose();
        resolve();
      });
    });
  }
}
