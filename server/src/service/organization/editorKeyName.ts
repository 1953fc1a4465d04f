/** Names of the API keys of editors: that of the editor and its computer, and when it was let in, so that they differ. */

const pattern = /^(.*), \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/s;

/** `time` is in milliseconds since 1970. */
export function editorKeyName(editor: string, time: number): string {
  return `${editor}, ${new Date(time).toISOString()}`;
}

/** Returns the name of the editor; `undefined` for the name of any other key. */
export function editorOfKeyName(name: string): string | undefined {
  return pattern.exec(name)?.[1];
}
