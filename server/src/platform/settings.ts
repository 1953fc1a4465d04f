/** The only file that reads the environment. What it finds is given to others as values. */
import * as os from "node:os";
import * as path from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where Trawl keeps its index unless told otherwise, for this process. */
export function defaultDataDirectory(): string {
  return dataDirectoryFor(process.platform, process.env, os.homedir());
}

/**
 * `$XDG_DATA_HOME/trawl` (`~/.local/share/trawl`), `~/Library/Application Support/Trawl` or
 * `%LOCALAPPDATA%\Trawl`. A relative `$XDG_DATA_HOME` does not count, as the XDG standard says.
 */
export function dataDirectoryFor(platform: NodeJS.Platform, environment: Environment, home: string): string {
  if (platform === "win32") {
    const local = environment["LOCALAPPDATA"] || path.win32.join(home, "AppData", "Local");
    return path.win32.join(local, "Trawl");
  }
  if (platform === "darwin") return path.posix.join(home, "Library", "Application Support", "Trawl");
  const given = environment["XDG_DATA_HOME"];
  const base = given && path.posix.isAbsolute(given) ? given : path.posix.join(home, ".local", "share");
  return path.posix.join(base, "trawl");
}

/**
 * What a child process gets of our environment: enough to be found, to find its user's settings and to write
 * temporary files. Nothing of `GIT_*`: a variable meant for another repository would redirect every call.
 */
export function childEnvironment(environment: Environment = process.env): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inherited.has(name.toUpperCase())) child[name] = value;
  }
  return child;
}

const inherited = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CONFIG_HOME",
  "LD_LIBRARY_PATH",
  // Windows programs do not start without the first three.
  "SYSTEMROOT",
  "WINDIR",
  "PATHEXT",
  "COMSPEC",
  "SYSTEMDRIVE",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
]);

/** True unless the person or the terminal asked for plain text (https://no-color.org). */
export function coloursWanted(isTerminal: boolean, environment: Environment = process.env): boolean {
  return isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
