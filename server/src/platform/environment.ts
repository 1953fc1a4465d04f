/** The only file that reads the environment. */
import * as os from "node:os";
import * as path from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the default data directory of this process. */
export function defaultDataDirectory(): string {
  return dataDirectoryFor(process.platform, process.env, homeFolder());
}

/**
 * Returns the home folder of this user. An empty or relative `$HOME`, as in some services, does not count. Containers often
 * run as a user that the system does not know; its home folder is the root folder, as container runtimes set it.
 */
export function homeFolder(): string {
  try {
    const home = os.homedir();
    return path.isAbsolute(home) ? home : os.userInfo().homedir;
  } catch {
    return path.resolve("/");
  }
}

/**
 * Returns `$XDG_DATA_HOME/trawl` (`~/.local/share/trawl`), `~/Library/Application Support/Trawl` or
 * `%LOCALAPPDATA%\Trawl`. Ignores a relative `$XDG_DATA_HOME`, as the XDG specification requires.
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

/** Returns the folder in which programs keep the configuration of their user. */
export function userConfigFolder(): string {
  return configFolderFor(process.platform, process.env, homeFolder());
}

/** Returns `$XDG_CONFIG_HOME` (`~/.config`), `~/Library/Application Support` or `%APPDATA%`. */
export function configFolderFor(platform: NodeJS.Platform, environment: Environment, home: string): string {
  if (platform === "win32") return environment["APPDATA"] || path.win32.join(home, "AppData", "Roaming");
  if (platform === "darwin") return path.posix.join(home, "Library", "Application Support");
  const given = environment["XDG_CONFIG_HOME"];
  return given && path.posix.isAbsolute(given) ? given : path.posix.join(home, ".config");
}

/** Returns the folder that a variable names; `undefined` if it is not set, or relative. */
export function folderFromEnvironment(name: string, environment = process.env): string | undefined {
  const given = environment[name];
  return given && path.isAbsolute(given) ? given : undefined;
}

/** Returns the value of the variable that a setting names. */
export function environmentVariable(
  name: string,
  environment: Environment = process.env,
): string | undefined {
  return environment[name];
}

/** Replaces a leading `~` or `~/` with the home folder. */
export function expandHome(file: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(homeFolder(), file.slice(1)) : file;
}

/**
 * Returns the part of this process's environment that child processes inherit: enough to find programs and the user's
 * settings, and to write temporary files. Omits `GIT_*`: a variable for another repository would redirect every call.
 */
export function childEnvironment(environment: Environment = process.env): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inherited.has(name.toUpperCase())) child[name] = value;
  }
  return child;
}

/** Returns the variable that lets a child process find the programs in `folder`, before those of this process. */
export function pathWith(folder: string, environment: Environment = process.env): Record<string, string> {
  // Windows spells it `Path`.
  const name = Object.keys(environment).find((each) => each.toUpperCase() === "PATH") ?? "PATH";
  return { [name]: [folder, environment[name] ?? ""].join(path.delimiter) };
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

/** Whether to print colors: only on a terminal, and unless `NO_COLOR` (https://no-color.org) or `TERM` forbids it. */
export function isColorEnabled(isTerminal: boolean, environment: Environment = process.env): boolean {
  return isTerminal && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
