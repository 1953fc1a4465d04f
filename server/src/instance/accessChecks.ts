/** The doctor's checks of the login server and of secrets. What they return never contains a secret. */
import { statSync } from "node:fs";
import { createIssuer, endpointOf } from "#access/issuer";
import { isServiceError } from "#base/error";
import type { SecretSource } from "#hosts/connection";
import { readAppKey } from "#hosts/githubApp";
import { readMultilineSecret, readSecret } from "#hosts/secret";
import { systemClock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { Configuration } from "./configuration";
import { messageOf, ok, problem, type Result, warning } from "./finding";

/** Checks whether users can log in with the discovery document and the keys of the OpenID issuer. */
export async function checkLogin({ oauth }: Configuration, log: Log): Promise<Result | undefined> {
  if (oauth === undefined) return undefined;
  const { issuer: url, clientId } = oauth;
  try {
    const metadata = await createIssuer(url, { clock: systemClock, log }).metadata();
    if (clientId !== undefined)
      for (const name of ["authorization_endpoint", "token_endpoint"]) endpointOf(metadata, name);
    return ok(url);
  } catch (error) {
    const reason = messageOf(isServiceError(error, "ENGINE_UNAVAILABLE") ? error.cause : error);
    return problem(
      `The login server ${url} cannot be used: ${reason}`,
      `Check that this computer can reach ${url}/.well-known/openid-configuration, and that "oauth.issuer" is the "issuer" in it.`,
    );
  }
}

interface NamedSecret {
  readonly setting: string;
  readonly source: SecretSource;
  /** Rejects with USAGE if the secret cannot be used. Default: `readSecret`. */
  readonly read?: (source: SecretSource) => Promise<unknown>;
  /** Whether ssh reads the file. */
  readonly isSshKey?: boolean;
}

/** Checks whether this user can read all secrets. */
export async function checkSecrets(configuration: Configuration): Promise<Result | undefined> {
  const secrets = secretsOf(configuration);
  const unusable: string[] = [];
  for (const { setting, source, read = readSecret } of secrets) {
    await read(source).catch((error: unknown) => unusable.push(`${setting}: ${messageOf(error)}`));
  }
  if (unusable.length > 0)
    return problem(
      unusable.join(" "),
      "Correct the file or the variable. Run the doctor as the user who runs the server, with the same environment.",
    );
  return secrets.length === 0 ? undefined : ok(secrets.map(({ setting }) => setting).join(", "));
}

/** Checks whether other users can read the files of secrets. */
export function checkSecretFiles(configuration: Configuration): Result | undefined {
  if (process.getuid === undefined) return undefined;
  const uid = process.getuid();
  const files = secretsOf(configuration).flatMap(({ source: { file }, isSshKey = false }) => {
    const owned = file === undefined ? undefined : ownerOf(file);
    return file === undefined || owned === undefined
      ? []
      : [{ file, isSshKey, uid: owned.uid, mode: owned.mode }];
  });
  const refused = files.find((each) => each.isSshKey && each.uid === uid && (each.mode & 0o077) !== 0);
  if (refused !== undefined)
    return problem(
      `ssh refuses the key ${refused.file}, because other users can read it.`,
      `Run chmod go= ${refused.file}.`,
    );
  // Containers often grant access to files by their group.
  const exposed = files.filter(({ mode }) => (mode & 0o007) !== 0).map(({ file }) => file);
  if (exposed.length > 0)
    return warning(`Other users can read ${exposed.join(", ")}.`, `Run chmod o= ${exposed.join(" ")}.`);
  return files.length === 0 ? undefined : ok(files.map(({ file }) => file).join(", "));
}

/** Returns `undefined` if the file does not exist or is in a closed folder. */
function ownerOf(file: string): { readonly uid: number; readonly mode: number } | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Returns the secrets that a server in this role reads. */
function secretsOf(configuration: Configuration): readonly NamedSecret[] {
  const { role, oauth, team, zoekt, gitServer, gitServers = [], connections } = configuration;
  const secrets: NamedSecret[] = [];
  const add = (
    setting: string,
    source: Partial<SecretSource> | undefined,
    more: Partial<NamedSecret> = {},
  ) => {
    const { env, file } = source ?? {};
    if (env !== undefined || file !== undefined) secrets.push({ setting, source: { env, file }, ...more });
  };
  add("oauth.clientSecret", oauth?.clientSecret);
  add("team.key", team?.key);
  add("engine.zoekt.gitToken", zoekt?.gitToken);
  if (role === "gitserver") add("gitServer.secret", gitServer?.secret);
  if (role === "frontend") for (const { name, secret } of gitServers) add(`gitServers (${name})`, secret);
  for (const [name, connection] of Object.entries(connections)) {
    const at = `connections.${name}`;
    // An editor keeps some tokens, and passes them to the server.
    add(`${at}.token`, connection.token);
    add(`${at}.proxyLogin.password`, connection.proxyLogin?.password);
    add(`${at}.webhook.secret`, connection.webhook?.secret);
    add(`${at}.sshKey`, connection.sshKey, { read: readMultilineSecret, isSshKey: true });
    if (connection.type === "github")
      add(`${at}.app.privateKey`, connection.app?.privateKey, { read: readAppKey });
  }
  return secrets;
}
