/** The hover of a blamed line: the commit, and links to commands. */
import * as vscode from "vscode";
import { plainMarkdown } from "#client/text/markdown";
import { ago } from "#client/workbench/format";
import type { BlamedLine } from "./blamedLines";
import { shortHash } from "./blameText";

/** Argument of the commands about a blamed line: the zero-based line of the document `uri`. */
export interface LineTarget {
  readonly uri: string;
  readonly line: number;
}

/** The only commands that links in the hover can run. */
const linked = [
  "trawl.commit.open",
  "trawl.blame.openDiff",
  "trawl.blame.before",
  "trawl.history.file",
  "trawl.blame.copyHash",
  "trawl.commit.openOnHost",
  "trawl.blame.continue",
  "trawl.blame.hide",
] as const;
type Linked = (typeof linked)[number];

export function blameHover(
  { commit, path }: BlamedLine,
  repository: string,
  shownPath: string,
  target: LineTarget,
): vscode.MarkdownString {
  const { hash, message, authorName, authorEmail, date, previous } = commit;
  const { t } = vscode.l10n;
  const text = linkedText();
  text.appendMarkdown(`**${plainMarkdown(message).trim() || t("(no message)")}**\n\n`);
  const time = new Date(date);
  const author = authorEmail === "" ? authorName : `${authorName} <${authorEmail}>`;
  const when = [time.toLocaleString(vscode.env.language), ago(time.getTime())];
  text.appendMarkdown(`${[author, ...when].map(plainMarkdown).join(" · ")}\n\n`);
  const details = [t("Commit {0}", shortHash(hash))];
  if (previous !== undefined) details.push(t("previous {0}", shortHash(previous.hash)));
  if (path !== shownPath) details.push(t("as {0}", path));
  if (previous !== undefined && previous.path !== path) details.push(t("renamed from {0}", previous.path));
  text.appendMarkdown(`${details.map(plainMarkdown).join(" · ")}\n\n`);
  const ref = { repository, ref: hash };
  const actions = [
    link(t("Open Commit"), "trawl.commit.open", ref),
    link(t("Diff"), "trawl.blame.openDiff", target),
    ...(previous === undefined ? [] : [link(t("Blame Before This Change"), "trawl.blame.before", target)]),
    link(t("File History"), "trawl.history.file", { ...ref, path }),
    link(t("Copy SHA"), "trawl.blame.copyHash", target),
    link(t("Open on Code Host"), "trawl.commit.openOnHost", ref),
  ];
  text.appendMarkdown(actions.join(" · "));
  return text;
}

/** Returns the hover shown after a timeout, with links to continue or stop. */
export function timeoutHover(message: string): vscode.MarkdownString {
  const text = linkedText();
  text.appendText(message);
  text.appendMarkdown("\n\n");
  const { t } = vscode.l10n;
  text.appendMarkdown(
    `${link(t("Continue"), "trawl.blame.continue")} · ${link(t("Stop"), "trawl.blame.hide")}`,
  );
  return text;
}

function linkedText(): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: linked };
  return text;
}

function link(title: string, command: Linked, argument?: object): string {
  const query = argument === undefined ? "" : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  // `encodeURIComponent` leaves parentheses, which would end the link.
  const uri = `command:${command}${query}`.replace(/[()]/g, (each) => (each === "(" ? "%28" : "%29"));
  return `[${title}](${uri})`;
}
