/** Commands that look at a file at another revision, beside another one, or at its page on the code host. */
import * as vscode from "vscode";
import { type Commands, tellFailure } from "#client/commands";
import type { Repositories } from "#client/repositories/repositories";
import { visible } from "#client/search/resultLines";
import type { ServiceClient } from "#client/serviceClient";
import type { FileSource } from "#contract/history";
import { snapshotRevision } from "#contract/snapshotUri";
import {
  type BrowsedFile,
  browsedFile,
  committedFile,
  cursorIn,
  type Given,
  linesIn,
  placeOfSource,
} from "./browsedFile";
import { sourceAt } from "./fileAtRevision";
import type { IndexedFiles } from "./indexedFiles";
import { pickRepository, type RevisionPicker } from "./revisionPicker";
import { linesFragment, linesText, revisionTitle } from "./revisionTitle";
import { snapshotDocument } from "./snapshots";

export interface BrowseOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Repositories;
  readonly files: Pick<IndexedFiles, "find">;
  readonly revisions: RevisionPicker;
  /** Shows the files of a repository in the view "Repositories". */
  readonly showFiles: (repository: string) => Promise<void>;
}

export function browseCommands(options: BrowseOptions): Commands {
  const { service, repositories, files, revisions, showFiles } = options;
  const { t } = vscode.l10n;

  /** Does something with the file that is meant, or says that there is none. */
  async function ofFile(
    given: Given | undefined,
    work: (file: BrowsedFile) => Promise<unknown>,
  ): Promise<void> {
    const file = await browsedFile(files, given);
    if (file !== undefined) await work(file);
    else tellFailure(t("This file is not in an indexed repository."));
  }

  /** The same file at a revision that the person picks. */
  async function atRevision(
    file: BrowsedFile,
    title: string,
  ): Promise<{ readonly uri: vscode.Uri; readonly name: string; readonly source: FileSource } | undefined> {
    const ref = await revisions.pick(file.repository, title);
    if (ref === undefined) return undefined;
    const source = await sourceAt(service, file, ref);
    if (source.path !== file.path) {
      vscode.window.setStatusBarMessage(t("There it is called {0}.", visible(source.path)), 5000);
    }
    const revision = revisionTitle(ref, source.commit);
    const uri = snapshotDocument(placeOfSource(source), revision);
    return { uri, name: revision ?? source.commit.slice(0, 7), source };
  }

  /** Gives the document that was opened. */
  async function openAt(file: BrowsedFile, title: string): Promise<vscode.Uri | undefined> {
    const found = await atRevision(file, title);
    if (found === undefined) return undefined;
    const selection = cursorIn(found.source.source, file);
    const column = file.editor?.viewColumn;
    await vscode.commands.executeCommand("vscode.open", found.uri, {
      preview: false,
      ...(column === undefined ? {} : { viewColumn: column }),
      ...(selection === undefined ? {} : { selection }),
    });
    return found.uri;
  }

  async function compareWith(file: BrowsedFile): Promise<void> {
    const { repository, path, commit } = file;
    const title = t("Compare {0} With", path.slice(path.lastIndexOf("/") + 1));
    const items = [
      { label: t("Another Revision..."), icon: "git-commit", isElsewhere: false },
      { label: t("The Same Path in Another Repository..."), icon: "repo", isElsewhere: true },
    ].map(({ icon, ...item }) => ({ ...item, iconPath: new vscode.ThemeIcon(icon) }));
    const picked = await vscode.window.showQuickPick(items, { title });
    if (picked === undefined) return;
    const other = picked.isElsewhere ? await elsewhere(path, title) : await atRevision(file, title);
    if (other === undefined) return;
    const own = file.uri ?? snapshotDocument({ repository, commit: commit ?? "", path });
    const ownName = snapshotRevision(own) ?? t("present");
    const name = path.slice(path.lastIndexOf("/") + 1);
    await vscode.commands.executeCommand(
      "vscode.diff",
      other.uri,
      own,
      `${name} (${other.name} ↔ ${ownName})`,
    );
  }

  async function elsewhere(path: string, title: string) {
    const repository = await pickRepository(repositories, title);
    if (repository === undefined) return undefined;
    const source = await service.call("source", { repo: repository, path });
    const name = repository.slice(repository.lastIndexOf("/") + 1);
    return { uri: snapshotDocument(placeOfSource(source)), name };
  }

  /** With addresses that lead to the commit and its lines, whatever is committed later. */
  async function linked(file: BrowsedFile) {
    const committed = await committedFile(service, file);
    const lines = linesIn(committed, file);
    const { repo, path, commit } = committed;
    const links = await service.call("source", {
      repo,
      path,
      ...(commit === "" ? {} : { ref: commit }),
      ...(lines === undefined ? {} : { lines: linesText(lines) }),
    });
    return { links, lines };
  }

  async function openOnHost(address: string): Promise<void> {
    if (/^https?:\/\//.test(address)) await vscode.env.openExternal(vscode.Uri.parse(address, true));
    else vscode.window.setStatusBarMessage(t("Its repository has no page on a code host."), 5000);
  }

  return {
    async "browse.repository"(row?: { readonly repository?: string }) {
      const repository = row?.repository ?? (await pickRepository(repositories, t("Browse Repository")));
      if (repository !== undefined) await showFiles(repository);
    },

    "browse.fileAtRevision": (given?: Given) =>
      ofFile(given, (file) => openAt(file, t("Open File at Revision"))),

    "browse.changeRevision": (given?: Given) =>
      ofFile(given, async (file) => {
        const group = vscode.window.tabGroups.activeTabGroup;
        const isShown = isTabOf(group.activeTab, file.uri);
        const opened = await openAt(file, t("Change Revision"));
        if (opened === undefined || !isShown || opened.toString() === file.uri?.toString()) return;
        const old = vscode.window.tabGroups.all
          .filter(({ viewColumn }) => viewColumn === group.viewColumn)
          .flatMap(({ tabs }) => tabs)
          .find((tab) => isTabOf(tab, file.uri));
        if (old !== undefined) await vscode.window.tabGroups.close(old, true);
      }),

    "browse.compareFile": (given?: Given) => ofFile(given, compareWith),

    async "browse.openOnHost"(given?: Given) {
      if (given !== undefined && "ref" in given && given.path === undefined) {
        const { repository: repo, ref = "HEAD" } = given;
        await openOnHost((await service.call("commit", { repo, ref })).externalWebUrl);
        return;
      }
      await ofFile(given, async (file) => openOnHost((await linked(file)).links.externalWebUrl));
    },

    "browse.copyPermalink": (given?: Given) =>
      ofFile(given, async (file) => {
        const { links, lines } = await linked(file);
        const fragment = lines === undefined ? "" : linesFragment(lines);
        const own = snapshotDocument(placeOfSource(links)).with({ fragment });
        const address = [links.externalWebUrl, links.webUrl].find((url) => url !== "") ?? own.toString();
        await vscode.env.clipboard.writeText(address);
        vscode.window.setStatusBarMessage(t("Copied {0}", address), 5000);
      }),
  };
}

function isTabOf(tab: vscode.Tab | undefined, uri: vscode.Uri | undefined): boolean {
  return tab?.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri?.toString();
}
