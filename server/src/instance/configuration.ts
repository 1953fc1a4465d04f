/** The configuration of an instance: its fields, the configuration file, and the defaults. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { isServiceError, usageError } from "#base/error";
import { nearestNames } from "#base/nearestNames";
import { RepositoryRules } from "#contract/access";
import type { ZoektSettings } from "#engine/zoekt/zoektSettings";
import type { Connection } from "#hosts/connection";
import { parseConnections } from "#hosts/parseConnections";
import { type CodeHostType, codeHostTypes } from "#model/repository";
import { describeIssue, formatValue, isPlainObject } from "#service/describeIssue";
import type { OAuthSettings } from "./accessControl";
import {
  checkRights,
  checkRole,
  type GitServerAddress,
  type GitServerSettings,
  type ProcessRoleName,
  parseGitServer,
  parseGitServers,
  processRoles,
} from "./clusterRoles";
import { absolutePath, fieldIfDefined, parseUrl, rejectedValueSuffix } from "./settingValues";
import {
  checkNotWritableByOthers,
  checkOAuth,
  checkTeam,
  OAuthFile,
  type TeamSettings,
} from "./trustedSettings";
import { checkZoekt, ZoektFile } from "./zoektConfiguration";

export interface Configuration {
  /** What this process is in a cluster. */
  readonly role: ProcessRoleName;
  readonly host: string;
  /** Absent: the default port, or the next free one. 0: any. */
  readonly port?: number;
  /** Absolute path of the data directory. */
  readonly dataDir: string;
  /** Absent: on if only this computer can connect. */
  readonly anonymous?: boolean;
  /** Which repositories each caller may see. Absent: everyone who is admitted sees all. */
  readonly repositoryRules?: RepositoryRules;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Absolute paths to index: those of the configuration file, then those of the command line. */
  readonly paths: readonly string[];
  /** Maps the name of a `context:` to patterns of repository names. */
  readonly contexts: Readonly<Record<string, readonly string[]>>;
  /** Maps a lowercase host name to the type of its code host. */
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  /** Connections to code hosts, by name. */
  readonly connections: Readonly<Record<string, Connection>>;
  /** Globs of the branches to index, by short name. The same applies to remote branches and tags. */
  readonly branches: readonly string[];
  readonly remoteBranches: readonly string[];
  readonly tags: readonly string[];
  /** How many of the matching tags are indexed, newest first. */
  readonly newestTags: number;
  /** Larger documents are found by name only. */
  readonly maxFileBytes: number;
  /** Limit of the disk space of the index. Absent: none. */
  readonly maxIndexBytes?: number;
  /** See `MemoryLimit`. Absent: none. */
  readonly maxMemoryBytes?: number;
  /** Globs of documents that are found by name only. */
  readonly indexExclude: readonly string[];
  /** How many levels below a path to scan for repositories. */
  readonly scanDepth: number;
  /** Globs of folders that are not scanned for repositories. */
  readonly exclude: readonly string[];
  readonly submodules: boolean;
  /** Whether packages that lock files name are indexed. */
  readonly dependencies: boolean;
  /** Time limit of a request, unless it is about files and history. */
  readonly timeLimitMs?: number;
  /** How many git processes may serve requests about files and history at once. */
  readonly maxGitProcesses?: number;
  /** Time limit of a request about files and history. */
  readonly gitTimeLimitMs?: number;
  /** Public keys whose licenses are accepted, in addition to the build's own key. */
  readonly licenseMakers: readonly string[];
  /** PostgreSQL URL of the database of members, keys and audit records. Absent: a file in the data directory. */
  readonly database?: string;
  /** How long audit records are kept. */
  readonly auditDays: number;
  /** Absent: only API keys are accepted. */
  readonly oauth?: OAuthSettings;
  /** The team's server that the command line and editors of this process also ask. Absent: none. */
  readonly team?: TeamSettings;
  /** Absent: by the number of cores. */
  readonly searchWorkers?: number;
  readonly indexWorkers?: number;
  /** Zoekt nodes that search git repositories. Absent: Trawl's own index contains them. */
  readonly zoekt?: ZoektSettings;
  /** The internal port of a git server. Used only in that role. */
  readonly gitServer?: GitServerSettings;
  /** The git servers of a frontend. Used only in that role. */
  readonly gitServers?: readonly GitServerAddress[];
  /** Absent without a configuration file. */
  readonly source?: ConfigurationSource;
}

