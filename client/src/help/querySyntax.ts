/** The query syntax page, with examples that run when clicked. */

import * as vscode from "vscode";
import type { SearchBox } from "#client/search/searchBox";
import { escaped } from "#client/text/page";
import type { Handlers } from "#client/workbench/declarations";
import type { syntaxCommands as declared } from "./contributions";

interface Section {
  readonly title: string;
  readonly rows: readonly (readonly [example: string, meaning: string])[];
  /** Whether the examples are queries that can be run; otherwise they are keys. */
  readonly isQuery: boolean;
}

export function syntaxCommands(extensionUri: vscode.Uri, box: () => SearchBox): Handlers<typeof declared> {
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
        ['"retry after"', l10n.t("the exact phrase, including spaces and line breaks")],
        ["todo or fixme", l10n.t("either word")],
        ["(todo or fixme) lang:go", l10n.t("parentheses group terms")],
        ["http NOT https", l10n.t("NOT excludes the next term")],
        [
          'words:"where are requests retried"',
          l10n.t("the best matches for a description, even if some words are missing"),
        ],
      ],
    },
    {
      title: l10n.t("Filters (prefix with - to exclude)"),
      isQuery: true,
      rows: [
        ["error lang:typescript", l10n.t("in files of a language")],
        ["error repo:web", l10n.t("in repositories whose name matches")],
        ["error repo:npm/zod", l10n.t("in a package that a lock file names")],
        ["error file:*.ts", l10n.t("in files whose path matches a glob")],
        ["error -file:test", l10n.t("not in files whose path contains a word")],
        ["error tests:no", l10n.t("not in test files")],
        ["error topic:web", l10n.t("in repositories with a topic on their code host")],
        ["error fork:no archived:no", l10n.t("not in forks, not in archived repositories")],
        ["error visibility:public", l10n.t("in public repositories")],
        ["error rev:release/*", l10n.t("on branches, tags or commits, indexed or not")],
        ["error rev:*", l10n.t("on all indexed branches and tags")],
        ["content:error", l10n.t("in file contents only, not in file names")],
        ["readme type:file", l10n.t("file names only")],
        ["web type:repo", l10n.t("repository names only")],
      ],
    },
    {
      title: l10n.t("Case"),
      isQuery: true,
      rows: [
        ["case:yes Error", l10n.t("case-sensitive")],
        ["case:no Error", l10n.t("ignores case")],
        ["case:auto Error", l10n.t("case-sensitive for words with a capital letter")],
      ],
    },
    {
      title: l10n.t("Keyboard shortcuts in the search box"),
      isQuery: false,
      rows: [
        ["Enter", l10n.t("search now")],
        [l10n.t("Up, Down"), l10n.t("previous and next search in the history")],
        ["Ctrl+Alt+H", l10n.t("search history")],
        [l10n.t("Ctrl+Space, Tab"), l10n.t("show suggestions, accept one")],
        ["Alt+C, Alt+W, Alt+R", l10n.t("match case, whole word, regular expression")],
        ["Alt+D", l10n.t("best matches for a description")],
        ["Ctrl+Down", l10n.t("go to the results")],
        ["F6, Shift+F6", l10n.t("move between the search box, filters, options and results")],
        ["Esc", l10n.t("stop the search; then clear the box; then return to the editor")],
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
<h1>${escaped(l10n.t("Query Syntax"))}</h1>
<p>${escaped(l10n.t("A file matches if it contains every word, in its text or its name. Quote an exact phrase. Click a query to try it."))}</p>
${sections().map(table).join("\n")}
<p>${escaped(l10n.t("With the .* button, words are regular expressions in RE2 syntax: ^ and $ match at the ends of lines, and spaces still separate words, so write \\s for whitespace. No expression can slow down the searches of others."))}</p>
</main>
</body>
</html>`;
}

function table({ title, rows, isQuery }: Section): string {
  const lines = rows.map(([example, meaning]) => {
    const link = `command:trawl.search.example?${encodeURIComponent(JSON.stringify([example]))}`;
    const left = isQuery
      ? `<a href="${escaped(link)}"><code>${escaped(example)}</code></a>`
      : `<kbd>${escaped(example)}</kbd>`;
    return `<tr><th scope="row">${left}</th><td>${escaped(meaning)}</td></tr>`;
  });
  return `<h2>${escaped(title)}</h2><table>${lines.join("")}</table>`;
}
