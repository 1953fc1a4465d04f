/**
 * What the person decided: flags over the configuration file over defaults.
 *
 * The file is JSON with comments. Its paths are relative to its own folder, those of flags to the current one.
 */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { isSafeAddress } from "#access/addresses";
import { nearestNames } from "#base/nearest";
import { type CodeHostType, codeHostTypes } from "#model/repository";
import { type Flags, usage } from "./flags";

export interface Configuration {
  readonly host: string;
  /** Absent: the default port, or the next free one. 0: any. */
  readonly port?: number;
  /** Absolute. */
  readonly dataDir: string;
  /** Absent: on exactly while only this computer can connect. */
  readonly anonymous?: boolean;
  readonly publicUrl?: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Absolute; those of the file before those of the command line. */
  readonly paths: readonly string[];
  /** Name of a `context:` to patterns of repository names. */
  readonly contexts: Readonly<Record<string, readonly string[]>>;
  /** Host name to the kind of code host that it is. */
  readonly hosts: Readonly<Record<string, CodeHostType>>;
  /** Globs of short names, and how many tags at most, the newest first. */
  readonly branches: readonly string[];
  readonly remoteBranches: readonly string[];
  readonly tags: readonly string[];
  readonly newestTags: number;
  /** Larger documents are found by name only; so are those that match a pattern. */
  readonly maxFileBytes: number;
  readonly indexExclude: readonly string[];
  /** Where repositories are looked for below a PATH. */
  readonly scanDepth: number;
  readonly exclude: readonly string[];
  readonly submodules: boolean;
  readonly timeLimitMs?: number;
  /** Git processes that answer questions about files and history at once, and the time limit of each. */
  readonly maxGitProcesses?: number;
  readonly gitTimeLimitMs?: number;
  /** Public keys of makers whose licences count besides that of the build's own. */
  readonly licenseMakers: readonly string[];
  /** Address of the PostgreSQL that holds people, keys and audit records; absent: a file in the data folder does. */
  readonly database?: string;
  /** How long audit records are kept. */
  readonly auditDays: number;
  /** Absent: API keys alone are accepted. */
  readonly oauth?: {
    readonly issuer: string;
    readonly audience: string;
    readonly createsMembers: boolean;
  };
  /** Absent: as many as the machine suggests. */
  readonly searchWorkers?: number;
  readonly indexWorkers?: number;
}

/** A document has to fit into a shard with others. */
export const maxFileBytesLimit = 32 * 1024 * 1024;

const workerCount = z.int().min(1).max(64);
const globs = z.array(z.string().min(1));

const ConfigurationFile = z
  .strictObject({
    host: z.string().min(1),
    port: z.int().min(0).max(65_535),
    dataDir: z.string().min(1),
    anonymous: z.boolean(),
    publicUrl: z.string(),
    allowedHosts: z.array(z.string()),
    allowedOrigins: z.array(z.string()),
    paths: z.array(z.string().min(1)),
    contexts: z.record(z.string().min(1), z.array(z.string().min(1))),
    hosts: z.record(z.string().min(1), z.enum(codeHostTypes)),
    branches: globs,
    remoteBranches: globs,
    tags: globs,
    newestTags: z.int().min(0).max(100_000),
    maxFileBytes: z.int().min(1).max(maxFileBytesLimit),
    indexExclude: globs,
    scanDepth: z.int().min(0).max(32),
    exclude: globs,
    submodules: z.boolean(),
    timeLimitMs: z.int().min(1).max(600_000),
    maxGitProcesses: z.int().min(1).max(64),
    gitTimeLimitMs: z.int().min(1).max(600_000),
    database: z.string(),
    auditDays: z.int().min(1).max(36_500),
    licenseMakers: z.array(z.string()),
    oauth: z.strictObject({
      issuer: z.string(),
      audience: z.string().min(1),
      createsMembers: z.boolean().default(false),
    }),
    searchWorkers: workerCount,
    indexWorkers: workerCount,
  })
  .partial();

type FromFile = z.infer<typeof ConfigurationFile>;

