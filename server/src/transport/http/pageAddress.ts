/** Addresses of pages: `/browse/<repository>[@<revision>]/-/<view>/<path>`, each segment percent-encoded. */
import { ServiceError } from "#base/error";

export const browsePrefix = "/browse/";

export type View = "blob" | "tree" | "commit";

export interface PageAddress {
  readonly repository: string;
  readonly revision?: string;
  readonly view: View;
  /** Of a commit its name. */
  readonly path: string;
  readonly withBlame: boolean;
}

const shape = /^([^@]+?)(?:@(.+?))?(?:\/-\/(blob|tree|commit)(?:\/(.*))?|\/?)$/s;

/** `url` as it was asked for. Throws NOT_FOUND where it is no page's, MALFORMED_REQUEST for broken escapes. */
export function readPageAddress(url: string): PageAddress {
  const [address = "", query = ""] = url.split("?", 2);
  const [, repository, revision, view = "tree", path = ""] =
    shape.exec(address.slice(browsePrefix.length)) ?? [];
  if (repository === undefined) throw new ServiceError("NOT_FOUND", "There is no such page.");
  return {
    repository: decoded(repository),
    ...(revision === undefined ? {} : { revision: decoded(revision) }),
    view: view as View,
    path: decoded(path),
    withBlame: query.split("&").includes("blame=1"),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError("MALFORMED_REQUEST", "The address is not percent-encoded UTF-8.", { cause });
  }
}
