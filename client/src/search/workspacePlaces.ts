/** Which repository a file or folder of this computer belongs to. */
import { isAbsolute, relative, sep } from "node:path";
import type { ServiceClient } from "#client/serviceClient";

export interface PlaceInClone {
  readonly repository: string;
  /** `/`-separated, from the repository's root; empty for the root. */
  readonly path: string;
}

/** `undefined` where no indexed clone holds it; the innermost one where several do. */
export async function placeInClone(
  service: Pick<ServiceClient, "call">,
  path: string,
): Promise<PlaceInClone | undefined> {
  const { clones } = await service.call("clones", {});
  const inside = clones
    .filter(({ folder, isBare }) => !isBare && isWithin(folder, path))
    .sort((one, other) => other.folder.length - one.folder.length)[0];
  if (inside === undefined) return undefined;
  return { repository: inside.repository, path: relative(inside.folder, path).split(sep).join("/") };
}

/** Whether `path` is `folder` or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && way.split(sep)[0] !== "..");
}
