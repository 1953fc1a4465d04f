/**
 * Files as resources, `trawl://REPOSITORY@REVISION/PATH`, and the completion of these parts.
 *
 * Each part is percent-encoded; slashes may stay as they are, except in the revision.
 */
import { type CompleteRequestParams, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { namedRepositories } from "#agents/names";
import { fileFilter, repositoryFilter, revisionFilter } from "#agents/queryText";
import type { Send } from "#agents/tool";
import { isServiceError, ServiceError } from "#base/error";

export const resourceTemplates = [
  {
    name: "file",
    title: "File of a repository",
    uriTemplate: "trawl://{repo}@{rev}/{+path}",
    description: "A file at a branch, tag or commit.",
  },
] as const;

/** Clients pass a resource to the model as a whole. In bytes of UTF-8. */
const maxBytes = 4 * 1024 * 1024;

/** Reads a file. Throws an error of the protocol if there is none, and ANSWER_TOO_LARGE. */
export async function readResource(send: Send, uri: string) {
  const location = parseUri(uri);
  if (location === undefined) throw new ResourceNotFoundError(uri, "Use trawl://REPOSITORY@REVISION/PATH.");
  try {
    const { source } = await send("source", location);
    if (Buffer.byteLength(source) > maxBytes) {
      throw new ServiceError(
        "ANSWER_TOO_LARGE",
        'The file is larger than 4 MiB. Read a part of it with the tool "read" and lines.',
      );
    }
    return { contents: [{ uri, mimeType: "text/plain", text: source }] };
  } catch (error) {
    const isMissing =
      isServiceError(error) && ["NOT_FOUND", "FILE_NOT_FOUND", "INVALID_GIT_REF"].includes(error.code);
    if (isMissing) throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}

function parseUri(uri: string): { repo: string; ref: string; path: string } | undefined {
  const [, repo, ref, path] = /^trawl:\/\/([^@]+)@([^/]+)\/(.+)$/s.exec(uri) ?? [];
  if (repo === undefined || ref === undefined || path === undefined) return undefined;
  try {
    return {
      repo: decodeURIComponent(repo),
      ref: decodeURIComponent(ref),
      path: decodeURIComponent(path),
    };
  } catch {
    return undefined;
  }
}

const maxValues = 100;

type Completion = { readonly values: string[]; readonly total?: number; readonly hasMore: boolean };

/** Completes a repository, a revision or a path, whether of a resource or of a prompt. */
export async function completeArgument(send: Send, params: CompleteRequestParams): Promise<Completion> {
  const { name, value } = params.argument;
  const { repo, rev } = params.context?.arguments ?? {};
  if (name === "repo") {
    const { items, total } = await send("repos", {
      perPage: maxValues,
      ...namedRepositories(value || undefined),
    });
    return { values: items.map(({ repoName }) => repoName), total, hasMore: total > items.length };
  }
  if (repo === undefined) return { values: [], hasMore: false };
  if (name === "rev") {
    const request = { repo, perPage: maxValues, ...(value === "" ? {} : { query: value }) };
    const { items, total } = await send("branches", request);
    return { values: items.map((branch) => branch.name), total, hasMore: total > items.length };
  }
  if (name !== "path") return { values: [], hasMore: false };
  const filters = [
    repositoryFilter(repo, "exact"),
    ...(rev === undefined || rev === "" ? [] : [revisionFilter(rev)]),
    value === "" ? "file:." : fileFilter(value, "text"),
  ];
  const query = filters.join(" ");
  const { files } = await send("search", { query, matches: maxValues + 1, matchesPerFile: 1 });
  const paths = files.map(({ fileName }) => fileName.text);
  return { values: paths.slice(0, maxValues), hasMore: paths.length > maxValues };
}
