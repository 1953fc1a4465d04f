/** The Commit view: one commit, its author, its changed files, and the branches that contain it. */
import * as vscode from "vscode";
import { revisionName } from "#client/documents/revisionTitle";
import { getCall } from "#client/server/apiCall";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { ago } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { CommitDetails as Details } from "#contract/commits";
import { emptyTree } from "#contract/snapshotUri";
import { shortHash } from "./blameText";
import { type Changes, changeRows, changesText, openAllChanges } from "./changeRows";
import { bodyLines, refNames, wholeMessage } from "./commitText";
import { HistoryTree } from "./historyTree";

/** A commit, by any revision that names it. */
export interface CommitRef {
  readonly repository: string;
  readonly ref: string;
}

type Service = Pick<ServiceClient, "call">;

const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;

export class CommitDetails implements vscode.Disposable {
  readonly tree = new HistoryTree("commit");
  readonly #service: Service;
  readonly #label: (repository: string) => string;
  #shown: CommitRef | undefined;

  /** `label` returns the display name of a repository. */
  constructor(service: Service, label: (repository: string) => string) {
    this.#service = service;
    this.#label = label;
  }

  dispose(): void {
    this.tree.dispose();
  }

  /** The commit that is shown. */
  get shown(): CommitRef | undefined {
    return this.#shown;
  }

  async show(commit: CommitRef, options: { readonly preserveFocus?: boolean } = {}): Promise<void> {
    this.#shown = commit;
    await this.tree.show(
      {
        description: `${this.#label(commit.repository)} · ${visible(revisionName(commit.ref))}`,
        rows: () => this.#rows(commit),
      },
      options,
    );
  }

  async #rows({ repository, ref }: CommitRef): Promise<readonly Row[]> {
    const { token } = this.tree;
    const details = await this.#service.call("commit", { repo: repository, ref }, { token });
    return [
      this.#messageRow(repository, details),
      ...this.#peopleRows(details),
      ...this.#parentRows(repository, details),
      ...refRows(details),
      this.#containedRow(repository, details),
      this.#filesRow(repository, details),
    ];
  }

  #messageRow(repository: string, { hash, message, body }: Details): Row {
    const lines = bodyLines(body);
    const row: Row = {
      id: `${hash}/message`,
      call: getCall("/api/commit", { repo: repository, ref: hash }),
      item: () => ({
        label: visible(message).trim() || vscode.l10n.t("(no message)"),
        description: shortHash(hash),
        tooltip: wholeMessage({ message, body }).split("\n").map(visible).join("\n"),
        iconPath: new vscode.ThemeIcon("git-commit"),
        contextValue: "message",
        ...(lines.length > 0 ? { collapsibleState: Expanded } : {}),
      }),
      children: () =>
        lines.map((line, index) => ({
          id: `${row.id}/${index}`,
          parent: row,
          item: () => ({
            label: visible(line),
            tooltip: visible(line),
            ...(line.trim() === ""
              ? { accessibilityInformation: { label: vscode.l10n.t("blank line") } }
              : {}),
          }),
        })),
    };
    return row;
  }

  #peopleRows(details: Details): readonly Row[] {
    const { hash, authorName, authorEmail, date, committerName, committerEmail, commitDate } = details;
    const author = personRow(`${hash}/author`, vscode.l10n.t("Author"), "account", {
      name: authorName,
      email: authorEmail,
      date,
    });
    const isSame = committerName === authorName && committerEmail === authorEmail && commitDate === date;
    if (isSame) return [author];
    const committer = { name: committerName, email: committerEmail, date: commitDate };
    return [author, personRow(`${hash}/committer`, vscode.l10n.t("Committer"), "person", committer)];
  }

  #parentRows(repository: string, { hash, parents }: Details): readonly Row[] {
    return parents.map((parent, index) => ({
      id: `${hash}/parent ${index}`,
      repository,
      ref: parent,
      call: getCall("/api/commit", { repo: repository, ref: parent }),
      item: () => ({
        label: vscode.l10n.t("Parent {0}", shortHash(parent)),
        tooltip: vscode.l10n.t("Open Commit {0}", parent),
        iconPath: new vscode.ThemeIcon("arrow-up"),
        contextValue: "commit",
      }),
      run: () => this.show({ repository, ref: parent }),
    }));
  }

  #containedRow(repository: string, { hash }: Details): Row {
    const row: Row = {
      id: `${hash}/contained`,
      item: () => ({
        label: vscode.l10n.t("Contained in"),
        tooltip: vscode.l10n.t("The branches, and the oldest tag, that contain this commit"),
        iconPath: new vscode.ThemeIcon("git-merge"),
        collapsibleState: Collapsed,
      }),
      children: async () => {
        const request = { repo: repository, ref: hash, containedIn: true };
        const { containedIn } = await this.#service.call("commit", request, { token: this.tree.token });
        const tag = containedIn?.tag ?? "";
        const names = [
          ...(tag === "" ? [] : [{ name: tag, icon: "tag", description: vscode.l10n.t("first tag") }]),
          ...(containedIn?.branches ?? []).map((name) => ({ name, icon: "git-branch", description: "" })),
        ];
        if (names.length === 0) {
          return [{ id: `${row.id}/none`, parent: row, item: () => ({ label: vscode.l10n.t("No branch") }) }];
        }
        return names.map(({ name, icon, description }) => ({
          id: `${row.id}/${icon} ${name}`,
          parent: row,
          item: () => ({ label: visible(name), description, iconPath: new vscode.ThemeIcon(icon) }),
        }));
      },
    };
    return row;
  }

  #filesRow(repository: string, details: Details): Row {
    let changes: Changes | undefined;
    const row: Row = {
      id: `${details.hash}/files`,
      repository,
      call: getCall("/api/diff", { repo: repository, base: baseOf(details), head: details.hash }),
      item: () => ({
        label: vscode.l10n.t("Changed Files"),
        description: changes === undefined ? "" : changesText(changes.files),
        iconPath: new vscode.ThemeIcon("diff-multiple"),
        contextValue: "changes",
        collapsibleState: Expanded,
      }),
      children: async () => {
        if (changes === undefined) {
          changes = await changesOf(this.#service, repository, details, { token: this.tree.token });
          // Shows the counts in the row.
          this.tree.redraw(row);
        }
        return changeRows(changes, row, this.tree);
      },
    };
    return row;
  }
}

