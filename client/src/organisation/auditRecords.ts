/**
 * The loaded part of the audit log: the newest records of a span of time, in whole pages, and what came since.
 *
 * Looking at the log is recorded in it, so pages are cut at the moment of the first question: what comes afterwards moves
 * none of them.
 */
import type * as vscode from "vscode";
import type { ServiceClient } from "#client/serviceClient";
import type { AuditRecord } from "#contract/organisation";

/** In milliseconds since 1970, both inclusive; without an end it goes on. */
export interface Span {
  readonly since?: number;
  readonly until?: number;
}

type Asking = Pick<ServiceClient, "call">;

const perPage = 100;

export class AuditRecords {
  #records: readonly AuditRecord[] = [];
  #pages = 0;
  /** Up to the cut, loaded or not; and what came after it. */
  #before = 0;
  #after = 0;
  readonly #span: Span;
  /** Where the pages are cut, in milliseconds since 1970. */
  readonly #cut: number;
  readonly #service: Asking;

  /** `now`: milliseconds since 1970. */
  constructor(service: Asking, span: Span, now: number) {
    this.#service = service;
    this.#span = span;
    this.#cut = span.until ?? now;
  }

  /** Newest first. */
  get records(): readonly AuditRecord[] {
    return this.#records;
  }

  /** In the span, loaded or not. */
  get total(): number {
    return this.#before + this.#after;
  }

  get hasOlder(): boolean {
    return this.#pages * perPage < this.#before;
  }

  /** One page more. */
  async loadOlder(): Promise<void> {
    const { since } = this.#span;
    const page = await askPage(this.#service, { since, until: this.#cut }, this.#pages + 1);
    this.#pages++;
    this.#before = page.total;
    this.#records = [...this.#records, ...this.#unknown(page.items)];
  }

  /** What was recorded since the last question; nothing where the span has an end. */
  async loadNewer(): Promise<void> {
    if (this.#span.until !== undefined) return;
    const since = Date.parse(this.#records[0]?.timestamp ?? "") || this.#cut;
    const until = Math.max(since, Date.now());
    const fresh: AuditRecord[] = [];
    for (let number = 1; ; number++) {
      const page = await askPage(this.#service, { since, until }, number);
      const unknown = this.#unknown(page.items);
      fresh.push(...unknown);
      if (unknown.length < perPage) break;
    }
    this.#after += fresh.length;
    this.#records = [...fresh, ...this.#records];
  }

  #unknown(items: readonly AuditRecord[]): AuditRecord[] {
    const known = new Set(this.#records.map(({ id }) => id));
    return items.filter(({ id }) => !known.has(id));
  }
}

/** All records of a span, newest first, a page at a time. */
export async function* auditPages(
  service: Asking,
  span: Span,
  token: vscode.CancellationToken,
): AsyncGenerator<{ readonly items: readonly AuditRecord[]; readonly total: number }> {
  const { since, until = Date.now() } = span;
  for (let page = 1; ; page++) {
    const answer = await askPage(service, { since, until }, page, token);
    yield answer;
    if (answer.items.length < perPage) return;
  }
}

async function askPage(
  service: Asking,
  { since, until }: { readonly since: number | undefined; readonly until: number },
  page: number,
  token?: vscode.CancellationToken,
): Promise<{ readonly items: readonly AuditRecord[]; readonly total: number }> {
  const from = since === undefined ? {} : { since: new Date(since).toISOString() };
  const request = { page, perPage, until: new Date(until).toISOString(), ...from };
  return await service.call("audit", request, token === undefined ? {} : { token });
}
