/** Applies an editor's settings over the configuration of the process. */

import type { EditorSettings } from "#contract/editorOptions";
import { defaultPort } from "#platform/endpoint";
import { type Configuration, maxFileBytesLimit } from "./configuration";

export function withEditorSettings(configuration: Configuration, settings: EditorSettings): Configuration {
  const { newestTags, maxFileBytes, indexExclude, scanDepth, exclude, submodules, dependencies, threads } =
    settings;
  const { maxGitProcesses, gitTimeLimitMs, maxIndexBytes } = settings;
  const { maxIndexBytes: _, ...unlimited } = configuration;
  return {
    // 0 means no limit.
    ...(maxIndexBytes === 0 ? unlimited : configuration),
    ...branchesOf(settings),
    ...(newestTags === undefined ? {} : { newestTags }),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes: maxBytesOf(maxFileBytes) }),
    ...(maxIndexBytes === undefined || maxIndexBytes === 0 ? {} : { maxIndexBytes }),
    ...(indexExclude === undefined ? {} : { indexExclude }),
    ...(scanDepth === undefined ? {} : { scanDepth }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(submodules === undefined ? {} : { submodules }),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(threads === undefined || threads === 0 ? {} : { indexWorkers: threads }),
    ...(maxGitProcesses === undefined ? {} : { maxGitProcesses }),
    ...(gitTimeLimitMs === undefined ? {} : { gitTimeLimitMs }),
  };
}

/** The default revision is indexed in any case. */
function branchesOf({ branches }: EditorSettings): Partial<Configuration> {
  if (branches === undefined) return {};
  return {
    branches: branches === "default" ? [] : ["**"],
    remoteBranches: branches === "all" ? ["**"] : [],
  };
}

/** 0 means that only the built-in limit applies. */
function maxBytesOf(maxFileBytes: number): number {
  return maxFileBytes === 0 ? maxFileBytesLimit : Math.min(maxFileBytes, maxFileBytesLimit);
}

/** Returns `undefined` for the default port, so that the next free one is used if it is taken. */
export function requestedPort({ endpoint }: EditorSettings): number | undefined {
  return endpoint?.port === defaultPort ? undefined : endpoint?.port;
}
