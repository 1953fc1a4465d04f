/** When the extension began to load. The file's name sorts it before all other imports. */
export const activationStart = performance.now();
