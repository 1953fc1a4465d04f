/** Finds out which repository a package is built from. */
import { spawnSync } from "node:child_process";

/**
 * Returns the web address of the repository: that of the CI run, or `origin` of the checkout in `root`. Undefined if it is
 * not on GitHub or GitLab, because the links of others cannot be rewritten.
 */
export function repositoryUrl(root) {
  return webAddress(process.env) ?? webAddress({ origin: originUrl(root) });
}

function webAddress({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, origin }) {
  const url = server && name ? `${server}/${name}` : (origin ?? "");
  const parts =
    /^(?:https?:\/\/|ssh:\/\/|git@)(?:[^@/]*@)?(github\.com|gitlab\.com)[:/](.+?)(?:\.git)?\/?$/.exec(url);
  return parts === null ? undefined : `https://${parts[1]}/${parts[2]}`;
}

function originUrl(root) {
  const words = ["config", "--get", "remote.origin.url"];
  return spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout?.trim() ?? "";
}
