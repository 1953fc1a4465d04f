import type { Files } from "#platform/files";

/**
 * Removes a file that is not referenced. If that fails (on Windows, while a worker has it open), it stays until the
 * directory is next opened. Callers have either succeeded already or have a more useful error to report.
 */
export function removeStrayFile(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // Retried at the next start.
  }
}
