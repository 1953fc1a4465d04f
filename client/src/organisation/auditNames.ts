/** Who and what the ids of audit records are, as people call them. */
import type { ServiceClient } from "#client/serviceClient";
import type { AuditRecord } from "#contract/organisation";

const endLength = 12;

/** An id may be of somebody who has left, or of a key that was revoked: then its end stands for it, for ids begin alike. */
export class AuditNames {
  #names: ReadonlyMap<string, string> = new Map();
  /** Ids that were looked for. */
  readonly #known = new Set<string>();
  readonly #service: Pick<ServiceClient, "call">;

  constructor(service: Pick<ServiceClient, "call">) {
    this.#service = service;
  }

  /** Asks where there is somebody new, and only then: to ask who there is, is recorded, too. */
  async know(records: readonly AuditRecord[]): Promise<void> {
    const ids = records.flatMap(idsOf);
    if (ids.every((id) => this.#known.has(id))) return;
    const [members, keys] = await Promise.all([
      this.#service.call("members", {}),
      this.#service.call("keys", {}),
    ]);
    for (const id of ids) this.#known.add(id);
    // Those who have gone meanwhile keep the names that they had.
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
    return this.#names.get(id) ?? (id.length > endLength ? `…${id.slice(-endLength)}` : id);
  }
}

function idsOf({ actorId, targetId, targetType, metadata }: AuditRecord): string[] {
  const owner = metadata?.["userId"];
  return [actorId, ...(isIdOf(targetType) ? [targetId] : []), ...(typeof owner === "string" ? [owner] : [])];
}

/** Whether such a target is named by an id of a member or of a key. */
function isIdOf(targetType: AuditRecord["targetType"]): boolean {
  return targetType === "user" || targetType === "api_key";
}
