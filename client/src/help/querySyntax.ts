/** The page about the query language: what can be asked, with examples that run when they are clicked. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import { escaped } from "#client/page";
import type { SearchBox } from "#client/search/searchBox";

interface Section {
  readonly title: string;
  /** What is written, and what it finds. */
  readonly rows: readonly (readonly [written: string, finds: string])[];
  /** Whether the left side is a query that can be tried; else it is a key. */
  readonly isQuery: boolean;
}

export function syntaxCommands(extensionUri: vscode.Uri, box: () => SearchBox): Commands {
  let panel: vscode.WebviewPanel | undefined;
  return {
    "help.syntax"() {
      if (panel !== undefined) {
        panel.reveal();
        return;
      }
      const media = vscode.Uri.joinPath(extensionUri, "media");
      panel = vscode.window.createWebviewPanel(
        "trawl.syntax",
        vscode.l10n.t("Trawl: Query Syntax"),
        vscode.ViewColumn.Active,
        { enableScripts: false, enableCommandUris: ["trawl.search.example"], localResourceRoots: [media] },
      );
      panel.iconPath = vscode.Uri.joinPath(media, "icon.svg");
      panel.webview.html = page(panel.webview, media);
      panel.onDidDispose(() => {
        panel = undefined;
      });
    },
    "search.example": (query: unknown) =>
      typeof query === "string" ? box().show({ query, isRegex: false, narrowed: [] }) : undefined,
  };
}

function sections(): readonly Section[] {
  const { l10n } = vscode;
  return [
    {
      title: l10n.t("Words"),
      isQuery: true,
      rows: [
        ["retry timeout", l10n.t("files with both words, in any order")],
        ['"retry after"', l10n.t("the phrase, blanks included")],
        ["todo or fixme", l10n.t("either word")],
        ["(todo or fixme) lang:go", l10n.t("parentheses group")],
        ["http NOT https", l10n.t("NOT leaves out what follows it")],
      ],
    },
    {
      title: l10n.t("Filters; a dash in front leaves out"),
      isQuery: true,
      rows: [
        ["error lang:typescript", l10n.t("in files of a language")],
        ["error repo:web", l10n.t("in repositories whose name matches")],
        ["error file:*.ts", l10n.t("in files whose path matches a glob")],
        ["error -file:test", l10n.t("not in files whose path contains a word")],
        ["error rev:release/*", l10n.t("on branches or at tags; any tag or commit can be named")],
        ["error rev:*", l10n.t("at everything that is indexed")],
        ["content:error", l10n.t("in texts only, not in names of files")],
        ["readme type:file", l10n.t("names of files only")],
        ["web type:repo", l10n.t("names of repositories only")],
      ],
    },
    {
      title: l10n.t("Capitals"),
      isQuery: true,
      rows: [
        ["case:yes Error", l10n.t("capitals count")],
        ["case:no Error", l10n.t("capitals never count")],
        ["case:auto Error", l10n.t("capitals count in words that have one")],
      ],
    },
    {
      title: l10n.t("Keys in the box"),
      isQuery: false,
      rows: [
        ["Enter", l10n.t("search now")],
        [l10n.t("Up, Down"), l10n.t("earlier and later searches")],
        ["Ctrl+Alt+H", l10n.t("all earlier searches")],
        [l10n.t("Ctrl+Space, Tab"), l10n.t("show suggestions, take one")],
        ["Alt+C, Alt+W, Alt+R", l10n.t("match case, whole word, regular expression")],
        ["Ctrl+Down", l10n.t("to the results")],
        ["F6, Shift+F6", l10n.t("from the box to filters, choices and results, and back")],
        ["Esc", l10n.t("stop the search; then empty the box; then back to the editor")],
      ],
    },
  ];
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const { l10n } = vscode;
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, "syntax.css")).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(l10n.t("Query Syntax"))}</title>
</head>
<body>
<main>
<h1>${escaped(l10n.t("What to ask"))}</h1>
<p>${escaped(l10n.t("Words stand side by side and must all occur in a file, in its text or in its name. Click a query to try it."))}</p>
${sections().map(table).join("\n")}
<p>${escaped(l10n.t("With the button .* words are regular expressions in RE2 syntax: ^ and $ are ends of lines, and blanks still separate words, so write \\s. No expression can slow the search down for others."))}</p>
</main>
</body>
</html>`;
}

function table({ title, rows, isQuery }: Section): string {
  const lines = rows.map(([written, finds]) => {
    const address = `command:trawl.search.example?${encodeURIComponent(JSON.stringify([written]))}`;
    const left = isQuery
      ? `<a href="${escaped(address)}"><code>${escaped(written)}</code></a>`
      : `<kbd>${escaped(written)}</kbd>`;
    return `<tr><th scope="row">${left}</th><td>${escaped(finds)}</td></tr>`;
  });
  return `<h2>${escaped(title)}</h2><table>${lines.join("")}</table>`;
}
