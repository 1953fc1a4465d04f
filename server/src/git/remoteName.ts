/** Derives a repository's name from the URL that it was cloned from, as in its own configuration file. */
import type { CodeHostType } from "#model/repository";
import { configValue, type GitConfig } from "./config";

export interface RemoteName {
  /** Host and path, without scheme, credentials and `.git`: `github.com/o/r`. */
  readonly name: string;
  readonly codeHostType: CodeHostType;
  /** The repository's web page, if the host type is known. Never contains credentials. */
  readonly hostUrl?: string;
}

/** Returns the URL of `origin`, or of the only remote. */
export function originUrl(config: GitConfig): string | undefined {
  const origin = configValue(config, "remote.origin.url");
  if (origin !== undefined) return origin;
  const remotes = [...config.keys()].filter((key) => key.startsWith("remote.") && key.endsWith(".url"));
  const [only] = remotes;
  return only !== undefined && remotes.length === 1 ? configValue(config, only) : undefined;
}

/**
 * Derives a name from the URL of a remote. `hosts` adds the types of self-hosted code hosts. Returns `undefined` for a
 * URL without a host: a local path, `file:`, or the address of a remote helper.
 */
export function remoteName(
  url: string,
  hosts: Readonly<Record<string, CodeHostType>> = {},
): RemoteName | undefined {
  const address = parseAddress(url);
  if (!address) return undefined;
  const { scheme, host, port, path } = azureAddress(address);
  const isWeb = scheme === "https" || scheme === "http";
  const webHost = isWeb && port !== undefined ? `${host}:${port}` : host;
  const codeHostType = hosts[webHost] ?? hosts[host] ?? wellKnownHostType(host);
  const name = `${webHost}/${path}`;
  if (codeHostType === "genericGitHost") return { name, codeHostType };
  const page = path.split("/").map(encodeURIComponent).join("/");
  return { name, codeHostType, hostUrl: `${scheme === "http" ? "http" : "https"}://${webHost}/${page}` };
}

interface Address {
  readonly scheme: string;
  readonly host: string;
  /** Absent for the scheme's default port. */
  readonly port?: string;
  readonly path: string;
}

const defaultPorts: Readonly<Record<string, string>> = { https: "443", http: "80", ssh: "22", git: "9418" };

function parseAddress(url: string): Address | undefined {
  const text = url.trim();
  if (hasControlCharacter(text)) return undefined;
  const withScheme = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/@]*@)*(\[[^\]]+\]|[^/:@]+)(?::(\d*))?(\/.*)?$/i.exec(
    text,
  );
  if (withScheme) {
    const scheme = (withScheme[1] ?? "").toLowerCase().replace(/^git\+|\+ssh$/g, "");
    if (!(scheme in defaultPorts)) return undefined;
    const path = cleanPath(decoded(withScheme[4] ?? ""));
    const host = (withScheme[2] ?? "").toLowerCase();
    const port = withScheme[3];
    if (path === undefined) return undefined;
    return port && port !== defaultPorts[scheme] ? { scheme, host, port, path } : { scheme, host, path };
  }
  // `host:path`, but neither `C:\path` nor `helper::address`.
  const short = /^(?:[^@/]*@)?(\[[^\]]+\]|[^/:@\\]{2,}):(?!:|\/\/)(.+)$/.exec(text);
  const path = cleanPath(short?.[2] ?? "");
  return short && path !== undefined
    ? { scheme: "ssh", host: (short[1] ?? "").toLowerCase(), path }
    : undefined;
}

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns `undefined` for a path that is empty or contains `..`. */
function cleanPath(path: string): string | undefined {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..") || hasControlCharacter(path)) return undefined;
  const clean = segments.join("/").replace(/\.git$/, "");
  return clean === "" ? undefined : clean;
}

/** Converts Azure's SSH address of a repository to its web address. */
function azureAddress(address: Address): Address {
  const match = /^v3\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(address.path);
  if (!match || !/^(?:ssh\.dev\.azure\.com|vs-ssh\.visualstudio\.com)$/.test(address.host)) return address;
  return { scheme: "https", host: "dev.azure.com", path: `${match[1]}/${match[2]}/_git/${match[3]}` };
}

function wellKnownHostType(host: string): CodeHostType {
  const known = hostTypes[host];
  if (known) return known;
  if (host.endsWith(".visualstudio.com")) return "azuredevops";
  if (host.endsWith(".googlesource.com")) return "gerrit";
  return "genericGitHost";
}

const hostTypes: Readonly<Record<string, CodeHostType>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "bitbucket.org": "bitbucketCloud",
  "dev.azure.com": "azuredevops",
  "codeberg.org": "gitea",
  "gitea.com": "gitea",
};
