/** The settings of the role of a process in a cluster: what it holds, and where its other parts are. */
import * as z from "zod";
import { isLoopback } from "#access/addresses";
import { usageError } from "#base/error";
import type { Connection, SecretSource } from "#hosts/connection";
import { parseSecret, parseSecureUrl } from "./settingValues";

/**
 * - `all`: indexes, searches and serves history.
 * - `gitserver`: has git repositories, and serves their history to frontends on an internal port. It has no index.
 * - `frontend`: has no repositories. It answers requests with the help of git servers and Zoekt nodes.
 * - `indexer`: indexes for one Zoekt node, as the leader asks it to in PostgreSQL.
 */
export const processRoles = ["all", "gitserver", "frontend", "indexer"] as const;
export type ProcessRoleName = (typeof processRoles)[number];

/** The internal port of a git server. */
export interface GitServerSettings {
  readonly host: string;
  readonly port: number;
  readonly secret: SecretSource;
}

/** A git server that a frontend uses. */
export interface GitServerAddress {
  readonly name: string;
  /** Without a trailing slash. */
  readonly url: string;
  /** Its share of the requests, relative to the others. */
  readonly weight: number;
  readonly secret: SecretSource;
}

const plainHttp = z.boolean().default(false);

const GitServerFile = z.strictObject({
  listen: z.string(),
  // Checked separately, with messages that never contain its value.
  secret: z.unknown(),
  allowPlainHttp: plainHttp,
});

const GitServersFile = z
  .array(
    z.strictObject({
      name: z.string().regex(/^[\w.-]{1,100}$/),
      url: z.string(),
      secret: z.unknown(),
      weight: z.int().min(1).max(1000).default(1),
      allowPlainHttp: plainHttp,
    }),
  )
  .min(1)
  .max(1000);

/** Parses `gitServer`. `where` begins error messages. Throws USAGE. */
export function parseGitServer(where: string, value: unknown): GitServerSettings {
  const parsed = GitServerFile.safeParse(value);
  if (!parsed.success)
    throw usageError(
      `${where} must be {"listen": "127.0.0.1:4879", "secret": {"file": "/path"}}, with "allowPlainHttp": true if other computers may connect.`,
    );
  const { listen, secret, allowPlainHttp } = parsed.data;
  const [, host = "", digits = ""] = /^(\[[\da-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(listen) ?? [];
  const port = Number(digits);
  if (host === "" || port > 65_535)
    throw usageError(`${where}.listen must be an address and a port, such as 127.0.0.1:4879.`);
  if (!isLoopback(host) && !allowPlainHttp)
    throw usageError(
      `${where}.listen lets other computers connect, without encryption. Set "allowPlainHttp": true if the network between them is trusted, or listen on 127.0.0.1 behind a proxy with TLS.`,
    );
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port, secret: parseSecret(`${where}.secret`, secret) };
}

/** Parses `gitServers`. `where` begins error messages. Throws USAGE. */
export function parseGitServers(where: string, value: unknown): readonly GitServerAddress[] {
  const parsed = GitServersFile.safeParse(value);
  if (!parsed.success)
    throw usageError(
      `${where} must be a list of {"name": "a", "url": "https://...", "secret": {"file": "/path"}}, with letters, digits, ".", "_" or "-" in each name.`,
    );
  const servers = parsed.data.map(({ name, url, secret, weight, allowPlainHttp }, index) => ({
    name,
    url: parseSecureUrl(`${where}[${index}].url`, url, allowPlainHttp),
    weight,
    secret: parseSecret(`${where}[${index}].secret`, secret),
  }));
  for (const field of ["name", "url"] as const) {
    const index = servers.findIndex(
      (server, at) => servers.findIndex((other) => other[field] === server[field]) < at,
    );
    if (index >= 0)
      throw usageError(`${where}[${index}].${field} is the same as that of another git server.`);
  }
  return servers;
}

/** Throws USAGE if the settings do not fit the role. */
export function checkRole(
  role: ProcessRoleName,
  {
    gitServer,
    gitServers,
  }: {
    readonly gitServer: GitServerSettings | undefined;
    readonly gitServers: readonly GitServerAddress[] | undefined;
  },
): void {
  if (role === "gitserver" && gitServer === undefined)
    throw usageError(`The role "gitserver" needs "gitServer" in the configuration file.`);
  if (role === "frontend" && gitServers === undefined)
    throw usageError(`The role "frontend" needs "gitServers" in the configuration file.`);
}

/** Throws USAGE if a connection leaves it to its code host who sees its repositories, which frontends do not know. */
export function checkRights(
  role: ProcessRoleName,
  connections: Readonly<Record<string, Pick<Connection, "access">>>,
): void {
  if (role !== "gitserver" && role !== "frontend") return;
  const names = Object.keys(connections);
  const name = names.find((each) => connections[each]?.access.visibleTo === "codeHost");
  if (name !== undefined)
    throw usageError(
      `Connection "${name}" cannot have "visibleTo": "codeHost" with the role "${role}": frontends would show its repositories to everyone. Remove it, and grant them with "access.repositories".`,
    );
}
