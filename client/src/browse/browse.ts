/** Commands that open a file at another revision, compare it, or link to it. */

import * as vscode from "vscode";
import type { IndexedFiles } from "#client/documents/indexedFiles";
import { linesFragment, linesText, revisionTitle } from "#client/documents/revisionTitle";
import { snapshotDocument } from "#client/documents/snapshots";
import type { Repositories } from "#client/model/repositories";
import type { ServiceClient } from "#client/server/serviceClient";
import { visible } from "#client/text/visible";
import { showFailure } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import type { FileSource } from "#contract/history";
import { snapshotRevision } from "#contract/snapshotUri";
import {
  type BrowsedFile,
  browsedFile,
  type CommandArgument,
  committedFile,
  locationOfSource,
  mapCursor,
  selectedLines,
} from "./browsedFile";
import type { browseCommands as declared } from "./contributions";
import { sourceAt } from "./fileAtRevision";
import { pickRepository, type RevisionPicker } from "./revisionPicker";

export interface BrowseOptions {
  readonly service: Pick<ServiceClient, "call">;
  readonly repositories: Repositories;
  readonly files: Pick<IndexedFiles, "find">;
  readonly revisions: RevisionPicker;
  /** Shows the files of a repository in the Repositories view. */
  readonly showFiles: (repository: string) => Promise<void>;
}

export function browseCommands(options: BrowseOptions): Handlers<typeof declared> {
  const { service, repositories, files, revisions, showFiles } = options;
  const { t } = vscode.l10n;

  /** Runs `work` with the file of an argument or of the active editor; reports an error if it is not indexed. */
  async function withFile(
    argument: CommandArgument | undefined,
    work: (file: BrowsedFile) => Promise<unknown>,
  ): Promise<void> {
    const file = await browsedFile(files, argument);
    if (file !== undefined) await work(file);
    else showFailure(t("This file is not in an indexed repository."));
  }

  /** Returns the file at a revision that the user picks. */
  async function atRevision(
    file: BrowsedFile,
    title: string,
  ): Promise<{ readonly uri: vscode.Uri; readonly name: string; readonly source: FileSource } | undefined> {
    const ref = await revisions.pick(file.repository, title);
    if (ref === undefined) return undefined;
    const source = await sourceAt(service, file, ref);
    if (source.path !== file.path) {
      vscode.window.setStatusBarMessage(
        t("At that revision, the path of the file is {0}.", visible(source.path)),
        5000,
      );
    }
    const revision = revisionTitle(ref, source.commit);
    const uri = snapshotDocument(locationOfSource(source), revision);
    return { uri, name: revision ?? source.commit.slice(0, 7), source };
  }

  /** Opens the file at a revision that the user picks. Returns the document that was opened. */
  async function openAt(file: BrowsedFile, title: string): Promise<vscode.Uri | undefined> {
    const found = await atRevision(file, title);
    if (found === undefined) return undefined;
    const selection = mapCursor(found.source.source, file);
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
      { label: t("Another Revision..."), icon: "git-commit", isOtherRepository: false },
      { label: t("Same Path in Another Repository..."), icon: "repo", isOtherRepository: true },
    ].map(({ icon, ...item }) => ({ ...item, iconPath: new vscode.ThemeIcon(icon) }));
    const picked = await vscode.window.showQuickPick(items, { title });
    if (picked === undefined) return;
    const other = picked.isOtherRepository
      ? await inOtherRepository(path, title)
      : await atRevision(file, title);
    if (other === undefined) return;
    const own = file.uri ?? snapshotDocument({ repository, commit: commit ?? "", path });
    const ownName = snapshotRevision(own) ?? t("current");
    const name = path.slice(path.lastIndexOf("/") + 1);
    await vscode.commands.executeCommand(
      "vscode.diff",
      other.uri,
      own,
      `${name} (${other.name} ↔ ${ownName})`,
    );
  }

  async function inOtherRepository(path: string, title: string) {
    const repository = await pickRepository(repositories, title);
    if (repository === undefined) return undefined;
    const source = await service.call("source", { repo: repository, path });
    const name = repository.slice(repository.lastIndexOf("/") + 1);
    return { uri: snapshotDocument(locationOfSource(source)), name };
  }

  /** Returns links to the lines at their commit, so that later commits do not change what they show. */
  async function fetchLinks(file: BrowsedFile) {
    const committed = await committedFile(service, file);
    const lines = selectedLines(committed, file);
    const { repo, path, commit } = committed;
    const links = await service.call("source", {
      repo,
      path,
      ...(commit === "" ? {} : { ref: commit }),
      ...(lines === undefined ? {} : { lines: linesText(lines) }),
    });
    return { links, lines };
  }

  async function openOnHost(url: string): Promise<void> {
    if (/^https?:\/\//.test(url)) await vscode.env.openExternal(vscode.Uri.parse(url, true));
    else vscode.window.setStatusBarMessage(t("This repository has no page on a code host."), 5000);
  }

  return {
    async "browse.repository"(row?: { readonly repository?: string }) {
      const repository = row?.repository ?? (await pickRepository(repositories, t("Browse Repository")));
      if (repository !== undefined) await showFiles(repository);
    },

    "browse.fileAtRevision": (argument?: CommandArgument) =>
      withFile(argument, (file) => openAt(file, t("Open File at Revision"))),

    "browse.changeRevision": (argument?: CommandArgument) =>
      withFile(argument, async (file) => {
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

    "browse.compareFile": (argument?: CommandArgument) => withFile(argument, compareWith),

    async "browse.openOnHost"(argument?: CommandArgument) {
      if (argument !== undefined && "ref" in argument && argument.path === undefined) {
        const { repository: repo, ref = "HEAD" } = argument;
        await openOnHost((await service.call("commit", { repo, ref })).externalWebUrl);
        return;
      }
      await withFile(argument, async (file) => openOnHost((await fetchLinks(file)).links.externalWebUrl));
    },

    "browse.copyPermalink": (argument?: CommandArgument) =>
      withFile(argument, async (file) => {
        const { links, lines } = await fetchLinks(file);
        const fragment = lines === undefined ? "" : linesFragment(lines);
        const own = snapshotDocument(locationOfSource(links)).with({ fragment });
        const url = [links.externalWebUrl, links.webUrl].find((url) => url !== "") ?? own.toString();
        await vscode.env.clipboard.writeText(url);
        vscode.window.setStatusBarMessage(t("Copied {0}", url), 5000);
      }),
  };
}

function isTabOf(tab: vscode.Tab | undefined, uri: vscode.Uri | undefined): boolean {
  return tab?.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri?.toString();
}
