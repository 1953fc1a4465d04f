/** Letters and colors beside results that differ from what was indexed. */
import * as vscode from "vscode";

export type ResultBadge = "none" | "unsaved" | "modified" | "moved" | "gone";

const scheme = "trawl-result";

/** Returns a URI for a row: its path selects the file icon, its query the badge, so that each badge has its own URI. */
export function badgeUri(path: string, badge: ResultBadge): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${path.replace(/\p{Surrogate}/gu, "\uFFFD")}`, query: badge });
}

export function registerBadges(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration(uri) {
      return uri.scheme === scheme ? decoration(uri.query as ResultBadge) : undefined;
    },
  });
}

function decoration(badge: ResultBadge): vscode.FileDecoration | undefined {
  const color = (id: string) => new vscode.ThemeColor(id);
  switch (badge) {
    case "unsaved":
      return new vscode.FileDecoration("U", vscode.l10n.t("Unsaved"), color("trawl.unsavedForeground"));
    case "modified":
      return new vscode.FileDecoration(
        "M",
        vscode.l10n.t("Modified"),
        color("gitDecoration.modifiedResourceForeground"),
      );
    case "moved":
      return new vscode.FileDecoration(
        "~",
        vscode.l10n.t("The line has moved"),
        color("trawl.staleForeground"),
      );
    case "gone":
      return new vscode.FileDecoration("×", vscode.l10n.t("Gone"), color("trawl.staleForeground"));
    case "none":
      return undefined;
  }
}
