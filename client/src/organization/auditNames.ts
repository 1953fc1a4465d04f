/** Resolves the ids in audit records to display names. */
import type { ServiceClient } from "#client/server/serviceClient";
import type { AuditRecord } from "#contract/organization";

const suffixLength = 12;

/** Names of members and keys. Removed members and revoked keys are shown by the end of their id: ids begin alike. */
export class AuditNames {
  #names: ReadonlyMap<string, string> = new Map();
  /** Ids that were requested, found or not. */
  readonly #resolved = new Set<string>();
  readonly #service: Pick<ServiceClient, "call">;

  constructor(service: Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  /** Fetches names only if there are new ids, because listing members is recorded in the audit log. */
  async resolve(records: readonly AuditRecord[]): Promise<void> {
    const ids = records.flatMap(idsOf);
    if (ids.every((id) => this.#resolved.has(id))) return;
    const [members, keys] = await Promise.all([
      this.#service.call("members", {}),
      this.#service.call("keys", {}),
    ]);
    for (const id of ids) this.#resolved.add(id);
    // Members removed in the meantime keep their last known names.
    this.#names = new Map([
      ...this.#names,
      ...members.map(({ id, email }) => [id, email] as const),
      ...keys.map(({ id, name }) => [id, name] as const),
    ]);
  }

  actorOf({ actorId, actorType, metadata }: AuditRecord): { readonly text: string; readonly title: string } {
    const owner = metadata?.["userId"];
    const text = this.#nameOf(actorId);
    const by = typeof owner === "string" ? ` · ${this.#nameOf(owner)}` : "";
    return { text: `${text}${by}`, title: `${actorType} ${actorId}` };
  }

  targetOf({ targetId, targetType, metadata }: AuditRecord): {
    readonly text: string;
    readonly title: string;
  } {
    const title = `${targetType} ${targetId}`;
    if (targetType === "org") return { text: title, title };
    const key = targetType === "api_key" ? metadata?.["api_key"] : undefined;
    if (typeof key === "string") return { text: key, title };
    return { text: isIdOf(targetType) ? this.#nameOf(targetId) : targetId, title };
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? (id.length > suffixLength ? `…${id.slice(-suffixLength)}` : id);
  }
}

function idsOf({ actorId, targetId, targetType, metadata }: AuditRecord): string[] {
  const owner = metadata?.["userId"];
  return [actorId, ...(isIdOf(targetType) ? [targetId] : []), ...(typeof owner === "string" ? [owner] : [])];
}

/** Returns whether targets of this type are ids of members or keys. */
function isIdOf(targetType: AuditRecord["targetType"]): boolean {
  return targetType === "user" || targetType === "api_key";
}
