/** Quick picks of a repository and of one of its revisions. */
import * as vscode from "vscode";
import { revisionName } from "#client/documents/revisionTitle";
import { shortNames } from "#client/model/grouping";
import type { Repositories } from "#client/model/repositories";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { ago } from "#client/workbench/format";
import type { Memento } from "#client/workbench/memento";
import type { Branch } from "#contract/history";
import { RecentRevisions } from "./recentRevisions";

interface RepositoryChoice extends vscode.QuickPickItem {
  /** Full name. */
  readonly name: string;
}

/**
 * Returns the name of a repository that the user picks; `undefined` if the user cancels. `first` lists choices above the
 * repositories, which appear while they are being found. Rejects with a `CallError`.
 */
export async function pickRepository(
  repositories: Repositories,
  title: string,
  first: readonly RepositoryChoice[] = [],
): Promise<string | undefined> {
  await repositories.load();
  const [only, ...others] = repositoryChoices(repositories);
  if (only !== undefined && others.length === 0 && first.length === 0) return only.name;
  const picker = vscode.window.createQuickPick<RepositoryChoice>();
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Which repository?");
  picker.matchOnDescription = true;
  const update = () => {
    const [active] = picker.activeItems;
    picker.items = [...first, ...repositoryChoices(repositories)];
    if (active !== undefined) picker.activeItems = picker.items.filter(({ name }) => name === active.name);
  };
  update();
  const subscription = repositories.onChange((change) => {
    if (change === "all") update();
  });
  try {
    return await new Promise<string | undefined>((resolve) => {
      picker.onDidAccept(() => {
        const [selected] = picker.selectedItems;
        if (selected !== undefined) resolve(selected.name);
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
    });
  } finally {
    subscription.dispose();
    picker.dispose();
  }
}

function repositoryChoices(repositories: Repositories): readonly RepositoryChoice[] {
  const names = [...(repositories.items?.values() ?? [])].map(({ repoName }) => repoName);
  const short = shortNames(names);
  return names.map((name) => ({ label: visible(short.get(name) ?? name), description: name, name }));
}

interface RevisionChoice extends vscode.QuickPickItem {
  readonly ref: string;
  /** Whether the service has yet to check that the revision exists. */
  readonly isUnverified: boolean;
}

const refsShown = 100;
/** Delay after the last keystroke before branches are requested. */
const debounceMs = 150;

export class RevisionPicker {
  readonly #service: Pick<ServiceClient, "call">;
  readonly #recent: RecentRevisions;

  constructor(service: Pick<ServiceClient, "call">, memento: Memento) {
    this.#service = service;
    this.#recent = new RecentRevisions(memento);
  }

  /**
   * Returns a recent revision, a branch, a tag, or any typed revision that git understands; `undefined` if the user
   * cancels. A typed revision that does not exist shows an error and stays editable.
   *
   * `excluded` is not offered among the recent ones.
   */
  async pick(repository: string, title: string, excluded?: string): Promise<string | undefined> {
    const recent = this.#recent.of(repository).filter((ref) => ref !== excluded);
    const ref = await pickRevision(this.#service, { repository, title, recent });
    if (ref !== undefined) await this.#recent.add(repository, ref);
    return ref;
  }
}

interface PickOptions {
  readonly repository: string;
  readonly title: string;
  readonly recent: readonly string[];
}

async function pickRevision(
  service: Pick<ServiceClient, "call">,
  { repository, title, recent }: PickOptions,
): Promise<string | undefined> {
  const picker = vscode.window.createQuickPick<RevisionChoice>();
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Branch, tag or commit");
  let request = new vscode.CancellationTokenSource();
  let timer: NodeJS.Timeout | undefined;
  const refresh = async () => {
    request.cancel();
    const source = new vscode.CancellationTokenSource();
    request = source;
    picker.busy = true;
    const query = picker.value.trim();
    const own = query === "" ? [] : [typedChoice(query)];
    try {
      const body = {
        repo: repository,
        remotes: true,
        perPage: refsShown,
        ...(query === "" ? {} : { query }),
      };
      const { items } = await service.call("branches", body, { token: source.token });
      if (request === source) picker.items = [...choicesOf(items, recent, query), ...own];
    } catch (error) {
      if (request !== source || error instanceof vscode.CancellationError) return;
      const detail = callError(error).message;
      picker.items = own.map((choice) => ({ ...choice, detail }));
    } finally {
      if (request === source) picker.busy = false;
      source.dispose();
    }
  };
  /** Returns whether the typed revision resolves to a commit; if not, its row shows the error. */
  const resolves = async (choice: RevisionChoice): Promise<boolean> => {
    clearTimeout(timer);
    request.cancel();
    const source = new vscode.CancellationTokenSource();
    request = source;
    picker.busy = true;
    try {
      await service.call("commit", { repo: repository, ref: choice.ref }, { token: source.token });
      return request === source;
    } catch (error) {
      if (request === source) picker.items = [{ ...choice, detail: callError(error).message }];
      return false;
    } finally {
      if (request === source) picker.busy = false;
      source.dispose();
    }
  };
  try {
    return await new Promise<string | undefined>((resolve) => {
      picker.onDidChangeValue(() => {
        clearTimeout(timer);
        timer = setTimeout(() => void refresh(), debounceMs);
      });
      picker.onDidAccept(async () => {
        const chosen = picker.selectedItems[0] ?? typedChoice(picker.value.trim());
        if (chosen.ref === "") return;
        if (!chosen.isUnverified || (await resolves(chosen))) resolve(chosen.ref);
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
      void refresh();
    });
  } finally {
    clearTimeout(timer);
    request.cancel();
    picker.dispose();
  }
}

/** Puts recent revisions that contain the typed text above branches and tags. */
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
    separator(vscode.l10n.t("recently used")),
    ...first,
    separator(vscode.l10n.t("branches and tags")),
    ...rest,
  ];
}

function separator(label: string): RevisionChoice {
  return { label, kind: vscode.QuickPickItemKind.Separator, ref: "", isUnverified: false };
}

function choiceOf({ name, fullName, commit, date, isDefault, isTag }: Branch): RevisionChoice {
  const isRemote = fullName.startsWith("refs/remotes/");
  const parts = [
    isDefault ? vscode.l10n.t("default") : "",
    isRemote ? vscode.l10n.t("remote") : "",
    commit.slice(0, 7),
    date === "" ? "" : ago(Date.parse(date)),
  ];
  return {
    label: visible(name),
    description: parts.filter((part) => part !== "").join(" · "),
    iconPath: new vscode.ThemeIcon(isTag ? "tag" : isRemote ? "cloud" : "git-branch"),
    // The full name: a branch may have the same short name.
    ref: isTag || isRemote ? fullName : name,
    isUnverified: false,
  };
}

/** Unverified: the revision may no longer exist. */
function recentChoice(ref: string): RevisionChoice {
  const icon = ref.startsWith("refs/tags/") ? "tag" : "git-commit";
  return { label: visible(revisionName(ref)), iconPath: new vscode.ThemeIcon(icon), ref, isUnverified: true };
}

function typedChoice(text: string): RevisionChoice {
  return {
    label: visible(text),
    description: vscode.l10n.t("as typed"),
    iconPath: new vscode.ThemeIcon("git-commit"),
    alwaysShow: true,
    ref: text,
    isUnverified: true,
  };
}