/** A configuration file, and the settings that were read from it. */
export interface ConfigurationSource {
  /** Absolute path. */
  readonly file: string;
  readonly settings: Settings;
}

/** The largest allowed `maxFileBytes`. Several documents of this size fit into a shard. */
export const maxFileBytesLimit = 32 * 1024 * 1024;

const workerCount = z.int().min(1).max(64);
const globs = z.array(z.string().min(1));

const ConfigurationFile = z
  .strictObject({
    role: z.enum(processRoles),
    host: z.string().min(1),
    port: z.int().min(0).max(65_535),
    dataDir: z.string().min(1),
    anonymous: z.boolean(),
    access: z.strictObject({ repositories: RepositoryRules }),
    publicUrl: z.string(),
    allowedHosts: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    paths: z.array(z.string().min(1)),
    contexts: z.record(z.string().min(1), z.array(z.string().min(1))),
    hosts: z.record(z.string().min(1), z.enum(codeHostTypes)),
    // `parseConnections` checks them, whose messages never contain values.
    connections: z.unknown(),
    branches: globs,
    remoteBranches: globs,
    tags: globs,
    newestTags: z.int().min(0).max(100_000),
    maxFileBytes: z.int().min(1).max(maxFileBytesLimit),
    maxIndexBytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    maxMemoryBytes: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    indexExclude: globs,
    scanDepth: z.int().min(0).max(32),
    exclude: globs,
    submodules: z.boolean(),
    dependencies: z.boolean(),
    timeLimitMs: z.int().min(1).max(600_000),
    maxGitProcesses: z.int().min(1).max(64),
    gitTimeLimitMs: z.int().min(1).max(600_000),
    database: z.string(),
    auditDays: z.int().min(1).max(36_500),
    licenseMakers: z.array(z.string()),
    oauth: OAuthFile,
    // `checkTeam` checks it, whose messages never contain a key.
    team: z.unknown(),
    searchWorkers: workerCount,
    indexWorkers: workerCount,
    engine: z.strictObject({ zoekt: ZoektFile }),
    // `clusterRoles.ts` checks them, whose messages never contain a secret.
    gitServer: z.unknown(),
    gitServers: z.unknown(),
  })
  .partial();

/** Settings as the user writes them; all are optional. */
export type Settings = Omit<z.infer<typeof ConfigurationFile>, CheckedSetting | "engine"> &
  Partial<Pick<Configuration, CheckedSetting>> & {
    readonly engine?: { readonly zoekt: ZoektSettings };
  };

/** Settings that have functions of their own to check them. */
type CheckedSetting = "connections" | "oauth" | "team" | "gitServer" | "gitServers";

/**
 * Reads a configuration file: JSON with comments. Relative paths in it are resolved against its folder.
 *
 * Throws USAGE if the file cannot be read, is malformed, has unknown or invalid settings, or sets `licenseMakers`,
 * `connections`, `team` or `access` although other users can write to it.
 */