/** Throws `USAGE` for whatever in flags or file cannot be meant. */
export function readConfiguration(
  flags: Flags,
  currentFolder: string,
  defaultDataDir: string,
): Configuration {
  const given = flags.text("config");
  const file = given === undefined ? undefined : absolutePath(given, currentFolder);
  const settings: FromFile = file === undefined ? {} : parseConfiguration(readText(file), file);
  if (file !== undefined && settings.licenseMakers !== undefined) checkOperatorsOwn(file, "licenseMakers");
  const folder = file === undefined ? currentFolder : dirname(file);
  const dataDir = flags.text("data-dir");
  const anonymous = flags.choice("anonymous", ["on", "off"]);
  const publicUrl = flags.text("public-url") ?? settings.publicUrl;
  const database = flags.text("database") ?? settings.database;
  return {
    host: flags.text("host") ?? settings.host ?? "127.0.0.1",
    ...present("port", flags.integer("port", 0, 65_535) ?? settings.port),
    dataDir:
      dataDir !== undefined
        ? absolutePath(dataDir, currentFolder)
        : settings.dataDir !== undefined
          ? absolutePath(settings.dataDir, folder)
          : defaultDataDir,
    ...present("anonymous", anonymous === undefined ? settings.anonymous : anonymous === "on"),
    ...present("publicUrl", publicUrl === undefined ? undefined : checkedUrl("public-url", publicUrl)),
    allowedHosts: [...(flags.texts("allowed-host") ?? settings.allowedHosts ?? [])].map(checkedHost),
    allowedOrigins: [...(flags.texts("allowed-origin") ?? settings.allowedOrigins ?? [])].map(checkedOrigin),
    paths: (settings.paths ?? []).map((path) => absolutePath(path, folder)),
    contexts: settings.contexts ?? {},
    hosts: lowerCased(settings.hosts ?? {}),
    branches: settings.branches ?? ["**"],
    remoteBranches: settings.remoteBranches ?? [],
    tags: settings.tags ?? ["**"],
    newestTags: settings.newestTags ?? 20,
    maxFileBytes: settings.maxFileBytes ?? 2 * 1024 * 1024,
    indexExclude: settings.indexExclude ?? [],
    scanDepth: settings.scanDepth ?? 4,
    exclude: settings.exclude ?? [],
    submodules: settings.submodules ?? true,
    ...present("timeLimitMs", settings.timeLimitMs),
    ...present("maxGitProcesses", settings.maxGitProcesses),
    ...present("gitTimeLimitMs", settings.gitTimeLimitMs),
    ...present("database", database === undefined ? undefined : checkedDatabase(database)),
    auditDays: settings.auditDays ?? 180,
    licenseMakers: settings.licenseMakers ?? [],
    ...present("oauth", settings.oauth === undefined ? undefined : checkedOAuth(settings.oauth)),
    ...present("searchWorkers", settings.searchWorkers),
    ...present("indexWorkers", settings.indexWorkers),
  };
}

/** The settings that `text` holds; `name` is what errors call it. */
function parseConfiguration(text: string, name: string): FromFile {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  const [wrong] = errors;
  if (wrong !== undefined) {
    const before = text.slice(0, wrong.offset).split("\n");
    const place = `${name}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
    throw usage(`${place}: ${printParseErrorCode(wrong.error)}.`);
  }
  const result = ConfigurationFile.safeParse(value);
  if (result.success) return result.data;
  throw usage(result.error.issues.map((issue) => `${name}: ${sentence(issue)}`).join("\n"));
}

function sentence(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys") return `${place === "" ? "the file" : place}: ${issue.message}.`;
  return issue.keys
    .map((key) => {
      const [near] = nearestNames(key, Object.keys(ConfigurationFile.shape));
      return `There is no setting "${key}".${near === undefined ? "" : ` Did you mean "${near}"?`}`;
    })
    .join(" ");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw usage(
      `Cannot read the configuration ${file}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

/** A property only where there is a value. */
function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}

/** What only the operator may decide must stand where nobody else can write. */
function checkOperatorsOwn(file: string, setting: string): void {
  if (process.getuid === undefined) return;
  const { uid, mode } = statSync(file);
  if ((uid === process.getuid() || uid === 0) && (mode & 0o022) === 0) return;
  throw usage(`${file} has "${setting}", but others can write to it: chmod go-w.`);
}

function checkedOAuth(oauth: NonNullable<FromFile["oauth"]>): NonNullable<FromFile["oauth"]> {
  if (isSafeAddress(oauth.issuer)) return oauth;
  throw usage(`oauth.issuer takes an address that begins with https://, not "${oauth.issuer}".`);
}

function checkedUrl(flag: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usage(`--${flag} takes an address such as https://search.example.com, not "${text}".`);
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "") {
    throw usage(`--${flag} takes an address without user, query and fragment, not "${text}".`);
  }
  return url.href.replace(/\/+$/, "");
}

/** Says nothing of the address, which may hold a password. */
function checkedDatabase(text: string): string {
  if (/^postgres(ql)?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw usage("--database takes the address of a PostgreSQL such as postgres://trawl@db.example.com/trawl.");
}

function checkedHost(text: string): string {
  if (/^[\w.-]+(:\d+)?$|^\[[\da-fA-F:.]+\](:\d+)?$/.test(text)) return text.toLowerCase();
  throw usage(`--allowed-host takes a host name such as search.example.com, not "${text}".`);
}

function checkedOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin !== "null" && text.replace(/\/$/, "").toLowerCase() === origin) return origin;
  throw usage(`--allowed-origin takes an origin such as https://example.com, not "${text}".`);
}

function lowerCased<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
}

/** `path` seen from `folder`; a leading `~/` that no shell has replaced is the home folder. */
export function absolutePath(path: string, folder: string): string {
  if (path === "~" || path.startsWith("~/")) return resolve(homedir(), path.slice(2));
  return resolve(folder, path);
}
