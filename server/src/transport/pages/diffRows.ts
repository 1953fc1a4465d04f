import type { ChangedFile, Hunk } from "#contract/commits";
import { countOf } from "./context";
import { type Html, type HtmlPart, html } from "./html";

const maxFiles = 300;
const maxLines = 10_000;
const submoduleMode = "160000";

/** Returns the URL of a file at the old or at the new revision. */
export type LinkTo = (path: string, side: "old" | "new") => string;

/** Renders changed files with their hunks, up to the limits of a page. */
export function renderDiff(files: readonly ChangedFile[], linkTo: LinkTo): Html {
  let lines = 0;
  const rendered = files.slice(0, maxFiles).map((file) => {
    const fileLines = file.hunks.reduce((sum, { body }) => sum + body.split("\n").length, 0);
    const isShown = lines + fileLines <= maxLines;
    if (isShown) lines += fileLines;
    const content = isShown
      ? renderContent(file)
      : html`<p class="note">There are too many changes on this page to show these.</p>`;
    return html`<section class="change"><h2>${titleOf(file, linkTo)}${countsOf([file])}</h2>${content}</section>\n`;
  });
  const omittedCount = files.length - rendered.length;
  const omittedNote =
    omittedCount === 0
      ? undefined
      : html`<p class="note">${countOf(omittedCount, "more file is", "more files are")} not shown here.</p>`;
  return html`<p>${countOf(files.length, "file")} changed${countsOf(files)}</p>${rendered}${omittedNote}`;
}

function titleOf({ oldPath, newPath, oldMode, newMode }: ChangedFile, linkTo: LinkTo): HtmlPart {
  if (newPath === "/dev/null") return html`${pathLink(oldPath, "old", oldMode, linkTo)} (deleted)`;
  const link = pathLink(newPath, "new", newMode, linkTo);
  if (oldPath === "/dev/null") return html`${link} (added)`;
  return oldPath === newPath ? link : html`<bdi>${oldPath}</bdi> → ${link}`;
}

function pathLink(path: string, side: "old" | "new", mode: string | undefined, linkTo: LinkTo): Html {
  // The content of a submodule is in another repository.
  if (mode === submoduleMode) return html`<bdi>${path}</bdi>`;
  return html`<a href="${linkTo(path, side)}"><bdi>${path}</bdi></a>`;
}

/** Renders the numbers of added and removed lines; nothing if no lines are counted, as for binary files. */
function countsOf(files: readonly ChangedFile[]): Html | undefined {
  const counted = files.filter(({ hunks }) => hunks.length > 0);
  if (counted.length === 0) return undefined;
  const added = counted.reduce((sum, file) => sum + linesWith("+", file), 0);
  const removed = counted.reduce((sum, file) => sum + linesWith("-", file), 0);
  const spoken = `${countOf(added, "line")} added, ${countOf(removed, "line")} removed`;
  return html` <span class="counts" role="img" aria-label="${spoken}"><span class="plus">+${added.toLocaleString("en")}</span> <span class="minus">−${removed.toLocaleString("en")}</span></span>`;
}

function linesWith(marker: "+" | "-", { hunks }: ChangedFile): number {
  let count = 0;
  for (const { body } of hunks) {
    for (let at = 0; at < body.length; at = lineEnd(body, at) + 1) if (body[at] === marker) count++;
  }
  return count;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

function renderContent({ hunks, isBinary, oldMode, newMode }: ChangedFile): Html {
  if (isBinary) return html`<p class="note">Binary file.</p>`;
  if (hunks.length > 0)
    return html`<div class="code" tabindex="0"><table dir="ltr">${hunks.map(hunkRows)}</table></div>`;
  const isModeOnly = oldMode !== newMode && oldMode !== undefined && newMode !== undefined;
  return html`<p class="note">${isModeOnly ? `Mode changed from ${oldMode} to ${newMode}.` : "The content did not change."}</p>`;
}

function hunkRows({ oldRange, newRange, body, heading }: Hunk): Html {
  let oldLine = oldRange.start;
  let newLine = newRange.start;
  const rows = body.split("\n").map((line) => {
    const marker = line[0];
    if (marker === "\\") return html`<tr class="at">${numberCell()}${numberCell()}<td>${line}</td></tr>\n`;
    const left = marker === "+" ? undefined : oldLine++;
    const right = marker === "-" ? undefined : newLine++;
    const kind = marker === "+" ? "add" : marker === "-" ? "del" : "same";
    return html`<tr class="${kind}">${numberCell(left)}${numberCell(right)}<td>${line}</td></tr>\n`;
  });
  const rangeLine = `@@ -${oldRange.start},${oldRange.lines} +${newRange.start},${newRange.lines} @@ ${heading}`;
  return html`<tr class="at">${numberCell()}${numberCell()}<td>${rangeLine}</td></tr>\n${rows}`;
}

function numberCell(line?: number): Html {
  return html`<td class="n">${line}</td>`;
}
