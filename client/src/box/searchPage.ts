/**
 * The HTML page of the search view, as it is before the extension sends its state. Styles and script are part of it: VS Code
 * may show a page before the files that it loads have arrived.
 */
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { escaped } from "#client/text/page";

export interface PageOptions {
  readonly extensionUri: vscode.Uri;
  /** Different each time; only the styles and the script with this nonce apply. */
  readonly nonce: string;
}

export function searchPage({ extensionUri, nonce }: PageOptions): string {
  const { l10n } = vscode;
  const file = (...path: string[]) =>
    readFileSync(vscode.Uri.joinPath(extensionUri, ...path).fsPath, "utf8").replaceAll("</", "<\\/");
  const placeholder = escaped(l10n.t("Search code in all repositories (? for help)"));
  const unlistable = escaped(
    l10n.t("The file: filters of this query cannot be shown as a list. Edit them in the search box."),
  );
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">${file("media", "search.css")}</style>
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
<button type="button" id="case" class="toggle" aria-pressed="false" ${titleAttributes(l10n.t("Match Case (Alt+C)"))}><span aria-hidden="true">Aa</span></button>
<button type="button" id="word" class="toggle" aria-pressed="false" ${titleAttributes(l10n.t("Match Whole Word (Alt+W)"))}><span aria-hidden="true" class="word">ab</span></button>
<button type="button" id="regex" class="toggle" aria-pressed="false" ${titleAttributes(l10n.t("Use Regular Expression (Alt+R)"))}><span aria-hidden="true" class="regex">.*</span></button>
<button type="button" id="words" class="toggle" aria-pressed="false" ${titleAttributes(l10n.t("Best Matches for a Description (Alt+D)"))}><span aria-hidden="true">≈</span></button>
</div>
<div id="proposals" class="proposals" role="listbox" aria-label="${escaped(l10n.t("Suggestions"))}" hidden></div>
</div>
<div id="problems" class="notes" hidden></div>
<div id="chips" class="chips" role="list" aria-label="${escaped(l10n.t("Filters"))}" hidden></div>
<div id="pickers" class="pickers">
${picker("scope", l10n.t("Where to search"))}${picker("revision", l10n.t("Which revision to search"))}${picker("type", l10n.t("What to search for"))}
<button type="button" id="narrow" class="picker narrow" aria-expanded="false" aria-controls="narrow-row" title="${escaped(l10n.t("Search within these files"))}">${escaped(l10n.t("+ Narrow"))}</button>
<button type="button" id="details" class="picker details" aria-expanded="false" aria-controls="files-row" ${titleAttributes(l10n.t("Toggle Search Details"))}><svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 8h.1M8 8h.1M14 8h.1"/></svg></button>
</div>
<div id="narrow-row" class="narrow-row" hidden>
<input id="narrow-query" class="narrow-query" type="text" spellcheck="false" autocomplete="off" ${placeholderAttributes(l10n.t("Also in the same file (press Enter to add)"))}>
</div>
<div id="files-row" class="files-row" hidden>
<label for="include" aria-hidden="true">${escaped(l10n.t("include"))}</label>
<div class="field-with-button"><input id="include" aria-label="${escaped(l10n.t("files to include"))}" class="narrow-query" type="text" spellcheck="false" autocomplete="off" data-unlistable="${unlistable}" placeholder="${escaped(l10n.t("e.g. *.ts, src/**/include"))}">
<button type="button" id="open-editors" class="toggle" aria-pressed="false" ${titleAttributes(l10n.t("Search Only in Open Editors"))}><svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 4.5C6.5 3.3 4.2 3 2 3.3v9.2c2.2-.3 4.5 0 6 1.2 1.5-1.2 3.8-1.500 6-1.200V3.300C11.800 3 9.500 3.300 8 4.500Zm0 0v9.200"/></svg></button></div>
<label for="exclude" aria-hidden="true">${escaped(l10n.t("exclude"))}</label>
<input id="exclude" aria-label="${escaped(l10n.t("files to exclude"))}" class="narrow-query" type="text" spellcheck="false" autocomplete="off" data-unlistable="${unlistable}" placeholder="${escaped(l10n.t("e.g. *.ts, src/**/exclude"))}">
</div>
<div id="status" class="notes status"></div>
<div id="welcome" class="welcome" hidden></div>
<div id="announcement" class="unseen" aria-live="polite"></div>
<div id="alert" class="unseen" role="alert"></div>
</main>
<script nonce="${nonce}">${file("dist", "webview", "search.js")}</script>
</body>
</html>`;
}

function picker(id: string, title: string): string {
  return `<button type="button" id="${id}" class="picker" aria-haspopup="dialog" aria-describedby="${id}-what" title="${escaped(title)}"><span id="${id}-label" class="picker-label"></span><svg class="icon" viewBox="2.5 3 11 11" aria-hidden="true"><path d="M4 6.5l4 4 4-4"/></svg></button><span id="${id}-what" hidden>${escaped(title)}</span>`;
}

function titleAttributes(name: string): string {
  return `title="${escaped(name)}" aria-label="${escaped(name)}"`;
}

function placeholderAttributes(text: string): string {
  return `placeholder="${escaped(text)}" aria-label="${escaped(text)}"`;
}
