/** An editor's settings over the configuration of the process. */
import { type Configuration, maxFileBytesLimit } from "#cli/configuration";
import type { EditorSettings } from "#contract/settings";
import { defaultPort } from "#platform/endpoint";

export function withSettings(configuration: Configuration, settings: EditorSettings): Configuration {
  const { newestTags, maxFileBytes, indexExclude, scanDepth, exclude, submodules, threads } = settings;
  const { maxGitProcesses, gitTimeLimitMs } = settings;
  return {
    ...configuration,
    ...branchesOf(settings),
    ...(newestTags === undefined ? {} : { newestTags }),
    ...(maxFileBytes === undefined ? {} : { maxFileBytes: sizeOf(maxFileBytes) }),
    ...(indexExclude === undefined ? {} : { indexExclude }),
    ...(scanDepth === undefined ? {} : { scanDepth }),
    ...(exclude === undefined ? {} : { exclude }),
    ...(submodules === undefined ? {} : { submodules }),
    ...(threads === undefined || threads === 0 ? {} : { indexWorkers: threads }),
    ...(maxGitProcesses === undefined ? {} : { maxGitProcesses }),
    ...(gitTimeLimitMs === undefined ? {} : { gitTimeLimitMs }),
  };
}

/** The default revision is always indexed. */
function branchesOf({ branches }: EditorSettings): Partial<Configuration> {
  if (branches === undefined) return {};
  return {
    branches: branches === "default" ? [] : ["**"],
    remoteBranches: branches === "all" ? ["**"] : [],
  };
}

/** 0 stands for no limit but our own. */
function sizeOf(maxFileBytes: number): number {
  return maxFileBytes === 0 ? maxFileBytesLimit : Math.min(maxFileBytes, maxFileBytesLimit);
}

/** Who has not chosen a port takes the next one where the usual is taken. */
export function portWanted({ endpoint }: EditorSettings): number | undefined {
  return endpoint?.port === defaultPort ? undefined : endpoint?.port;
}
