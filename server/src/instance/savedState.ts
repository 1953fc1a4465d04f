/** What a backup contains besides the database: the added paths, and what is mirrored from code hosts. */
import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import * as z from "zod";
import { ServiceError } from "#base/error";
import type { Catalog } from "#catalog/catalog";
import { MirrorState } from "#mirrors/state";
import { addMirrors } from "#mirrors/transfer";
import { systemClock } from "#platform/clock";
import { diskFiles } from "#platform/files";
import type { Log } from "#platform/log";
import type { SavedState } from "#service/organization/backups";
import type { Sync } from "#sync/sync";

/** The names of the texts. */
const names = { paths: "paths", mirrors: "mirrors" };

const absolutePath = z.string().refine(isAbsolute);
const StoredPaths = z.object({ paths: z.array(absolutePath), excluded: z.array(absolutePath) });

export function createSavedState({
  catalog,
  sync,
  dataDir,
  log,
}: {
  readonly catalog: Catalog;
  readonly sync: Sync;
  readonly dataDir: string;
  readonly log: Log;
}): SavedState {
  return {
    read() {
      const { paths, excluded } = catalog;
      const exported = sync.codeHosts?.exportState();
      return {
        texts: {
          [names.paths]: JSON.stringify({ paths, excluded }),
          ...(exported === undefined ? {} : { [names.mirrors]: exported.text }),
        },
        counts: { paths: paths.length, mirrors: exported?.mirrorCount ?? 0 },
      };
    },
    add(texts) {
      const { [names.paths]: paths, [names.mirrors]: mirrors } = texts;
      const pathSet = paths === undefined ? undefined : parsePaths(paths);
      return {
        mirrors: mirrors === undefined ? 0 : importMirrors(mirrors),
        paths: pathSet === undefined ? 0 : catalog.addPaths(pathSet),
      };
    },
    apply: () => sync.rescan(),
  };

  /** Without connections in the configuration, the next process that has some reads the file. */
  function importMirrors(text: string): number {
    if (sync.codeHosts !== undefined) return sync.codeHosts.importState(text);
    const state = new MirrorState({
      dataDir: realpathSync(dataDir),
      files: diskFiles,
      clock: systemClock,
      log,
    });
    return addMirrors(state, text);
  }
}

function parsePaths(text: string): z.output<typeof StoredPaths> {
  const { data } = z.string().transform(parseJson).pipe(StoredPaths).safeParse(text);
  if (data !== undefined) return data;
  throw new ServiceError("INVALID_REQUEST_BODY", "The list of paths in the backup is damaged.");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
