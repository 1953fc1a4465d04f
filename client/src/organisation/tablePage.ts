/** A page with one table: no script, and links that run commands of ours. Pure: knows no VS Code. */
import { escaped } from "#client/page";

export interface Link {
  readonly text: string;
  /** Id of a command, without `trawl.`. */
  readonly command: string;
  readonly argument?: string;
}

/** Text, a link, or text that is opened by a click. */
export type Cell = string | Link | { readonly summary: string; readonly details: string };

export interface TablePage {
  readonly language: string;
  readonly title: string;
  /** Address of the style sheet, and where such may come from. */
  readonly style: string;
  readonly styleSource: string;
  readonly actions: readonly Link[];
  /** What is said above the table, such as what went wrong. */
  readonly notes: readonly string[];
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly foot: string;
}

export function tablePage(page: TablePage): string {
  const { title, head, rows } = page;
  const policy = `default-src 'none'; style-src ${page.styleSource}`;
  const table =
    head.length === 0
      ? ""
      : `<table><thead><tr>${head.map((text) => `<th scope="col">${escaped(text)}</th>`).join("")}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((each) => `<td>${cell(each)}</td>`).join("")}</tr>`).join("\n")}</tbody></table>`;
  return `<!DOCTYPE html>
<html lang="${escaped(page.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<link rel="stylesheet" href="${escaped(page.style)}">
<title>${escaped(title)}</title>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p class="actions">${page.actions.map(link).join(" ")}</p>
${page.notes.map((note) => `<p role="status">${escaped(note)}</p>`).join("\n")}
${table}
<p class="foot">${escaped(page.foot)}</p>
</main>
</body>
</html>`;
}

function cell(value: Cell): string {
  if (typeof value === "string") return escaped(value);
  if ("command" in value) return link(value);
  return `<details><summary>${escaped(value.summary)}</summary><pre>${escaped(value.details)}</pre></details>`;
}

function link({ text, command, argument }: Link): string {
  const query = argument === undefined ? "" : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `<a href="${escaped(`command:trawl.${command}${query}`)}">${escaped(text)}</a>`;
}
