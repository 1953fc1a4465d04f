/** The page of the search box as it is seen before anything else is known. */
import * as vscode from "vscode";
import { escaped } from "#client/page";

export interface PageOptions {
  readonly extensionUri: vscode.Uri;
  /** Different each time: only the script that bears it runs. */
  readonly nonce: string;
}

/** Folders that the page loads from. */
export function pageRoots(extensionUri: vscode.Uri): readonly vscode.Uri[] {
  return [vscode.Uri.joinPath(extensionUri, "media"), vscode.Uri.joinPath(extensionUri, "dist", "webview")];
}

export function searchPage(webview: vscode.Webview, { extensionUri, nonce }: PageOptions): string {
  const { l10n } = vscode;
  const address = (...path: string[]) =>
    escaped(webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path)).toString());
  const placeholder = escaped(l10n.t("Search code in all repositories (? for help)"));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${address("media", "search.css")}">
<title>${escaped(l10n.t("Search"))}</title>
</head>
<body>
<main>
<h1 class="unseen">${escaped(l10n.t("Search"))}</h1>
<div id="box" class="box" role="search">
<div class="field">
<div id="mirror" class="text mirror" aria-hidden="true"></div>
<textarea id="query" class="text" rows="1" spellcheck="false" autocapitalize="off" autocomplete="off" autocorrect="off"
 placeholder="${placeholder}" aria-label="${placeholder}" aria-autocomplete="list" aria-haspopup="listbox" aria-describedby="problems"></textarea>
</div>
<div class="toggles" role="group" aria-label="${escaped(l10n.t("Options"))}">
<button type="button" id="case" class="toggle" aria-pressed="mixed"
 data-smart="${escaped(l10n.t("Match Case: Smart, Only Words With Capitals (Alt+C)"))}"
 data-sensitive="${escaped(l10n.t("Match Case: On (Alt+C)"))}"
 data-insensitive="${escaped(l10n.t("Match Case: Off (Alt+C)"))}"><span aria-hidden="true">Aa</span></button>
<button type="button" id="word" class="toggle" aria-pressed="false" ${named(l10n.t("Match Whole Word (Alt+W)"))}><span aria-hidden="true" class="word">ab</span></button>
<button type="button" id="regex" class="toggle" aria-pressed="false" ${named(l10n.t("Use Regular Expression (Alt+R)"))}><span aria-hidden="true" class="regex">.*</span></button>
</div>
<div id="proposals" class="proposals" role="listbox" aria-label="${escaped(l10n.t("Suggestions"))}" hidden></div>
</div>
<div id="problems" class="notes" hidden></div>
<div id="chips" class="chips" role="list" aria-label="${escaped(l10n.t("Filters"))}" hidden></div>
<div id="pickers" class="pickers">
${picker("scope", l10n.t("Where to search"))}${picker("revision", l10n.t("Which revision to search"))}${picker("type", l10n.t("What to search for"))}
<button type="button" id="narrow" class="picker narrow" aria-expanded="false" aria-controls="narrow-row" title="${escaped(l10n.t("Search within these files"))}">${escaped(l10n.t("+ Narrow"))}</button>
</div>
<div id="narrow-row" class="narrow-row" hidden>
<input id="narrow-query" class="narrow-query" type="text" spellcheck="false" autocomplete="off" ${placeheld(l10n.t("And in the same file (Enter adds it)"))}>
</div>
<div id="status" class="notes status"></div>
<details id="facets" class="facet-row" hidden><summary>${escaped(l10n.t("Filter by"))}</summary><div id="facet-groups"></div></details>
<div id="welcome" class="welcome" hidden></div>
<div id="announcement" class="unseen" aria-live="polite"></div>
<div id="alert" class="unseen" role="alert"></div>
</main>
<script nonce="${nonce}" src="${address("dist", "webview", "search.js")}"></script>
</body>
</html>`;
}

function picker(id: string, what: string): string {
  return `<button type="button" id="${id}" class="picker" aria-haspopup="dialog" aria-describedby="${id}-what" title="${escaped(what)}"><span id="${id}-label" class="picker-label"></span><svg class="icon" viewBox="2.5 3 11 11" aria-hidden="true"><path d="M4 6.5l4 4 4-4"/></svg></button><span id="${id}-what" hidden>${escaped(what)}</span>`;
}

function named(name: string): string {
  return `title="${escaped(name)}" aria-label="${escaped(name)}"`;
}

function placeheld(words: string): string {
  return `placeholder="${escaped(words)}" aria-label="${escaped(words)}"`;
}
