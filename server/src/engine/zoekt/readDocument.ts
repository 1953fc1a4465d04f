import type { DocumentRequest, IndexedDocument } from "#engine/engine";
import { revisionMatcher } from "#query/revisionName";
import { languageOf } from "./candidates";
import { blobHash, skipReasonOf } from "./documentContent";
import type { AssignedRepository } from "./nodeRepositories";
import { NodeFailure, type ZoektNode } from "./zoektNode";
import { exactly, quoted } from "./zoektQuery";
import { parseSearchReply, type ZoektFile } from "./zoektReplies";

const timeMs = 5000;
/** Contents of one path: one for each branch at most. */
const maxContents = 64;

/** Reads a document from a node. Returns undefined if there is none. Throws `NodeFailure`. */
export async function readFromNode(
  node: ZoektNode,
  repository: AssignedRepository,
  request: DocumentRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<IndexedDocument | undefined> {
  const { path, blob, revision } = request;
  const isDefault = blob === undefined && revision === undefined;
  const conditions = [
    ...(isDefault ? ['branch:"HEAD"'] : []),
    `( case:yes file:${quoted(exactly(path))} )`,
    `repo:${quoted(exactly(repository.name))}`,
  ];
  const body = {
    Q: `type:file ${conditions.join(" ")}`,
    Opts: { Whole: true, MaxDocDisplayCount: maxContents, ShardMaxMatchCount: maxContents },
  };
  const result = parseSearchReply(await node.post({ path: "/api/search", body, timeMs, maxBytes, signal }));
  if (result === undefined) throw new NodeFailure("malformed", "returned a malformed response");
  const documents = result.files.map((file) => toDocument(file, repository, request));
  return documents.find((document) => document !== undefined);
}

function toDocument(
  file: ZoektFile,
  { id, branches, defaultRevision }: AssignedRepository,
  { path, blob, revision }: DocumentRequest,
): IndexedDocument | undefined {
  const { content } = file;
  if (file.FileName !== path || skipReasonOf(content) !== undefined) return undefined;
  const blobSha = blobHash(content);
  if (blob !== undefined && blob !== blobSha) return undefined;
  const names = new Set(file.Branches ?? []);
  const containing = branches.filter(({ name }) => names.has(name));
  const matches =
    revision === undefined ? undefined : revisionMatcher(revision === "HEAD" ? defaultRevision : revision);
  const covered =
    matches === undefined
      ? containing
      : containing.filter((branch) => matches(branch.revision, branch.commit));
  if (revision !== undefined && covered.length === 0) return undefined;
  return {
    repositoryId: id as IndexedDocument["repositoryId"],
    path,
    language: languageOf(file.Language ?? ""),
    branches: covered.map((branch) => branch.revision),
    origin: "commit",
    commit: covered[0]?.commit ?? "",
    blobSha,
    content,
  };
}
