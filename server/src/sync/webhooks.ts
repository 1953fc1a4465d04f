/** Receives webhooks of code hosts: checks them, and requests fetches and listings of what they hint at. */
import { createHash, randomBytes } from "node:crypto";
import { isServiceError } from "#base/error";
import { Secret } from "#hosts/secret";
import type { WebhookRequest } from "#hosts/webhookHint";
import { type HostAccess, hostAddress, type MirrorConnection } from "#mirrors/connection";
import { dayMs } from "#mirrors/holding";
import type { MirrorRecord } from "#mirrors/mirrorRecord";
import type { MirrorState } from "#mirrors/state";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";

/** `fetch`, `list`: what it leads to. `refused`: its sender does not know the secret. `replayed`: it was received before. */
export const webhookResults = ["fetch", "list", "ignored", "replayed", "refused"] as const;
export type WebhookResult = (typeof webhookResults)[number];

export interface WebhooksOptions extends Pick<HostAccess, "readSecret" | "readWebhook"> {
  readonly connections: () => Readonly<Record<string, MirrorConnection>>;
  readonly state: MirrorState;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetchSoon: (mirror: MirrorRecord) => void;
  readonly listSoon: (connection: string) => void;
}

/** How many deliveries, and unknown repositories, are remembered; the oldest are forgotten first. */
const maxRemembered = 20_000;
const warningIntervalMs = 60_000;
/** How long a secret is kept, so that many webhooks at once read its file once. */
const secretMs = 1000;

export class Webhooks {
  readonly #options: WebhooksOptions;
  /** When each delivery was received. */
  readonly #deliveries = new RecentKeys(maxRemembered);
  /** Repositories that led to a listing, because they were not known. */
  readonly #unknown = new RecentKeys(maxRemembered);
  /** Connections whose secret could not be read. */
  readonly #warnings = new RecentKeys(1000);
  /** By file. */
  readonly #secrets = new Map<string, { readonly at: number; readonly secret: Promise<Secret> }>();
  readonly #counts = new Map(webhookResults.map((result) => [result, 0]));
  /** Makes a request for an unknown connection take as long as a wrongly signed one. */
  readonly #noSecret = new Secret(randomBytes(32).toString("hex"));

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** How many were received, by result. */
  get counts(): ReadonlyMap<WebhookResult, number> {
    return this.#counts;
  }

  async receive(name: string, request: WebhookRequest): Promise<WebhookResult> {
    const result = await this.#receive(name, request);
    this.#counts.set(result, (this.#counts.get(result) ?? 0) + 1);
    return result;
  }

  async #receive(name: string, request: WebhookRequest): Promise<WebhookResult> {
    const { connections, readWebhook, clock, fetchSoon, listSoon } = this.#options;
    const all = connections();
    const connection = Object.hasOwn(all, name) ? all[name] : undefined;
    const secret = await this.#secretOf(name, connection);
    const now = clock.now();
    const type = connection?.type ?? "github";
    const webhook = await readWebhook(type, secret ?? this.#noSecret, request, now);
    if (webhook === undefined || connection === undefined || secret === undefined) return "refused";
    const { deliveryId, pushedId, mayListDiffer } = webhook;
    if (deliveryId !== undefined && !this.#deliveries.add(`${name} ${deliveryId}`, now, dayMs))
      return "replayed";
    if (mayListDiffer) {
      listSoon(name);
      return "list";
    }
    if (pushedId === undefined) return "ignored";
    const mirror = this.#mirrorOf(name, connection, pushedId);
    if (mirror === undefined) {
      // The configuration may exclude it, so that it remains unknown.
      if (!this.#unknown.add(`${name} ${pushedId}`, now, connection.sync.listEvery)) return "ignored";
      listSoon(name);
      return "list";
    }
    if (mirror.holdings[name]?.released !== undefined) return "ignored";
    fetchSoon(mirror);
    return "fetch";
  }

  /** Returns `undefined` if there is no secret, or it cannot be read. */
  async #secretOf(name: string, connection: MirrorConnection | undefined): Promise<Secret | undefined> {
    const { readSecret, clock, log } = this.#options;
    if (connection?.webhook === undefined) return undefined;
    try {
      const source = connection.webhook.secret;
      if (source.file === undefined) return await readSecret(source);
      const known = this.#secrets.get(source.file);
      const ageMs = clock.now() - (known?.at ?? 0);
      if (known !== undefined && ageMs >= 0 && ageMs < secretMs) return await known.secret;
      const secret = readSecret(source);
      this.#secrets.set(source.file, { at: clock.now(), secret });
      return await secret;
    } catch (error) {
      this.#secrets.delete(connection.webhook.secret.file ?? "");
      if (!isServiceError(error)) throw error;
      if (this.#warnings.add(name, clock.now(), warningIntervalMs))
        log.warn(`Webhooks of connection "${name}" are refused: ${error.message}`);
      return undefined;
    }
  }

  #mirrorOf(name: string, connection: MirrorConnection, hostId: string): MirrorRecord | undefined {
    const host = { type: connection.type, url: hostAddress(connection) };
    return this.#options.state.of(host, hostId).find(({ holdings }) => Object.hasOwn(holdings, name));
  }
}

/** Remembers keys for some time. */
class RecentKeys {
  readonly #limit: number;
  /** When each key is forgotten, by its digest, so that long keys take no more memory; in the order of their arrival. */
  readonly #expiries = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns whether the key was not remembered. */
  add(key: string, now: number, durationMs: number): boolean {
    const digest = createHash("sha256").update(key).digest("base64url");
    if ((this.#expiries.get(digest) ?? 0) > now) return false;
    this.#expiries.delete(digest);
    this.#expiries.set(digest, now + durationMs);
    if (this.#expiries.size > this.#limit) {
      const [oldest] = this.#expiries.keys();
      if (oldest !== undefined) this.#expiries.delete(oldest);
    }
    return true;
  }
}
