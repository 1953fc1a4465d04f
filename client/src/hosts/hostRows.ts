/** Rows of the Code Hosts view: connections, what is wrong with them, and their repositories by state. */
import { basename } from "node:path";
import * as vscode from "vscode";
import { ago, count } from "#client/workbench/format";
import type { Row } from "#client/workbench/rows";
import type { CodeHostRepository, CodeHostRepositoryState, CodeHostStatus } from "#contract/codeHosts";
import { hostTypes } from "./hostTypes";

export interface HostSource {
  /** Returns the repositories loaded so far, and loads the first ones. */
  readonly repositories: (
    host: CodeHostStatus,
    state: CodeHostRepositoryState,
  ) => Promise<readonly CodeHostRepository[]>;
  readonly loadMore: (host: CodeHostStatus, state: CodeHostRepositoryState, parent: Row) => Promise<void>;
  readonly configure: (host: CodeHostStatus) => Promise<void>;
  readonly confirm: (host: CodeHostStatus) => Promise<void>;
  readonly signIn: (host: CodeHostStatus) => Promise<void>;
}

/** A row of a connection, for its commands. */
export interface HostRow extends Row {
  readonly host: CodeHostStatus;
}

/** In the data directory: the connections that were added in VS Code. */
export const connectionsFileName = "connections.jsonc";

/** More problems are counted only: a host may report one per organization. */
const maxProblems = 20;

const groups: readonly CodeHostRepositoryState[] = ["failing", "gone", "hidden", "waiting", "mirrored"];

