/**
 * Runs every step in order, even if earlier ones fail, and passes each error to `onFailure`. For cleanup: a resource
 * that cannot be closed does not keep the others open.
 */
export async function runAll(
  steps: readonly (() => Promise<unknown> | unknown)[],
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      onFailure(error);
    }
  }
}
