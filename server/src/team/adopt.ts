/**
 * Adopts a response of a team's server: marks what comes from there, and removes what another server must not decide.
 *
 * - Ids of repositories are moved out of the range of those here.
 * - Links lead to the server itself or, for pages of code hosts, to a web page; others are dropped.
 * - No result has a path on this computer or an overlay: its text is in a commit.
 */
import type { ServerAddress } from "./address";
import { ServerFailure } from "./serverFailure";

/** Added to ids of repositories; those here are numbers from 1. */
const repositoryIdOffset = 2 ** 40;

/** Fields that may become parts of paths, such as those of read-only copies. */
const pathFields: ReadonlySet<string> = new Set([
  "path",
  "fileName",
  "name",
  "repo",
  "repoName",
  "repository",
]);

type Fields = Record<string, unknown>;

/** Changes `value`, a validated response, and returns it. Throws a `ServerFailure` for a path that leaves its repository. */
export function adopt<Value>(value: Value, address: ServerAddress): Value {
  // Not recursive: trees may be deep.
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) pending.push(...next.filter(isObject));
    else if (isObject(next)) adoptObject(next, address, pending);
  }
  return value;
}

function adoptObject(fields: Fields, address: ServerAddress, pending: unknown[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (isObject(value)) pending.push(value);
    else if (typeof value === "string") {
      if (name === "webUrl") fields[name] = isOnServer(value, address) ? value : "";
      else if (/^(?:repoE|e)xternalWebUrl$/.test(name)) fields[name] = isWebUrl(value) ? value : "";
      else if (name === "origin") fields[name] = "commit";
      else if (pathFields.has(name) && (name !== "name" || isTreeNode(fields))) checkPath(value);
    } else if (name === "repositoryId" || name === "repoId") {
      fields[name] = adoptedId(value);
      fields["server"] = address.url;
    }
  }
  delete fields["localPath"];
  const { fileName, repositoryInfo } = fields;
  if (isObject(fileName)) checkPath(String(fileName["text"]));
  if (!Array.isArray(repositoryInfo)) return;
  for (const repository of repositoryInfo.filter(isObject)) {
    repository["id"] = adoptedId(repository["id"]);
    repository["server"] = address.url;
  }
}

/** Whether its name is a part of a path, unlike those of people and symbols. */
function isTreeNode({ type }: Fields): boolean {
  return type === "tree" || type === "blob" || type === "commit";
}

/** Throws a `ServerFailure` for an id that could become one of those here. */
function adoptedId(value: unknown): number {
  const id = Number(value);
  if (id >= 0 && id < repositoryIdOffset) return id + repositoryIdOffset;
  throw new ServerFailure("invalid", "The server returned an invalid id of a repository.");
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isOnServer(text: string, { origin }: ServerAddress): boolean {
  return isWebUrl(text) && new URL(text).origin === origin;
}

function isWebUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.username + url.password === "";
}

function checkPath(path: string): void {
  if (!path.includes("\0") && !/(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)) return;
  throw new ServerFailure("invalid", "The server returned a path that leaves its repository.");
}
