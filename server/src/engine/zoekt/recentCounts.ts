import { hash } from "node:crypto";
import { ByteCache, objectBytes } from "#base/byteCache";
import type { CountRequest, DocumentCounts } from "#engine/engine";
import { monotonicNow } from "#platform/clock";
import { countOnNodes, type NodeCounts, type NodeCountsOptions } from "./nodeCounts";
import type { AssignedRepository } from "./nodeRepositories";

/** Suggestions that take longer are of no use. */
const maxMs = 1000;
/** Without some keys, because there are many or the nodes were busy, a result is soon replaced. */
const maxAgeMs = { complete: 30_000, partial: 3000 };
const maxBytes = 8 * 1024 * 1024;

/**
 * Counts documents on nodes, and remembers the result for half a minute: most keystrokes select from the same names and
 * languages.
 */
export class RecentCounts {
  readonly #options: Pick<NodeCountsOptions, "nodes" | "maxBytes">;
  readonly #recent = new ByteCache<{ readonly counted: NodeCounts; readonly at: number }>(maxBytes);

  constructor(options: Pick<NodeCountsOptions, "nodes" | "maxBytes">) {
    this.#options = options;
  }

  /** Rejects only with CANCELLED. */
  async count(
    request: CountRequest,
    repositories: readonly AssignedRepository[],
    signal: AbortSignal,
  ): Promise<DocumentCounts> {
    const { nodes, maxBytes: maxReplyBytes } = this.#options;
    const options = { nodes, maxBytes: maxReplyBytes, deadline: monotonicNow() + maxMs, signal };
    const ids = hash("sha1", new Uint32Array(repositories.map(({ id }) => id)), "base64");
    const count = async (by: CountRequest["by"]) => {
      const key = JSON.stringify([by, request.revisions, ids]);
      const known = this.#recent.get(key);
      if (known !== undefined) {
        const { complete, partial } = maxAgeMs;
        const isRecent = monotonicNow() - known.at < (known.counted.hasAllKeys ? complete : partial);
        if (isRecent) return known.counted;
      }
      const counted = await countOnNodes({ ...request, by }, repositories, options);
      const bytes = objectBytes([key, ...counted.counts.keys()]);
      if (counted.haveAllResponded) this.#recent.set(key, { counted, at: monotonicNow() }, bytes);
      return counted;
    };
    const { by } = request;
    if (by.kind === "path") return await count(by);
    const all = await count(by.kind === "name" ? { ...by, part: "" } : { kind: by.kind });
    const isFiltered = by.kind === "name" ? by.part !== "" : by.names !== undefined;
    return all.hasAllKeys || !isFiltered ? all : await count(by);
  }
}
