/** What an editor sends in addition to LSP: its settings, which may change, and options of its LSP client. */
import * as z from "zod";

/**
 * Fields of `initializationOptions`, and of `settings` in `workspace/didChangeConfiguration`. The latter take
 * precedence, and both take precedence over the command line. If several windows share an index, the settings of the
 * leader's window apply, except `isTrusted`, `discovery`, `roots` and `includeUnsaved`, which apply to each window
 * alone.
 */
export const EditorSettings = z
  .object({
    /** Whether the user trusts the open folders. Untrusted folders are not indexed. */
    isTrusted: z.boolean(),
    /** Whether open folders are added automatically: not if `off`. Only the client distinguishes the other two. */
    discovery: z.enum(["off", "workspace", "siblings"]),
    /** Additional absolute paths to index. A leading `~/` is the home folder. */
    roots: z.array(z.string()),
    /** How many levels below a root are scanned for repositories. */
    scanDepth: z.int().min(0).max(32),
    /** Globs of folders that are not scanned for repositories. */
    exclude: z.array(z.string()),
    /** Whether submodules are indexed as repositories of their own. */
    submodules: z.boolean(),
    /** Whether packages that lock files name are indexed. */
    dependencies: z.boolean(),
    /** Branches to index in addition to the default revision: none, all local ones, or also remote ones. */
    branches: z.enum(["default", "local", "all"]),
    /** How many tags to index, newest first. */
    newestTags: z.int().min(0),
    /** Size in bytes above which documents are found only by name. 0: only the built-in limit applies. */
    maxFileBytes: z.int().min(0),
    /** Limit of the disk space of the index in bytes. 0: no limit. */
    maxIndexBytes: z.int().min(0),
    /** Globs of documents that are found only by name. */
    indexExclude: z.array(z.string()),
    /** Number of threads. 0: chosen by the number of cores. */
    threads: z.int().min(0).max(64),
    /** Whether searches see unsaved text. */
    includeUnsaved: z.boolean(),
    /** How many git processes serve requests about files and history at once, for all windows together. */
    maxGitProcesses: z.int().min(1).max(64),
    /** Time limit of each git process, in milliseconds. */
    gitTimeLimitMs: z.int().min(1).max(600_000),
    /** The REST API on a port of this computer. */
    endpoint: z.object({
      isEnabled: z.boolean(),
      port: z.int().min(0).max(65_535),
      allowedOrigins: z.array(z.string()),
    }),
  })
  .partial();
export type EditorSettings = z.infer<typeof EditorSettings>;

/** Other fields of `initializationOptions`, which depend on what the client supports. All are optional. */
export const ClientOptions = z.object({
  /** Whether `trawl/indexing` is sent while repositories are indexed. Default: no. */
  indexingNotifications: z.boolean(),
  /** Repositories that `workspace/symbol` covers: all (the default), or those that are not open. */
  workspaceSymbols: z.enum(["all", "otherRepositories"]),
  /**
   * URIs of files that are in no working tree: those of bare repositories and of other revisions. `trawl`: `trawl:`
   * URIs, which the client opens itself with `trawl/source`. `file`: read-only copies. Default: `trawl` if the client
   * has the capability `workspace.textDocumentContent`, otherwise `file`.
   */
  snapshotUris: z.enum(["file", "trawl"]),
});
export type ClientOptions = z.infer<typeof ClientOptions>;
