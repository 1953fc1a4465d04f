/** Checks single values of settings. */
import { resolve } from "node:path";
import { usageError } from "#base/error";
import { expandHome } from "#platform/environment";

/** Returns a URL without slashes at its end. Throws USAGE. */
export function parseUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`${name} must be a URL such as https://search.example.com${rejectedValueSuffix(text)}.`);
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "") {
    throw usageError(`${name} must be a URL without user, query and fragment${rejectedValueSuffix(text)}.`);
  }
  return url.href.replace(/\/+$/, "");
}

/** Returns the end of an error message, which quotes the refused address unless it may contain a password. */
export function rejectedValueSuffix(address: string): string {
  return address.includes("@") ? "" : `, not "${address}"`;
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
