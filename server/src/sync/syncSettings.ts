/** Settings that determine what is indexed. They may change at any time. */
import { defaultScanSettings, type ScanSettings } from "#git/discover";
import { defaultRevisionSettings, type RevisionSettings } from "#git/refs/revisions";
import { type ContentSettings, defaultContentSettings } from "#shard/format/skipReason";

/** Settings that determine which revisions and files of a repository are indexed. */
export interface IndexSettings extends RevisionSettings, ContentSettings {}

/** Settings that also determine which repositories are indexed. */
export interface SyncSettings extends IndexSettings, ScanSettings {
  /** Whether packages that lock files name are indexed. */
  readonly dependencies: boolean;
  /** Limit of the disk space of the index. Absent: none. */
  readonly maxIndexBytes?: number;
}

export const defaultSyncSettings: SyncSettings = {
  ...defaultRevisionSettings,
  ...defaultContentSettings,
  ...defaultScanSettings,
  dependencies: true,
};

/** Whether two settings lead to the same index of every repository. */
export function haveSameIndexSettings(left: IndexSettings, right: IndexSettings): boolean {
  const parts = ({ branches, remoteBranches = [], tags, newestTags, ...rest }: IndexSettings) =>
    JSON.stringify([branches, remoteBranches, tags, newestTags, contentFingerprint(rest)]);
  return parts(left) === parts(right);
}

/** Whether scans find the same repositories with two settings. */
export function haveSameScanSettings(left: ScanSettings, right: ScanSettings): boolean {
  const parts = ({ scanDepth, exclude, submodules }: ScanSettings) =>
    JSON.stringify([scanDepth, exclude, submodules]);
  return parts(left) === parts(right);
}

/** Returns a text that identifies the settings that affect the content of shards; `""` for the defaults. */
export function contentFingerprint({ maxFileBytes, indexExclude }: ContentSettings): string {
  const isDefault = maxFileBytes === defaultContentSettings.maxFileBytes && indexExclude.length === 0;
  return isDefault ? "" : JSON.stringify([maxFileBytes, indexExclude]);
}
