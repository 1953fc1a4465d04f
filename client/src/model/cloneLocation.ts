/** Finds the repository that a file or folder on this computer belongs to. */
import { isAbsolute, relative, sep } from "node:path";
import type { ServiceClient } from "#client/server/serviceClient";

export interface CloneLocation {
  readonly repository: string;
  /** `/`-separated, from the repository's root; empty for the root. */
  readonly path: string;
}

/** Returns the location in the innermost indexed clone that contains `path`; `undefined` if none does. */
export async function findCloneLocation(
  service: Pick<ServiceClient, "call">,
  path: string,
): Promise<CloneLocation | undefined> {
  const { clones } = await service.call("clones", {});
  const inside = clones
    .filter(({ folder, isBare }) => !isBare && isWithin(folder, path))
    .sort((one, other) => other.folder.length - one.folder.length)[0];
  if (inside === undefined) return undefined;
  return { repository: inside.repository, path: relative(inside.folder, path).split(sep).join("/") };
}

/** Whether `path` is `folder` or inside it. */
export function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath === "" || (!isAbsolute(relativePath) && relativePath.split(sep)[0] !== "..");
}
