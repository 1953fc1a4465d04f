/** Asking the person for a repository, and for one of its revisions. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { shortNames } from "#client/repositories/grouping";
import type { Repositories } from "#client/repositories/repositories";
import type { Memory } from "#client/search/history";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import { ago } from "#client/words";
import type { Branch } from "#contract/history";
import { RecentRevisions } from "./recentRevisions";
import { revisionName } from "./revisionTitle";

interface RepositoryChoice extends vscode.QuickPickItem {
  /** Full name. */
  readonly name: string;
}

/** `first` stands above the repositories; its `name` is given back as theirs are. Rejects with a `CallError`. */
export async function pickRepository(
  repositories: Repositories,
  title: string,
  first: readonly RepositoryChoice[] = [],
): Promise<string | undefined> {
  await repositories.load();
  const names = [...(repositories.items?.values() ?? [])].map(({ repoName }) => repoName);
  const short = shortNames(names);
  const items = names.map((name) => ({ label: visible(short.get(name) ?? name), description: name, name }));
  if (items.length === 1 && first.length === 0) return items[0]?.name;
  const placeHolder = vscode.l10n.t("Which repository?");
  const picked = await vscode.window.showQuickPick([...first, ...items], {
    title,
    placeHolder,
    matchOnDescription: true,
  });
  return picked?.name;
}

interface RevisionChoice extends vscode.QuickPickItem {
  readonly ref: string;
  /** Whether the service may not know it. */
  readonly isTyped: boolean;
}

const refsShown = 100;
/** While somebody types, the service is asked so often at most. */
const asksAfterMs = 150;

export class RevisionPicker {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #recent: RecentRevisions;

  constructor(service: Pick<ServiceClient, "call">, memory: Memory) {
    this.#service = service;
    this.#recent = new RecentRevisions(memory);
  }

  /**
   * One that was chosen lately, a branch or a tag of a list, or whatever git understands, typed: what the service does
   * not know is said, and can be mended. `undefined` where the person gave up.
   *
   * `other`: what the choice is to differ from.
   */
  async pick(repository: string, title: string, other?: string): Promise<string | undefined> {
    const recent = this.#recent.of(repository).filter((ref) => ref !== other);
    const ref = await pickRevision(this.#service, { repository, title, recent });
    if (ref !== undefined) await this.#recent.add(repository, ref);
    return ref;
  }
}

interface Asked {
  readonly repository: string;
  readonly title: string;
  readonly recent: readonly string[];
}

async function pickRevision(
  service: Pick<ServiceClient, "call">,
  { repository, title, recent }: Asked,
): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick<RevisionChoice>();
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Branch, tag or commit");
  let asking = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    asking.cancel();
    const source = new vscode.CancellationTokenSource();
    asking = source;
    picker.busy = true;
    const query = picker.value.trim();
    const own = query === "" ? [] : [typedChoice(query)];
    try {
      const request = { repo: repository, perPage: refsShown, ...(query === "" ? {} : { query }) };
      const { items } = await service.call("branches", request, { token: source.token });
      if (asking === source) picker.items = [...choicesOf(items, recent, query), ...own];
    } catch (error) {
      if (asking !== source || error instanceof vscode.CancellationError) return;
      const detail = callError(error).message;
      picker.items = own.map((choice) => ({ ...choice, detail }));
    } finally {
      if (asking === source) picker.busy = false;
      source.dispose();
    }
  };
  /** Whether the service can make a commit of what was typed; else the row says why not. */
  const isKnown = async (choice: RevisionChoice): Promise<boolean> => {
    clearTimeout(timer);
    asking.cancel();
    const source = new vscode.CancellationTokenSource();
    asking = source;
    picker.busy = true;
    try {
      await service.call("commit", { repo: repository, ref: choice.ref }, { token: source.token });
      return asking === source;
    } catch (error) {
      if (asking === source) picker.items = [{ ...choice, detail: callError(error).message }];
      return false;
    } finally {
      if (asking === source) picker.busy = false;
      source.dispose();
    }
  };
  try {
    return await new Promise<string | undefined>((resolve) => {
      picker.onDidChangeValue(() => {
        clearTimeout(timer);
        timer = setTimeout(() => void look(), asksAfterMs);
      });
      picker.onDidAccept(async () => {
        const chosen = picker.selectedItems[0] ?? typedChoice(picker.value.trim());
        if (chosen.ref === "") return;
        if (!chosen.isTyped || (await isKnown(chosen))) resolve(chosen.ref);
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
      void look();
    });
  } finally {
    clearTimeout(timer);
    asking.cancel();
    picker.dispose();
  }
}

/** Those that were chosen lately stand above the others, if they have anything to do with what was typed. */
function choicesOf(
  branches: readonly Branch[],
  recent: readonly string[],
  query: string,
): readonly RevisionChoice[] {
  const all = branches.map(choiceOf);
  const first = recent
    .map((ref) => all.find((each) => each.ref === ref) ?? recentChoice(ref))
    .filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  if (first.length === 0) return all;
  const rest = all.filter((each) => !first.includes(each));
  return [
    separator(vscode.l10n.t("recently chosen")),
    ...first,
    separator(vscode.l10n.t("branches and tags")),
    ...rest,
  ];
}

function separator(label: string): RevisionChoice {
  return { label, kind: vscode.QuickPickItemKind.Separator, ref: "", isTyped: false };
}

function choiceOf({ name, fullName, commit, date, isDefault, isTag }: Branch): RevisionChoice {
  const parts = [
    isDefault ? vscode.l10n.t("default") : "",
    commit.slice(0, 7),
    date === "" ? "" : ago(Date.parse(date)),
  ];
  return {
    label: visible(name),
    description: parts.filter((part) => part !== "").join(" · "),
    iconPath: new vscode.ThemeIcon(isTag ? "tag" : "git-branch"),
    // A tag may have the name of a branch.
    ref: isTag ? fullName : name,
    isTyped: false,
  };
}

/** It may have gone meanwhile. */
function recentChoice(ref: string): RevisionChoice {
  const icon = ref.startsWith("refs/tags/") ? "tag" : "git-commit";
  return { label: visible(revisionName(ref)), iconPath: new vscode.ThemeIcon(icon), ref, isTyped: true };
}

function typedChoice(text: string): RevisionChoice {
  return {
    label: visible(text),
    description: vscode.l10n.t("as typed"),
    iconPath: new vscode.ThemeIcon("git-commit"),
    alwaysShow: true,
    ref: text,
    isTyped: true,
  };
}
