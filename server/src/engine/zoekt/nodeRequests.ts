import { type FindLost, watchForLost } from "./lostRepositories";
import type { AssignedRepository, NodeRepositories } from "./nodeRepositories";
import { type NodeReplies, type NodesRequest, requestTexts, searchNodes } from "./nodeSearch";
import { divide, type NodeScope } from "./replicas";
import type { MissingDocument } from "./zoektMessages";

/** What stays the same in all requests of a search. */
interface FixedRequest extends Omit<NodesRequest, "documentCount" | "hasTexts" | "avoided"> {
  readonly repositories: NodeRepositories;
}

/** The requests of one search, which asks again if the responses have too few documents or cannot be used. */
export class NodeRequests {
  readonly #request: FixedRequest;
  readonly #repositories: readonly AssignedRepository[];
  readonly #avoided = new Set<string>();
  readonly #findLost: FindLost;

  constructor(request: FixedRequest, repositories: readonly AssignedRepository[]) {
    this.#request = request;
    this.#repositories = repositories;
    this.#findLost = watchForLost(request.repositories, request.byId, request.deadline);
  }

  /** Requests documents of all repositories. Rejects only with CANCELLED. */
  async send(documentCount: number, hasTexts: boolean, signal: AbortSignal): Promise<NodeReplies> {
    const { nodes } = this.#request;
    const { scopes, rest } = divide(this.#repositories, nodes, this.#avoided);
    // Nodes to be avoided are asked for what no other node has.
    const all = rest.length === 0 ? scopes : [...scopes, ...divide(rest, nodes).scopes];
    const request = { ...this.#request, documentCount, hasTexts, avoided: this.#avoided };
    const found = await searchNodes(request, all, signal);
    const losses = await this.#findLost(
      found.replies.map(({ scope }) => scope),
      signal,
    );
    if (losses.length === 0) return found;
    if (this.avoid(losses.map(({ scope }) => scope))) return await this.send(documentCount, hasTexts, signal);
    return { ...found, unavailable: [...found.unavailable, ...losses.map(({ unavailable }) => unavailable)] };
  }

  /** Requests texts. Returns undefined if a node fails. Rejects only with CANCELLED. */
  async texts(
    { replies }: NodeReplies,
    missing: readonly MissingDocument[],
    signal: AbortSignal,
  ): Promise<readonly Uint8Array[] | undefined> {
    const bodies = await Promise.all(
      replies.map(({ scope }, at) => {
        const documents = missing.filter(({ reply }) => reply === at);
        return documents.length === 0 ? [] : requestTexts(this.#request, scope, documents, signal);
      }),
    );
    const found = bodies.flatMap((body) => body ?? []);
    return bodies.includes(undefined) ? undefined : found;
  }

  /** Avoids the nodes of scopes from now on. Returns false if no other node has their repositories. */
  avoid(scopes: readonly NodeScope[]): boolean {
    const names = new Set(scopes.map(({ node }) => node.name));
    const canBeAsked = ({ node }: { readonly node: string }) => !names.has(node) && !this.#avoided.has(node);
    const isUseful = scopes.some(({ repositories }) =>
      repositories.some(({ assigned }) => [assigned, ...assigned.replicas].some(canBeAsked)),
    );
    if (isUseful) for (const name of names) this.#avoided.add(name);
    return isUseful;
  }
}
