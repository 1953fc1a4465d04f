/** Checks the names that ssh gets, which could otherwise be options or be expanded. */

const userPattern = /^[A-Za-z0-9_][\w.@+-]{0,200}$/;
const hostPattern = /^(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])$/;
/** Characters that ssh expands in the names of files, also in quotation marks. */
const expandedCharacters = /["%$\\\p{Cc}]|^~/u;

/** Whether the user and host of an `ssh:` URL are names, rather than options of ssh, and there is no password. */
export function isSshUrl(url: URL): boolean {
  const { protocol, username, password, hostname, search, hash } = url;
  if (protocol !== "ssh:" || password + search + hash !== "") return false;
  return (username === "" || userPattern.test(username)) && hostPattern.test(hostname);
}

/** Whether ssh takes the name of a file as it is. */
export function isSshFile(file: string): boolean {
  return !expandedCharacters.test(file);
}

/** Returns an address of an SSH server as a URL without slashes at the end, also for `user@host:path`. */
export function sshAddress(written: string): string | undefined {
  const [, userAndHost, path] = /^([^/:@]+@[^/:@]+):(?!\/\/)\/?(.*)$/.exec(written) ?? [];
  const text = userAndHost === undefined ? written : `ssh://${userAndHost}/${path}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isSshUrl(url)) return undefined;
  // Only for some protocols, the host is lowercase already.
  return url.href.replace(url.host, url.host.toLowerCase()).replace(/\/+$/, "");
}