export function readConfigurationFile(
  file: string,
  kind: "configuration" | "added" = "configuration",
  text = readText(file),
): Settings {
  const { connections, oauth, team, gitServer, gitServers, engine, ...settings } = parseConfiguration(
    text,
    file,
  );
  if (settings.licenseMakers !== undefined) checkNotWritableByOthers(file, "licenseMakers");
  // Whoever can write them could have credentials sent to another host.
  if (connections !== undefined) checkNotWritableByOthers(file, "connections");
  // Whoever can write them could open the port to others, or have the secret sent to another server.
  if (gitServer !== undefined) checkNotWritableByOthers(file, "gitServer");
  if (gitServers !== undefined) checkNotWritableByOthers(file, "gitServers");
  // It names a program.
  if (engine !== undefined) checkNotWritableByOthers(file, "engine");
  if (settings.access !== undefined) {
    checkNotWritableByOthers(file, "access");
    checkRules(file, settings.access.repositories);
  }
  const folder = dirname(file);
  const { dataDir, paths } = settings;
  return {
    ...settings,
    ...(connections === undefined ? {} : { connections: checkConnections(file, connections, kind) }),
    ...(oauth === undefined ? {} : { oauth: checkOAuth(file, oauth) }),
    ...(team === undefined ? {} : { team: checkTeam(file, team) }),
    ...(gitServer === undefined ? {} : { gitServer: parseGitServer(`${file}: "gitServer"`, gitServer) }),
    ...(gitServers === undefined ? {} : { gitServers: parseGitServers(`${file}: "gitServers"`, gitServers) }),
    ...fieldIfDefined("engine", engine && { zoekt: checkZoekt(file, engine.zoekt, folder) }),
    ...fieldIfDefined("dataDir", dataDir === undefined ? undefined : absolutePath(dataDir, folder)),
    ...fieldIfDefined(
      "paths",
      paths?.map((path) => absolutePath(path, folder)),
    ),
  };
}

/**
 * Adds the defaults to `settings`, whose paths are absolute. `nameOf` returns how to name a setting in errors: by the
 * flag or the field that the user wrote.
 *
 * Throws USAGE for an invalid URL, host or origin.
 */
export function withDefaults(
  settings: Settings,
  defaultDataDir: string,
  nameOf: (setting: keyof Settings) => string,
): Configuration {
  const { publicUrl, database, allowedHosts = [], allowedOrigins = [] } = settings;
  const { role = "all", gitServer, gitServers } = settings;
  checkRole(role, { gitServer, gitServers });
  checkRights(role, settings.connections ?? {});
  // The processes of a cluster may share one file.
  const { paths = [], connections = {} } = role === "frontend" ? {} : settings;
  return {
    role,
    host: settings.host ?? "127.0.0.1",
    ...fieldIfDefined("port", settings.port),
    dataDir: settings.dataDir ?? defaultDataDir,
    ...fieldIfDefined("anonymous", settings.anonymous),
    ...fieldIfDefined("repositoryRules", settings.access?.repositories),
    ...fieldIfDefined(
      "publicUrl",
      publicUrl === undefined ? undefined : parseUrl(nameOf("publicUrl"), publicUrl),
    ),
    allowedHosts: allowedHosts.map((host) => parseHost(nameOf("allowedHosts"), host)),
    allowedOrigins: allowedOrigins.map((origin) => parseOrigin(nameOf("allowedOrigins"), origin)),
    paths,
    contexts: settings.contexts ?? {},
    hosts: lowerCaseKeys(settings.hosts ?? {}),
    connections,
    branches: settings.branches ?? ["**"],
    remoteBranches: settings.remoteBranches ?? [],
    tags: settings.tags ?? ["**"],
    newestTags: settings.newestTags ?? 20,
    maxFileBytes: settings.maxFileBytes ?? 2 * 1024 * 1024,
    ...fieldIfDefined("maxIndexBytes", settings.maxIndexBytes),
    ...fieldIfDefined("maxMemoryBytes", settings.maxMemoryBytes),
    indexExclude: settings.indexExclude ?? [],
    scanDepth: settings.scanDepth ?? 4,
    exclude: settings.exclude ?? [],
    submodules: settings.submodules ?? true,
    dependencies: settings.dependencies ?? true,
    ...fieldIfDefined("timeLimitMs", settings.timeLimitMs),
    ...fieldIfDefined("maxGitProcesses", settings.maxGitProcesses),
    ...fieldIfDefined("gitTimeLimitMs", settings.gitTimeLimitMs),
    ...fieldIfDefined(
      "database",
      database === undefined ? undefined : parseDatabaseUrl(nameOf("database"), database),
    ),
    auditDays: settings.auditDays ?? 180,
    licenseMakers: settings.licenseMakers ?? [],
    ...fieldIfDefined("oauth", settings.oauth),
    ...fieldIfDefined("team", settings.team),
    ...fieldIfDefined("searchWorkers", settings.searchWorkers),
    ...fieldIfDefined("indexWorkers", settings.indexWorkers),
    ...fieldIfDefined("zoekt", settings.engine?.zoekt),
    ...fieldIfDefined("gitServer", gitServer),
    ...fieldIfDefined("gitServers", gitServers),
  };
}

