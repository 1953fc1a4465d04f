/** Git servers and frontends as users run them: the built bundle in separate processes. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Served, serve } from "#test/support/served";
import type { TrawlOptions } from "#test/support/trawl";

export const clusterSecret = "test-secret-0123456789";
export const bearer = { authorization: `Bearer ${clusterSecret}` };

/** Writes a configuration file that others cannot write to, next to the file with the secret. Returns its path. */
function writeClusterConfiguration(folder: string, name: string, settings: object): string {
  mkdirSync(folder, { recursive: true });
  const secret = join(folder, "secret");
  // Running processes read it at any time.
  if (!existsSync(secret)) writeFileSync(secret, `${clusterSecret}\n`, { mode: 0o600 });
  const file = join(folder, `${name}.jsonc`);
  writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
  return file;
}

export interface ClusterProcess extends Pick<TrawlOptions, "env" | "bundle"> {
  /** Contains the configuration and the data directories. */
  readonly folder: string;
  readonly name: string;
}

/** Starts a git server. Resolves when it listens. */
export async function serveGit(
  { folder, name, ...options }: ClusterProcess,
  paths: readonly string[],
  port = 0,
  settings: object = {},
): Promise<Served> {
  const secret = { file: join(folder, "secret") };
  const gitServer = { listen: `127.0.0.1:${port}`, secret };
  const config = writeClusterConfiguration(folder, name, { role: "gitserver", gitServer, ...settings });
  return await serve(join(folder, `${name}-data`), paths, { flags: ["--config", config], ...options });
}

/** Starts a frontend of the git servers at these URLs, by name. Resolves when it listens. */
export async function serveFrontend(
  { folder, name, ...options }: ClusterProcess,
  servers: Readonly<Record<string, string>>,
  settings: object = {},
): Promise<Served> {
  const secret = { file: join(folder, "secret") };
  const gitServers = Object.entries(servers).map(([server, url]) => ({ name: server, url, secret }));
  const config = writeClusterConfiguration(folder, name, { gitServers, ...settings });
  const flags = ["--role", "frontend", "--config", config];
  return await serve(join(folder, `${name}-data`), [], { flags, ...options });
}