export function hostRow(host: CodeHostStatus, source: HostSource): HostRow {
  const row: HostRow = {
    id: host.name,
    host,
    item: () => ({
      label: host.name,
      description: descriptionOf(host),
      tooltip: tooltipOf(host),
      iconPath: iconOf(host),
      contextValue: contextOf(host),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    children: () => [
      ...signInRows(host, row, source),
      ...unconfirmedRows(host, row, source),
      ...problemRows(host, row, source),
      ...groups.filter((state) => host.counts[state] > 0).map((state) => groupRow(state, row, source)),
    ],
  };
  return row;
}

function contextOf({ unconfirmed, signIn, file = "" }: CodeHostStatus): string {
  const parts = [
    "host",
    unconfirmed > 0 ? "unconfirmed" : undefined,
    signIn === undefined ? undefined : "signIn",
    basename(file) === connectionsFileName ? "added" : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

function totalOf({ counts }: CodeHostStatus): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

function descriptionOf(host: CodeHostStatus): string {
  const { counts, isListing, listedAt, problems, rightsProblems, signIn, unconfirmed } = host;
  const total = totalOf(host) - counts.hidden;
  const { t } = vscode.l10n;
  const parts = [
    isListing ? t("listing") : undefined,
    // What needs attention comes first, because the end may be cut off.
    signIn?.isNeeded ? t("not signed in") : undefined,
    problems.length > 0 && !isListing ? t("not listed completely") : undefined,
    rightsProblems.length > 0 ? t("rights not current") : undefined,
    unconfirmed > 0 ? t("{0} disappeared", count(unconfirmed)) : undefined,
    counts.failing > 0 ? t("{0} failing", count(counts.failing)) : undefined,
    counts.waiting > 0 ? t("{0} to clone", count(counts.waiting)) : undefined,
    total === 1 ? t("1 repository") : t("{0} repositories", count(total)),
  ];
  const isNew = listedAt === undefined && problems.length === 0 && !isListing;
  return isNew ? t("not listed yet") : parts.filter((part) => part !== undefined).join(" · ");
}

function tooltipOf(host: CodeHostStatus): string {
  const { type, url, listedAt, nextListAt, counts } = host;
  const { t } = vscode.l10n;
  const title = hostTypes.find((each) => each.type === type)?.brand ?? type;
  const lines = [
    url,
    title,
    listedAt === undefined ? t("not listed yet") : t("listed {0}", ago(Date.parse(listedAt))),
    nextListAt === undefined
      ? undefined
      : t("next listing: {0}", new Date(nextListAt).toLocaleTimeString(vscode.env.language)),
    ...groups
      .filter((state) => counts[state] > 0)
      .map((state) => `${groupTitle(state)}: ${count(counts[state])}`),
  ];
  return lines.filter((line) => line !== undefined).join("\n");
}

function iconOf({
  type,
  isListing,
  problems,
  rightsProblems,
  signIn,
  unconfirmed,
  counts,
}: CodeHostStatus): vscode.ThemeIcon {
  if (isListing) return new vscode.ThemeIcon("sync~spin");
  const icon = hostTypes.find((each) => each.type === type)?.icon ?? "server";
  const needsAttention =
    problems.length + rightsProblems.length + unconfirmed + counts.failing > 0 || signIn?.isNeeded === true;
  return new vscode.ThemeIcon(
    icon,
    needsAttention ? new vscode.ThemeColor("list.warningForeground") : undefined,
  );
}

function signInRows(host: CodeHostStatus, parent: HostRow, source: HostSource): Row[] {
  if (host.signIn?.isNeeded !== true) return [];
  return [
    {
      id: `${parent.id}/sign in`,
      parent,
      item: () => ({
        label: vscode.l10n.t("Sign In Again"),
        description: vscode.l10n.t("nothing was removed"),
        tooltip: vscode.l10n.t(
          "VS Code has no token for {0}, or the host refuses it. Its repositories are kept and searched, but not updated.",
          host.name,
        ),
        iconPath: new vscode.ThemeIcon("key", new vscode.ThemeColor("list.warningForeground")),
      }),
      run: () => source.signIn(host),
    },
  ];
}

function unconfirmedRows(host: CodeHostStatus, parent: HostRow, source: HostSource): Row[] {
  if (host.unconfirmed === 0) return [];
  return [
    {
      id: `${parent.id}/unconfirmed`,
      parent,
      item: () => ({
        label: vscode.l10n.t("{0} repositories disappeared at once", count(host.unconfirmed)),
        description: vscode.l10n.t("kept · click to confirm their removal"),
        tooltip: vscode.l10n.t(
          "The host no longer lists them. They are kept and searched until you confirm that they may be removed.",
        ),
        iconPath: new vscode.ThemeIcon("question"),
      }),
      run: () => source.confirm(host),
    },
  ];
}

function problemRows(host: CodeHostStatus, parent: HostRow, source: HostSource): Row[] {
  const configure = vscode.l10n.t("Click to open the configuration of {0}.", host.name);
  const problems = [
    ...host.problems.map((each) => ({
      ...each,
      icon: "warning",
      notes: [vscode.l10n.t("Nothing was removed.")],
    })),
    ...host.rightsProblems.map((each) => ({ ...each, icon: "lock", notes: [] })),
  ];
  const rows = problems.slice(0, maxProblems).map(
    ({ scope, message, icon, notes }, at): Row => ({
      id: `${parent.id}/problem ${at}`,
      parent,
      item: () => ({
        label: message,
        ...(scope === undefined ? {} : { description: scope }),
        tooltip: [scope, message, ...notes, configure].filter((line) => line !== undefined).join("\n"),
        iconPath: new vscode.ThemeIcon(icon, new vscode.ThemeColor("list.warningForeground")),
      }),
      run: () => source.configure(host),
    }),
  );
  if (problems.length <= maxProblems) return rows;
  const more = vscode.l10n.t("{0} more problems", count(problems.length - maxProblems));
  return [...rows, { id: `${parent.id}/problems`, parent, item: () => ({ label: more }) }];
}

function groupTitle(state: CodeHostRepositoryState): string {
  switch (state) {
    case "failing":
      return vscode.l10n.t("Failing");
    case "gone":
      return vscode.l10n.t("Gone from the host");
    case "hidden":
      return vscode.l10n.t("No longer included");
    case "waiting":
      return vscode.l10n.t("To clone");
    case "mirrored":
      return vscode.l10n.t("Mirrored");
  }
}

const groupIcons: Readonly<Record<CodeHostRepositoryState, string>> = {
  failing: "error",
  gone: "question",
  hidden: "eye-closed",
  waiting: "cloud-download",
  mirrored: "repo",
};

function groupRow(state: CodeHostRepositoryState, parent: HostRow, source: HostSource): Row {
  const { host } = parent;
  const row: Row = {
    id: `${parent.id}/${state}`,
    parent,
    item: () => ({
      label: groupTitle(state),
      description: count(host.counts[state]),
      iconPath: new vscode.ThemeIcon(
        groupIcons[state],
        state === "failing" ? new vscode.ThemeColor("list.errorForeground") : undefined,
      ),
      collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
    }),
    async children() {
      const loaded = await source.repositories(host, state);
      const total = host.counts[state];
      const more: Row = {
        id: `${row.id}/more`,
        parent: row,
        item: () => ({
          label: vscode.l10n.t("Load More"),
          description: vscode.l10n.t("{0} of {1}", count(loaded.length), count(total)),
          iconPath: new vscode.ThemeIcon("ellipsis"),
        }),
        run: () => source.loadMore(host, state, row),
      };
      return [...loaded.map((each) => repositoryRow(each, row)), ...(loaded.length < total ? [more] : [])];
    },
  };
  return row;
}

function repositoryRow(repository: CodeHostRepository, parent: Row): Row {
  const { path, repository: name, state, reason, fetchedAt } = repository;
  const fetched =
    fetchedAt === undefined ? undefined : vscode.l10n.t("fetched {0}", ago(Date.parse(fetchedAt)));
  return {
    id: `${parent.id}/${path}`,
    parent,
    repository: name,
    item: () => ({
      label: path,
      // The row already names what was fetched.
      description: reason?.replace(/^git \w+ of \S+ failed: /, "") ?? fetched ?? "",
      tooltip: [name, reason, fetched].filter((line) => line !== undefined).join("\n"),
      iconPath: new vscode.ThemeIcon(groupIcons[state]),
      contextValue: `repository ${state}`,
    }),
    ...(fetchedAt === undefined
      ? {}
      : { run: () => vscode.commands.executeCommand("trawl.browse.repository", { repository: name }) }),
  };
}
