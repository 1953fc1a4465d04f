import type { ChangedFile, Hunk } from "#contract/commits";
import { type Html, html } from "./html";

const maxFiles = 300;
const maxLines = 10_000;

/** Each file with its hunks, as far as a page can hold them. */
export function diffRows(files: readonly ChangedFile[]): Html {
  let lines = 0;
  const drawn: Html[] = [];
  for (const file of files.slice(0, maxFiles)) {
    lines += file.hunks.reduce((sum, { body }) => sum + body.split("\n").length, 0);
    if (lines > maxLines) break;
    drawn.push(html`<section><h2>${titleOf(file)}</h2>${content(file)}</section>\n`);
  }
  const left = files.length - drawn.length;
  const more = left === 0 ? undefined : html`<p class="note">${left} more files are not shown here.</p>`;
  return html`<p>${files.length} files changed.</p>${drawn}${more}`;
}

function titleOf({ oldPath, newPath }: ChangedFile): string {
  if (oldPath === "/dev/null") return `${newPath} (added)`;
  if (newPath === "/dev/null") return `${oldPath} (deleted)`;
  return oldPath === newPath ? newPath : `${oldPath} → ${newPath}`;
}

function content({ hunks, isBinary, oldMode, newMode }: ChangedFile): Html {
  if (isBinary) return html`<p class="note">Binary file.</p>`;
  if (hunks.length > 0) return html`<div class="code"><table dir="ltr">${hunks.map(hunkRows)}</table></div>`;
  const isModeOnly = oldMode !== newMode && oldMode !== undefined && newMode !== undefined;
  return html`<p class="note">${isModeOnly ? `Mode ${oldMode} became ${newMode}.` : "Same content."}</p>`;
}

function hunkRows({ oldRange, newRange, body, heading }: Hunk): Html {
  let old = oldRange.start;
  let now = newRange.start;
  const rows = body.split("\n").map((line) => {
    const marker = line[0];
    if (marker === "\\") return html`<tr class="at">${number()}${number()}<td>${line}</td></tr>\n`;
    const left = marker === "+" ? undefined : old++;
    const right = marker === "-" ? undefined : now++;
    const kind = marker === "+" ? "add" : marker === "-" ? "del" : "same";
    return html`<tr class="${kind}">${number(left)}${number(right)}<td>${line}</td></tr>\n`;
  });
  const place = `@@ -${oldRange.start},${oldRange.lines} +${newRange.start},${newRange.lines} @@ ${heading}`;
  return html`<tr class="at">${number()}${number()}<td>${place}</td></tr>\n${rows}`;
}

function number(line?: number): Html {
  return html`<td class="n">${line}</td>`;
}