function checkConnections(
  file: string,
  connections: unknown,
  kind: "configuration" | "added",
): Configuration["connections"] {
  try {
    const parsed = parseConnections(connections);
    const inEditor = Object.entries(parsed).find(([, { token }]) => token?.editor !== undefined);
    if (kind === "added" || inEditor === undefined) return parsed;
    throw usageError(
      `"connections.${inEditor[0]}.token" must be {"env": "NAME"} or {"file": "/path"} here: only connections that were added in an editor can use tokens that it keeps.`,
    );
  } catch (error) {
    if (!isServiceError(error, "USAGE")) throw error;
    throw usageError(error.message.replaceAll(/^/gm, `${file}: `));
  }
}

function parseConfiguration(text: string, file: string): z.infer<typeof ConfigurationFile> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const before = text.slice(0, error.offset).split("\n");
    const location = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw usageError(`${location}: ${toSentence(printParseErrorCode(error.error))}.`);
  }
  if (!isPlainObject(value))
    throw usageError(`${file}: The file must contain a JSON object, but contains ${formatValue(value)}.`);
  const result = ConfigurationFile.safeParse(value);
  if (result.success) return result.data;
  throw usageError(
    result.error.issues.map((issue) => `${file}: ${describeProblem(value, issue)}`).join("\n"),
  );
}

/** `CloseBraceExpected` -> `Close brace expected`. */
function toSentence(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function describeProblem(file: Readonly<Record<string, unknown>>, issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return describeIssue(ConfigurationFile, file, issue);
  const prefix = issue.path.map((key) => `${String(key)}.`).join("");
  return issue.keys
    .map((key) => {
      const [near] = prefix === "" ? nearestNames(key, Object.keys(ConfigurationFile.shape)) : [];
      return `Unknown setting "${prefix}${key}".${near === undefined ? "" : ` Did you mean "${near}"?`}`;
    })
    .join(" ");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw usageError(
      `Cannot read the configuration file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** Throws USAGE for a rule that grants nobody anything, because that is a mistake. */
function checkRules(file: string, rules: RepositoryRules): void {
  const index = rules.findIndex(
    ({ members, groups, roles, anonymous = false }) =>
      !anonymous && members === undefined && groups === undefined && roles === undefined,
  );
  if (index < 0) return;
  throw usageError(
    `${file}: "access.repositories[${index}]" must have "members", "groups", "roles" or "anonymous": true.`,
  );
}

/** Throws USAGE without quoting the URL, which may contain a password. */
function parseDatabaseUrl(name: string, text: string): string {
  if (/^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw usageError(`${name} must be a PostgreSQL URL such as postgres://trawl@db.example.com/trawl.`);
}

function parseHost(name: string, text: string): string {
  if (/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(text)) return text.toLowerCase();
  throw usageError(`${name} must be a host name such as search.example.com, not "${text}".`);
}

function parseOrigin(name: string, text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null" && text.replace(/\/$/, "").toLowerCase() === origin) return origin;
  throw usageError(`${name} must be an origin such as https://example.com${rejectedValueSuffix(text)}.`);
}

function lowerCaseKeys<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
}
