/**
 * The loaded part of the audit log: the newest records of a time range, in whole pages, and those recorded since.
 *
 * Viewing the log adds records to it, so pages contain only records up to the cut, the time of the first request. Later
 * records cannot shift them.
 */
import type * as vscode from "vscode";
import type { ServiceClient } from "#client/server/serviceClient";
import type { AuditRecord } from "#contract/organization";

/** Milliseconds since 1970, both inclusive. Without `until`, the range is open. */
export interface TimeRange {
  readonly since?: number;
  readonly until?: number;
}

type Service = Pick<ServiceClient, "call">;

const perPage = 100;

export class AuditRecords {
  #records: readonly AuditRecord[] = [];
  #pages = 0;
  /** Number of records up to the cut, loaded or not, and after it. */
  #totalBeforeCut = 0;
  #countAfterCut = 0;
  readonly #range: TimeRange;
  /** Milliseconds since 1970. */
  readonly #cut: number;
  readonly #service: Service;

  /** `now` is in milliseconds since 1970. */
  constructor(service: Service, range: TimeRange, now: number) {
    this.#service = service;
    this.#range = range;
    this.#cut = range.until ?? now;
  }

  /** Newest first. */
  get records(): readonly AuditRecord[] {
    return this.#records;
  }

  /** The number of records in the range, loaded or not. */
  get total(): number {
    return this.#totalBeforeCut + this.#countAfterCut;
  }

  get hasOlder(): boolean {
    return this.#pages * perPage < this.#totalBeforeCut;
  }

  /** Loads the next page. */
  async loadOlder(): Promise<void> {
    const { since } = this.#range;
    const page = await fetchPage(this.#service, { since, until: this.#cut }, this.#pages + 1);
    this.#pages++;
    this.#totalBeforeCut = page.total;
    this.#records = [...this.#records, ...this.#notLoaded(page.items)];
  }

  /** Loads what was recorded since the last request; does nothing if the range has an end. */
  async loadNewer(): Promise<void> {
    if (this.#range.until !== undefined) return;
    const since = Date.parse(this.#records[0]?.timestamp ?? "") || this.#cut;
    const until = Math.max(since, Date.now());
    const fresh: AuditRecord[] = [];
    for (let number = 1; ; number++) {
      const page = await fetchPage(this.#service, { since, until }, number);
      const unknown = this.#notLoaded(page.items);
      fresh.push(...unknown);
      if (unknown.length < perPage) break;
    }
    this.#countAfterCut += fresh.length;
    this.#records = [...fresh, ...this.#records];
  }

  #notLoaded(items: readonly AuditRecord[]): AuditRecord[] {
    const known = new Set(this.#records.map(({ id }) => id));
    return items.filter(({ id }) => !known.has(id));
  }
}

/** Yields all records of a range in pages, newest first. */
export async function* auditPages(
  service: Service,
  range: TimeRange,
  token: vscode.CancellationToken,
): AsyncGenerator<{ readonly items: readonly AuditRecord[]; readonly total: number }> {
  const { since, until = Date.now() } = range;
  for (let page = 1; ; page++) {
    const response = await fetchPage(service, { since, until }, page, token);
    yield response;
    if (response.items.length < perPage) return;
  }
}

async function fetchPage(
  service: Service,
  { since, until }: { readonly since: number | undefined; readonly until: number },
  page: number,
  token?: vscode.CancellationToken,
): Promise<{ readonly items: readonly AuditRecord[]; readonly total: number }> {
  const from = since === undefined ? {} : { since: new Date(since).toISOString() };
  const request = { page, perPage, until: new Date(until).toISOString(), ...from };
  return await service.call("audit", request, token === undefined ? {} : { token });
}
