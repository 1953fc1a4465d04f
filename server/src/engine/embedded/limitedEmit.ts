import type { FileMatch } from "#model/match";
import { cutFile, shownRanges } from "./collect";

export interface LimitedEmit {
  /** Keeps its promise when they are taken. */
  push(files: readonly FileMatch[]): Promise<void>;
  /** After a change of lane: what was handed over already is not handed over again. */
  restart(): void;
  shown(): number;
}

/** Hands files on until the limit on display is reached, or nobody wants them any more. */
export function limitedEmit(
  maxMatches: number,
  onFiles: (files: readonly FileMatch[]) => Promise<void> | void,
  signal: AbortSignal,
): LimitedEmit {
  const seen = new Set<string>();
  let shown = 0;
  let restarted = false;
  return {
    async push(files) {
      if (signal.aborted) return;
      const fresh: FileMatch[] = [];
      for (const file of files) {
        if (shown >= maxMatches) break;
        const key = `${file.repositoryId} ${file.blobSha} ${file.origin} ${file.path}`;
        if (restarted && seen.has(key)) continue;
        seen.add(key);
        const cut = cutFile(file, maxMatches - shown);
        shown += shownRanges(cut);
        fresh.push(cut);
      }
      if (fresh.length > 0) await onFiles(fresh);
    },
    restart() {
      restarted = true;
    },
    shown: () => shown,
  };
}
