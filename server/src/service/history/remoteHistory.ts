/** History of repositories whose clones are on other servers. */
import type { HistoryOperation } from "#contract/historyOperations";
import type { CallContext, Handler, RequestOf, ResponseOf, Service } from "#contract/service";
import type { Repository } from "#model/repository";

/** Executes operations where the clones are. The caller has checked that its own caller may see the repository. */
export interface RemoteHistory {
  call<Name extends HistoryOperation>(
    name: Name,
    repository: string,
    request: RequestOf<Name>,
    context: Pick<CallContext, "signal" | "client" | "baseUrl"> & Partial<Pick<CallContext, "deadline">>,
  ): Promise<ResponseOf<Name>>;
}

interface VisibleRepositories {
  /** Throws NOT_FOUND. */
  repository(name: string): Repository;
  noteUse(repository: Repository): void;
}

/** Returns handlers that forward requests, with the current name of the repository, which may have had another one. */
export function remoteHandlers(
  repositories: VisibleRepositories,
  remote: RemoteHistory,
): Pick<Service, HistoryOperation> {
  const forward =
    <Name extends Exclude<HistoryOperation, "tree">>(operation: Name) =>
    async (request: RequestOf<Name>, context: CallContext<Name>): Promise<ResponseOf<Name>> => {
      const repository = repositories.repository(request.repo);
      if (operation === "source") repositories.noteUse(repository);
      return await remote.call(operation, repository.name, { ...request, repo: repository.name }, context);
    };
  const tree: Handler<"tree"> = async (request, context) => {
    const { name } = repositories.repository(request.repoName);
    return await remote.call("tree", name, { ...request, repoName: name }, context);
  };
  return {
    tree,
    branches: forward("branches"),
    source: forward("source"),
    diff: forward("diff"),
    commit: forward("commit"),
    commits: forward("commits"),
    authors: forward("authors"),
    blame: forward("blame"),
  };
}
