/** The HTML of a page with one table, before its script runs. Pure: does not use VS Code. */
import { escaped } from "#client/text/page";

export interface TablePage {
  readonly language: string;
  readonly title: string;
  /** URL of the style sheet. */
  readonly style: string;
  /** CSP source that style sheets may come from. */
  readonly styleSource: string;
  /** URL of the script. */
  readonly script: string;
  /** Random for each page: only the script that carries it runs. */
  readonly nonce: string;
}

export function tablePage({ language, title, style, styleSource, script, nonce }: TablePage): string {
  const policy = `default-src 'none'; style-src ${styleSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>${escaped(title)}</title>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<div id="fields" class="fields"></div>
<div id="notes" class="notes"></div>
<div id="frame" class="frame" role="region" aria-label="${escaped(title)}" tabindex="0" hidden>
<table><thead><tr id="head"></tr></thead><tbody id="rows"></tbody></table>
</div>
<div id="more" class="more"></div>
<p id="foot" class="foot"></p>
</main>
<script nonce="${escaped(nonce)}" src="${escaped(script)}"></script>
</body>
</html>`;
}
