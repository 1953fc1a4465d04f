import type { FilesHandler } from "#engine/engine";
import { type FileMatch, fileKey } from "#model/match";
import { truncateFile } from "./collect";

export interface LimitedEmit {
  /** Emits the files, cut to the display limit. Resolves when the caller has processed them. */
  push(files: readonly FileMatch[]): Promise<void>;
  /** Prepares for a repeated search in another lane: files that were already emitted are not emitted again. */
  restart(): void;
  /** Returns how much has been emitted so far. */
  emitted(): { readonly matchCount: number; readonly fileCount: number };
}

/** Emits files until the display limit is reached or the search is canceled. */
export function limitedEmit(maxMatches: number, onFiles: FilesHandler, signal: AbortSignal): LimitedEmit {
  const seen = new Set<string>();
  let shown = 0;
  let fileCount = 0;
  let isRestarted = false;
  return {
    async push(files) {
      if (signal.aborted) return;
      const fresh: FileMatch[] = [];
      for (const file of files) {
        if (shown >= maxMatches) break;
        const key = fileKey(file);
        if (isRestarted && seen.has(key)) continue;
        seen.add(key);
        const cut = truncateFile(file, maxMatches - shown);
        shown += cut.rangeCount;
        fresh.push(cut);
      }
      fileCount += fresh.length;
      if (fresh.length > 0) await onFiles(fresh);
    },
    restart() {
      isRestarted = true;
    },
    emitted: () => ({ matchCount: shown, fileCount }),
  };
}
