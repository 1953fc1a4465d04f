/** Checks the settings of the configuration file that name secrets, or whom to trust. */
import { statSync } from "node:fs";
import * as z from "zod";
import { isSecureUrl } from "#access/addresses";
import { isServiceError, usageError } from "#base/error";
import type { SecretSource } from "#hosts/connection";
import type { Role } from "#model/organization";
import { parseServerAddress } from "#team/address";
import type { OAuthSettings } from "./accessControl";
import { parseSecret } from "./settingValues";

export interface TeamSettings {
  readonly url: string;
  /** Where the API key or OAuth token is. Absent: the server allows anonymous access. */
  readonly key?: SecretSource;
}

const roleName = z
  .enum(["owner", "member"])
  .transform((name): Role => (name === "owner" ? "OWNER" : "MEMBER"));
export const OAuthFile = z.strictObject({
  issuer: z.string(),
  audience: z.string().min(1).optional(),
  createsMembers: z.boolean().default(false),
  trustsEmail: z.boolean().optional(),
  clientId: z.string().min(1).max(1000).optional(),
  // `parseSecret` checks it, whose messages never contain its value.
  clientSecret: z.unknown().optional(),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).optional(),
  groupsClaim: z.string().min(1).optional(),
  roles: z.record(z.string().min(1), roleName).optional(),
  codeHostClaims: z.record(z.string().min(1), z.string().min(1)).optional(),
});

/** Throws USAGE if other users can write to `file`, which sets `setting`. */
export function checkNotWritableByOthers(file: string, setting: string): void {
  if (process.getuid === undefined) return;
  const { uid, mode } = statSync(file);
  if ((uid === process.getuid() || uid === 0) && (mode & 0o022) === 0) return;
  throw usageError(`${file} sets "${setting}", but other users can write to it. Run chmod go-w on it.`);
}

export function checkOAuth(
  file: string,
  { clientSecret, ...settings }: z.infer<typeof OAuthFile>,
): OAuthSettings {
  const { issuer, audience, clientId, scopes, groupsClaim, roles, codeHostClaims } = settings;
  if (!isSecureUrl(issuer))
    throw usageError(`${file}: "oauth.issuer" must be an https:// URL, not "${issuer}".`);
  // Whoever can write it could become an owner, and have the client secret sent to another server.
  checkNotWritableByOthers(file, "oauth");
  if (clientId === undefined) {
    const needing = { clientSecret, scopes, groupsClaim, roles, codeHostClaims };
    const unused = Object.entries(needing).find(([, value]) => value !== undefined);
    if (unused !== undefined) throw usageError(`${file}: "oauth.${unused[0]}" needs "oauth.clientId".`);
    if (audience === undefined)
      throw usageError(
        `${file}: "oauth" needs "audience", to accept access tokens, or "clientId", to let users log in.`,
      );
  }
  if (roles !== undefined && groupsClaim === undefined)
    throw usageError(`${file}: "oauth.roles" needs "oauth.groupsClaim", the claim that names the groups.`);
  if (clientSecret === undefined) return settings;
  return { ...settings, clientSecret: parseSecret(`${file}: "oauth.clientSecret"`, clientSecret) };
}

export function checkTeam(file: string, team: unknown): TeamSettings {
  // Whoever can write it could have the key sent to another server.
  checkNotWritableByOthers(file, "team");
  const parsed = z.strictObject({ url: z.string(), key: z.unknown().optional() }).safeParse(team);
  if (!parsed.success)
    throw usageError(`${file}: "team" must be {"url": "https://...", "key": {"env": "NAME"}}.`);
  const { url, key } = parsed.data;
  try {
    parseServerAddress(url);
  } catch (error) {
    throw isServiceError(error, "USAGE") ? usageError(`${file}: "team.url": ${error.message}`) : error;
  }
  return key === undefined ? { url } : { url, key: parseSecret(`${file}: "team.key"`, key) };
}
