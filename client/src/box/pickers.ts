/** Pickers for the scope, revision and type of a search. They only edit the filters in the query. */
import * as vscode from "vscode";
import type { Repositories } from "#client/model/repositories";
import {
  allRevisions,
  branches,
  defaultRevisions,
  defaultScope,
  everywhere,
  head,
  repositoriesFilter,
  revisionPrefixes,
  type ScopeSettings,
  scopePrefixes,
  tags,
  typePrefixes,
} from "#client/search/scope";
import type { ServiceClient } from "#client/server/serviceClient";
import type { QueryCompletion, QueryFilter } from "#contract/queries";
import { exactRepository, type Filter, withFiltersReplaced } from "#contract/queryText";

export interface PickerOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Repositories;
  readonly settings: () => ScopeSettings;
}

/** A query with its parsed filters. */
export interface ParsedQuery {
  readonly query: string;
  readonly filters: readonly QueryFilter[];
}

interface Choice extends vscode.QuickPickItem {
  /** Filters that replace those of the same kind; undefined if a further choice follows. */
  readonly filters?: readonly Filter[];
}

/** Returns the query after the choice; undefined if the user made none. */
export function pick(
  what: "scope" | "revision" | "type",
  parsed: ParsedQuery,
  options: PickerOptions,
): Promise<string | undefined> {
  if (what === "scope") return pickScope(parsed, options);
  return what === "revision" ? pickRevision(parsed, options) : pickType(parsed, options);
}

async function pickScope(
  { query, filters }: ParsedQuery,
  options: PickerOptions,
): Promise<string | undefined> {
  const { service, repositories, settings } = options;
  const workspaceFilter = repositoriesFilter(settings().workspace);
  const isAllDefault = defaultScope(settings()) === undefined;
  const names = await completions(service, "context:", "context");
  const choices: Choice[] = [
    { label: vscode.l10n.t("All Repositories"), filters: isAllDefault ? [] : [everywhere] },
    ...(workspaceFilter === undefined
      ? []
      : [
          {
            label: vscode.l10n.t("This Workspace"),
            description: settings().workspace.join(", "),
            filters: [workspaceFilter],
          },
        ]),
    ...names.map(({ label, detail }) => ({
      label,
      description: detail,
      filters: [{ prefix: "context", value: label, isNegated: false }],
    })),
    { label: vscode.l10n.t("Choose Repositories...") },
  ];
  const choice = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Where to Search") });
  if (choice === undefined) return undefined;
  const chosen = choice.filters ?? (await pickRepositories(filters, repositories));
  return chosen === undefined
    ? undefined
    : withFiltersReplaced(query, withoutNegated(filters), scopePrefixes, chosen);
}

/** Lets the user choose repositories; returns undefined if they chose none. */
async function pickRepositories(
  filters: readonly QueryFilter[],
  repositories: Repositories,
): Promise<readonly Filter[] | undefined> {
  await repositories.load();
  const selected = new Set(
    withoutNegated(filters).flatMap(({ prefix, value }) =>
      prefix === "reposet" ? value.split(",") : [value],
    ),
  );
  const items = [...(repositories.items?.values() ?? [])].map(({ repoName, repoDisplayName }) => ({
    label: repoName,
    ...(repoDisplayName === undefined ? {} : { description: repoDisplayName }),
    picked: selected.has(repoName) || selected.has(exactRepository(repoName)),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Repositories to Search"),
    canPickMany: true,
    matchOnDescription: true,
  });
  const filter = repositoriesFilter(chosen?.map(({ label }) => label) ?? []);
  return filter === undefined ? undefined : [filter];
}

async function pickRevision(
  { query, filters }: ParsedQuery,
  options: PickerOptions,
): Promise<string | undefined> {
  const { service, settings } = options;
  const isHeadDefault = defaultRevisions(settings()) === undefined;
  const fixed: Choice[] = [
    { label: "HEAD", filters: isHeadDefault ? [] : [head] },
    { label: vscode.l10n.t("All Branches"), filters: [branches] },
    { label: vscode.l10n.t("All Tags"), filters: [tags] },
    { label: vscode.l10n.t("All Branches and Tags"), filters: [allRevisions] },
  ];
  const rest = withFiltersReplaced(query, withoutNegated(filters), revisionPrefixes, []);
  const choice = await pickWhileTyping(vscode.l10n.t("Which Revision to Search"), async (text) => {
    const found = await completions(service, `${rest} rev:${text}`, "revision");
    const known: Choice[] = found
      .filter(({ label }) => label !== "HEAD" && label !== "*")
      .map(({ label, detail }) => ({
        label,
        description: detail,
        filters: [{ prefix: "rev", value: label, isNegated: false }],
      }));
    // Any tag or commit can be searched, indexed or not.
    const typed: Choice[] =
      text === "" || known.some(({ label }) => label === text)
        ? []
        : [{ label: text, alwaysShow: true, filters: [{ prefix: "rev", value: text, isNegated: false }] }];
    const kind = vscode.QuickPickItemKind.Separator;
    return [...typed, ...fixed, { label: vscode.l10n.t("indexed"), kind }, ...known];
  });
  const chosen = choice?.filters;
  return chosen === undefined
    ? undefined
    : withFiltersReplaced(query, withoutNegated(filters), revisionPrefixes, chosen);
}

async function pickType(
  { query, filters }: ParsedQuery,
  { repositories }: PickerOptions,
): Promise<string | undefined> {
  const items = [...(repositories.items?.values() ?? [])];
  const choice = (label: string, type: string): Choice => ({
    label,
    filters: [{ prefix: "type", value: type, isNegated: false }],
  });
  const choices: Choice[] = [
    { label: vscode.l10n.t("Code"), filters: [] },
    ...(items.some(({ symbolsReady }) => symbolsReady) ? [choice(vscode.l10n.t("Symbols"), "symbol")] : []),
    choice(vscode.l10n.t("Files"), "file"),
    choice(vscode.l10n.t("Repositories"), "repo"),
    choice(vscode.l10n.t("Commits"), "commit"),
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("What to Search For") });
  return chosen?.filters === undefined
    ? undefined
    : withFiltersReplaced(query, filters, typePrefixes, chosen.filters);
}

/** Drops negated filters: a choice never replaces an exclusion. */
function withoutNegated(filters: readonly QueryFilter[]): readonly QueryFilter[] {
  return filters.filter(({ isNegated }) => !isNegated);
}

async function completions(
  service: PickerOptions["service"],
  query: string,
  kind: QueryCompletion["kind"],
): Promise<readonly QueryCompletion[]> {
  try {
    const { items } = await service.call("completeQuery", { query, offset: query.length, limit: 100 });
    return items.filter((item) => item.kind === kind);
  } catch {
    // The fixed choices remain.
    return [];
  }
}

/** Shows a picker whose choices depend on the typed text. */
function pickWhileTyping(
  title: string,
  choicesFor: (text: string) => Promise<readonly Choice[]>,
): Promise<Choice | undefined> {
  const picker = vscode.window.createQuickPick<Choice>();
  picker.title = title;
  let lastText: string | undefined;
  const load = async (text: string) => {
    lastText = text;
    picker.busy = true;
    const items = await choicesFor(text);
    if (lastText !== text) return;
    picker.items = items;
    picker.busy = false;
  };
  picker.onDidChangeValue((text) => void load(text.trim()));
  void load("");
  picker.show();
  return new Promise((resolve) => {
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]);
      picker.hide();
    });
    picker.onDidHide(() => {
      resolve(undefined);
      picker.dispose();
    });
  });
}
