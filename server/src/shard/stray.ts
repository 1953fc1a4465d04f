import type { Files } from "#platform/files";

/**
 * Removes a file that nobody names. Where that fails (Windows keeps what a worker has open), it stays until the
 * directory is opened the next time: who removes strays has either succeeded already or a better error to tell.
 */
export function removeStray(files: Files, path: string): void {
  try {
    files.remove(path);
  } catch {
    // The next start tries again.
  }
}
