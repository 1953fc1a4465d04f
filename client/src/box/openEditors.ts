/** "Only Open Editors": filters for the files that were open when the user chose it. */
import * as vscode from "vscode";
import { findCloneLocation } from "#client/model/cloneLocation";
import { withFileList } from "#client/search/fileFilters";
import { repositoriesFilter } from "#client/search/scope";
import type { ServiceClient } from "#client/server/serviceClient";
import type { QueryFilter } from "#contract/queries";
import { escaped, type Filter, filterText, withFilter, withoutFilters } from "#contract/queryText";
import { parseSnapshotUri } from "#contract/snapshotUri";
import type { ParsedQuery } from "./pickers";

export class OpenEditors {
  #filters: readonly Filter[] = [];
  readonly #service: Pick<ServiceClient, "call">;

  constructor(service: Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  /** Returns the filters of a query that were added for the open editors; none if some of them were removed. */
  filtersIn(filters: readonly QueryFilter[]): readonly QueryFilter[] {
    const texts = this.#filters.map(filterText);
    const found = filters.filter((filter) => texts.includes(filterText(filter)));
    return found.length < texts.length ? [] : found;
  }

  /** Returns the query after the filters were added or removed; undefined if no open file is indexed. */
  async toggle({ query, filters }: ParsedQuery): Promise<string | undefined> {
    const own = this.filtersIn(filters);
    if (own.length > 0) return withoutFilters(query, own);
    this.#filters = await filtersForOpenEditors(this.#service);
    if (this.#filters.length > 0) return this.#filters.reduce(withFilter, query);
    const text = vscode.l10n.t("$(info) No open editor is in an indexed repository.");
    vscode.window.setStatusBarMessage(text, 5_000);
    return undefined;
  }

  /** Returns the query with another list of files, and still restricted to the open editors if it was. */
  withFileList({ query, filters }: ParsedQuery, list: "include" | "exclude", text: string): string {
    const own = this.filtersIn(filters);
    return withFileList(
      query,
      filters.filter((filter) => !own.includes(filter)),
      list,
      text,
    );
  }
}

/** Returns filters for the repositories and for the paths: the same path also matches in another of the repositories. */
async function filtersForOpenEditors(service: Pick<ServiceClient, "call">): Promise<readonly Filter[]> {
  const uris = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const locations = await Promise.all(
    uris.map((uri) =>
      uri.scheme === "file" ? findCloneLocation(service, uri.fsPath) : parseSnapshotUri(uri),
    ),
  );
  const found = locations.filter((location) => location !== undefined);
  const repositories = repositoriesFilter([...new Set(found.map(({ repository }) => repository))]);
  if (repositories === undefined) return [];
  const paths = [...new Set(found.map(({ path }) => escaped(path)))];
  return [repositories, { prefix: "file", value: `^(${paths.join("|")})$`, isNegated: false }];
}
