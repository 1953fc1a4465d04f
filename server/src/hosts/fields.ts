/** Schemas of fields that several hosts have, and the repository URLs that adapters build. */
import * as z from "zod";
import { encodePath } from "./urls";

/** The numeric id of a repository, as text. */
export const numericId = z.int().min(0).transform(String);
export const shortText = z.string().min(1).max(1000);
/** Absent for `null`, and for anything else that is not a text. */
export const optionalText = z.string().min(1).max(1000).optional().catch(undefined);
export const optionalCount = z.int().min(0).optional().catch(undefined);
export const isTrue = z
  .boolean()
  .nullish()
  .transform((value) => value === true);
/** At most 100 topics; absent if the list is malformed. */
export const topicList = z
  .array(z.string().max(200))
  .transform((topics) => topics.slice(0, 100))
  .optional()
  .catch(undefined);
/** A date and time, as milliseconds since 1970; absent if it is malformed. */
export const optionalTime = z
  .string()
  .max(100)
  .transform((text, context) => {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
    context.addIssue({ code: "custom", message: "is not a date" });
    return z.NEVER;
  })
  .optional()
  .catch(undefined);

/** Reads a header that counts something; `undefined` if it is missing or malformed. */
export function countIn(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}

/** Reads an object of items by name: each item gets its name as the field `nameField`. */
export function itemsByName(body: unknown, nameField: string): readonly unknown[] {
  return Object.entries(z.record(z.string(), z.unknown()).parse(body)).map(([name, item]) =>
    typeof item === "object" && item !== null ? { ...item, [nameField]: name } : item,
  );
}

/** Omits fields that are `undefined`, which optional fields must not be. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}

/**
 * Returns the clone URL of a path below the host's URL. Adapters do not use the URLs that hosts list: these may contain
 * user names, an internal host name, or another scheme.
 */
export function cloneUrl(
  { url, cloneUrlBase = url }: { readonly url: string; readonly cloneUrlBase?: string | undefined },
  path: string,
): string {
  return `${cloneUrlBase}/${encodePath(path)}`;
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

export const userAgent = { "user-agent": "trawl" };
