import { checkGitVersion } from "#git/git";

let gitChecked: Promise<unknown> | undefined;

/** Does the slow parts of becoming the leader in advance: checks the version of git and loads the HTTP listener. */
export async function prepareToLead(): Promise<void> {
  gitChecked ??= checkGitVersion();
  gitChecked.catch(() => {
    gitChecked = undefined;
  });
  await Promise.all([gitChecked, import("#transport/http/listener")]);
}
