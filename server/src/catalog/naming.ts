/**
 * Chooses a unique name for a repository: its remote's name, otherwise the name of its folder, with as many parent
 * folders as needed (`app`, `team/app`, `work/team/app`). If the whole path is taken, appends a number.
 */
export function uniqueName(
  remoteName: string | undefined,
  path: string,
  isTaken: (name: string) => boolean,
): string {
  if (remoteName !== undefined && !isTaken(remoteName)) return remoteName;
  const folders = path.split(/[\\/]+/).filter((folder) => folder !== "");
  if (folders.length > 1 && folders.at(-1) === ".git") folders.pop();
  const last = folders.pop() ?? "";
  folders.push(last.replace(/(?<=.)\.git$/, "") || "root");
  for (let count = 1; count <= folders.length; count++) {
    const name = folders.slice(-count).join("/");
    if (!isTaken(name)) return name;
  }
  const whole = folders.join("/");
  for (let number = 2; ; number++) if (!isTaken(`${whole} ${number}`)) return `${whole} ${number}`;
}
