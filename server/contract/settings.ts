/** What the person's editor is set to, as far as the server must know: `initializationOptions`, and again on change. */
import * as z from "zod";

/**
 * What is left out is as the process was started. Of several windows on one index those of the process that leads count,
 * but for `isTrusted`, `discovery`, `roots` and `includeUnsaved`, which are each window's own.
 *
 * The value of `initializationOptions`, and of `settings` in `workspace/didChangeConfiguration`.
 */
export const EditorSettings = z
  .object({
    /** Whether the person trusts the open folders; without that nothing in them is added to the index. */
    isTrusted: z.boolean(),
    /** `off`: open folders are not added by themselves. */
    discovery: z.enum(["off", "workspace", "siblings"]),
    /** Absolute paths that are added as well. */
    roots: z.array(z.string()),
    /** Folders between a root and a clone, at most. */
    scanDepth: z.int().min(0).max(32),
    /** Globs of folders in which no repository is looked for. */
    exclude: z.array(z.string()),
    submodules: z.boolean(),
    /** Besides the default revision: none, all local ones, or those of remotes, too. */
    branches: z.enum(["default", "local", "all"]),
    newestTags: z.int().min(0),
    /** Larger documents are found by name only. 0: no limit but the index's own. */
    maxFileBytes: z.int().min(0),
    /** Globs of documents that are not indexed. */
    indexExclude: z.array(z.string()),
    /** 0: as many as the machine suggests. */
    threads: z.int().min(0).max(64),
    /** Whether searches see unsaved text. */
    includeUnsaved: z.boolean(),
    /** Git processes that answer about files and history at once, for all windows together. */
    maxGitProcesses: z.int().min(1).max(64),
    /** For each of them. */
    gitTimeLimitMs: z.int().min(1).max(600_000),
    endpoint: z.object({
      isEnabled: z.boolean(),
      port: z.int().min(0).max(65_535),
      allowedOrigins: z.array(z.string()),
    }),
  })
  .partial();
export type EditorSettings = z.infer<typeof EditorSettings>;
