/** Checks single values of settings. */
import { resolve } from "node:path";
import { isSecureUrl } from "#access/addresses";
import { usageError } from "#base/error";
import { type SecretSource, secretSource } from "#hosts/connection";
import { expandHome } from "#platform/environment";

/** Returns a URL without slashes at its end. Throws USAGE. */
export function parseUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`${name} must be a URL such as https://search.example.com${rejectedValueSuffix(text)}.`);
  }
  if (url.username + url.password + url.search + url.hash !== "") {
    throw usageError(`${name} must be a URL without user, query and fragment.`);
  }
  return url.href.replace(/\/+$/, "");
}

/** Like `parseUrl`, for a server that is sent a secret. Throws USAGE also for plain HTTP to other computers. */
export function parseSecureUrl(name: string, text: string, allowPlainHttp: boolean): string {
  const url = parseUrl(name, text);
  if (allowPlainHttp || isSecureUrl(url)) return url;
  throw usageError(
    `${name} must begin with https://, so that nobody can read the secret. Set "allowPlainHttp": true if the network is trusted.`,
  );
}

/** Returns where a secret is. Throws USAGE without quoting `value`, which may be the secret itself. */
export function parseSecret(name: string, value: unknown): SecretSource {
  const source = secretSource.safeParse(value);
  if (source.success) return source.data;
  throw usageError(
    `${name} must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in the configuration file.`,
  );
}

/** Returns the end of an error message, which quotes the refused address unless it may contain a secret. */
export function rejectedValueSuffix(address: string): string {
  return /[@?#]/.test(address) ? "" : `, not "${address}"`;
}

/** Returns an object with the property `name`, or an empty one if `value` is undefined. */
export function fieldIfDefined<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

/** Resolves `path` against `folder`, and expands `~`, which a shell expands only at the start of a word. */
export function absolutePath(path: string, folder: string): string {
  return resolve(folder, expandHome(path));
}
