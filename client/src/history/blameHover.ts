/** What the blame of a line says when one stays on it, with links to what can be done next. */
import * as vscode from "vscode";
import { plainMarkdown } from "#client/plainMarkdown";
import { ago } from "#client/words";
import type { BlamedLine } from "./blamedLines";
import { shortHash } from "./blameText";

/** What commands about a blamed line are told, for a line of the document `uri`, from 0. */
export interface BlamedPlace {
  readonly uri: string;
  readonly line: number;
}

/** The only commands that links in this text can run. */
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
  place: BlamedPlace,
): vscode.MarkdownString {
  const { hash, message, authorName, authorEmail, date, previous } = commit;
  const { t } = vscode.l10n;
  const text = linkedText();
  text.appendMarkdown(`**${plainMarkdown(message).trim() || t("(no message)")}**\n\n`);
  const time = new Date(date);
  const who = authorEmail === "" ? authorName : `${authorName} <${authorEmail}>`;
  const when = [time.toLocaleString(vscode.env.language), ago(time.getTime())];
  text.appendMarkdown(`${[who, ...when].map(plainMarkdown).join(" · ")}\n\n`);
  const facts = [t("Commit {0}", shortHash(hash))];
  if (previous !== undefined) facts.push(t("before it {0}", shortHash(previous.hash)));
  if (path !== shownPath) facts.push(t("as {0}", path));
  if (previous !== undefined && previous.path !== path) facts.push(t("renamed from {0}", previous.path));
  text.appendMarkdown(`${facts.map(plainMarkdown).join(" · ")}\n\n`);
  const ref = { repository, ref: hash };
  const actions = [
    link(t("Open Commit"), "trawl.commit.open", ref),
    link(t("Diff"), "trawl.blame.openDiff", place),
    ...(previous === undefined ? [] : [link(t("Blame Before This"), "trawl.blame.before", place)]),
    link(t("File History"), "trawl.history.file", { ...ref, path }),
    link(t("Copy SHA"), "trawl.blame.copyHash", place),
    link(t("Open on Host"), "trawl.commit.openOnHost", ref),
  ];
  text.appendMarkdown(actions.join(" · "));
  return text;
}

/** What can be done where blame took too long. */
export function slowHover(message: string): vscode.MarkdownString {
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
  // Parentheses would end the link, and are not encoded.
  const address = `command:${command}${query}`.replace(/[()]/g, (each) => (each === "(" ? "%28" : "%29"));
  return `[${title}](${address})`;
}
