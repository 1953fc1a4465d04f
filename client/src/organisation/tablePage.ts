/** A page with one table as it is before its script runs. Pure: knows no VS Code. */
import { escaped } from "#client/page";

export interface TablePage {
  readonly language: string;
  readonly title: string;
  /** Addresses, and where style sheets may come from. */
  readonly style: string;
  readonly styleSource: string;
  readonly script: string;
  /** Different each time: only the script that bears it runs. */
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
