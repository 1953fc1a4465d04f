/** The setting `engine.zoekt`. */
import * as z from "zod";
import { usageError } from "#base/error";
import type { ZoektSettings } from "#engine/zoekt/zoektSettings";
import { absolutePath, fieldIfDefined, parseSecret, parseSecureUrl, parseUrl } from "./settingValues";

export const ZoektFile = z.strictObject({
  nodes: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w.-]{1,100}$/),
        url: z.string(),
        indexFolder: z.string().min(1).optional(),
        hasIndexer: z.boolean().default(false),
        weight: z.int().min(1).max(1000).default(1),
      }),
    )
    .min(1)
    .max(1000),
  indexer: z.string().min(1).optional(),
  replicas: z.int().min(1).max(3).default(1),
  gitUrl: z.string().optional(),
  // `parseSecret` checks it, whose messages never contain its value.
  gitToken: z.unknown().optional(),
  allowPlainHttp: z.boolean().default(false),
  leaseSeconds: z.int().min(1).max(3600).default(60),
  maxResponseBytes: z
    .int()
    .min(1024)
    .max(1024 * 1024 * 1024)
    .default(64 * 1024 * 1024),
});

/** Resolves the folders and the program. Throws USAGE for an invalid URL, and for two nodes with the same name or folder. */
export function checkZoekt(
  file: string,
  { gitUrl, gitToken, allowPlainHttp, ...zoekt }: z.output<typeof ZoektFile>,
  folder: string,
): ZoektSettings {
  const nodes = zoekt.nodes.map((node, index) => ({
    ...node,
    url: parseUrl(`${file}: "engine.zoekt.nodes[${index}].url"`, node.url),
    ...fieldIfDefined("indexFolder", node.indexFolder && absolutePath(node.indexFolder, folder)),
  }));
  for (const field of ["name", "url", "indexFolder"] as const) {
    const index = nodes.findIndex((node, at) => {
      // Indexers on different computers may use the same path.
      const value = field === "indexFolder" && node.hasIndexer ? undefined : node[field];
      return value !== undefined && nodes.findIndex((other) => other[field] === value) < at;
    });
    if (index >= 0)
      throw usageError(
        `${file}: "engine.zoekt.nodes[${index}].${field}" is the same as that of another node.`,
      );
  }
  const token =
    gitToken === undefined ? undefined : parseSecret(`${file}: "engine.zoekt.gitToken"`, gitToken);
  if (gitToken !== undefined && gitUrl === undefined)
    throw usageError(`${file}: "engine.zoekt.gitToken" needs "engine.zoekt.gitUrl", to which it is sent.`);
  const { indexer } = zoekt;
  const isPath = indexer !== undefined && /[\\/]/.test(indexer);
  return {
    ...zoekt,
    nodes,
    ...(isPath ? { indexer: absolutePath(indexer, folder) } : {}),
    ...fieldIfDefined(
      "gitUrl",
      gitUrl &&
        checkGitUrl(`${file}: "engine.zoekt.gitUrl"`, gitUrl, allowPlainHttp || gitToken === undefined),
    ),
    ...fieldIfDefined("gitToken", token),
  };
}

/** The template must name the repository in its path, so that every URL leads to the same server. */
function checkGitUrl(name: string, template: string, allowPlainHttp: boolean): string {
  const [first, second] = ["a", "b"].map((value) =>
    parseSecureUrl(name, template.replaceAll(/\{(id|name)\}/g, value), allowPlainHttp),
  );
  if (first === undefined || second === undefined || first === second)
    throw usageError(`${name} must contain {id} or {name}.`);
  if (new URL(first).origin !== new URL(second).origin)
    throw usageError(`${name} must contain {id} or {name} only in its path.`);
  return template;
}