/** Fetches what a commit changed since its first parent, in all files or in `path`. Rejects with a `CallError`. */
export async function changesOf(
  service: Service,
  repository: string,
  { hash, parents }: Pick<Details, "hash" | "parents">,
  { token, path }: { readonly token?: vscode.CancellationToken; readonly path?: string } = {},
): Promise<Changes> {
  const base = baseOf({ parents });
  const request = {
    repo: repository,
    base,
    head: hash,
    hunks: false,
    ...(path === undefined ? {} : { path }),
  };
  const { files } = await service.call("diff", request, token === undefined ? {} : { token });
  return { repository, base, head: hash, files };
}

function baseOf({ parents }: Pick<Details, "parents">): string {
  return parents[0] ?? emptyTree;
}

/** Opens all changes of a commit in one editor. Rejects with a `CallError`. */
export async function openCommitChanges(service: Service, { repository, ref }: CommitRef): Promise<void> {
  const details = await service.call("commit", { repo: repository, ref });
  const changes = await changesOf(service, repository, details);
  await openAllChanges(changes, `${shortHash(details.hash)} · ${visible(details.message)}`);
}

function personRow(
  id: string,
  role: string,
  icon: string,
  { name, email, date }: { readonly name: string; readonly email: string; readonly date: string },
): Row {
  const time = new Date(date);
  const person = visible(email === "" ? name : `${name} <${email}>`);
  return {
    id,
    date: time.getTime(),
    item: () => ({
      label: person,
      description: `${role} · ${ago(time.getTime())}`,
      tooltip: `${role}: ${person}\n${time.toLocaleString(vscode.env.language)}`,
      iconPath: new vscode.ThemeIcon(icon),
    }),
  };
}

function refRows({ hash, refs }: Details): readonly Row[] {
  const names = refNames(refs);
  if (names.length === 0) return [];
  return [
    {
      id: `${hash}/refs`,
      item: () => ({
        label: names.map((name) => `⟨${visible(name)}⟩`).join(" "),
        tooltip: visible(refs),
        iconPath: new vscode.ThemeIcon("tag"),
      }),
    },
  ];
}
