/** What the steps of "Add Code Host..." ask for each type of host. Pure: does not use VS Code. */

/** A field of `include` in the settings of a connection. */
export interface ScopeKind {
  readonly field: string;
  readonly kind:
    | "all"
    | "groups"
    | "manifest"
    | "organizations"
    | "projects"
    | "repositories"
    | "users"
    | "workspaces";
  /** An example of a name; absent if there is nothing to name. */
  readonly example?: string;
  /** Whether the field is one text instead of a list. */
  readonly isSingle?: true;
}

export interface HostType {
  readonly type: string;
  readonly brand: string;
  readonly icon: string;
  /** The suggested address; absent if the type has only one host. */
  readonly address?: string;
  /** Whether a token needs a user name. */
  readonly needsUser?: true;
  readonly scopes: readonly ScopeKind[];
}

const all: ScopeKind = { field: "all", kind: "all" };
const repository = (example: string): ScopeKind => ({ field: "repos", kind: "repositories", example });
const organizations: ScopeKind = { field: "orgs", kind: "organizations", example: "acme" };
const users: ScopeKind = { field: "users", kind: "users", example: "octocat" };

export const hostTypes: readonly HostType[] = [
  {
    type: "github",
    brand: "GitHub",
    icon: "github",
    address: "https://github.com",
    scopes: [organizations, users, repository("acme/shop")],
  },
  {
    type: "gitlab",
    brand: "GitLab",
    icon: "server",
    address: "https://gitlab.com",
    scopes: [
      { field: "groups", kind: "groups", example: "acme/backend" },
      users,
      { field: "repos", kind: "projects", example: "acme/backend/shop" },
      all,
    ],
  },
  {
    type: "gitea",
    brand: "Gitea or Forgejo",
    icon: "server",
    address: "https://",
    scopes: [organizations, users, repository("acme/shop"), all],
  },
  {
    type: "bitbucketCloud",
    brand: "Bitbucket Cloud",
    icon: "server",
    scopes: [
      { field: "workspaces", kind: "workspaces", example: "acme" },
      { field: "projects", kind: "projects", example: "acme/SHOP" },
      repository("acme/shop"),
    ],
  },
  {
    type: "bitbucketServer",
    brand: "Bitbucket Data Center",
    icon: "server",
    address: "https://",
    scopes: [{ field: "projects", kind: "projects", example: "SHOP" }, repository("SHOP/web"), all],
  },
  {
    type: "azuredevops",
    brand: "Azure DevOps",
    icon: "azure-devops",
    address: "https://dev.azure.com",
    scopes: [
      organizations,
      { field: "projects", kind: "projects", example: "acme/shop" },
      repository("acme/shop/web"),
    ],
  },
  {
    type: "gerrit",
    brand: "Gerrit",
    icon: "git-pull-request",
    address: "https://",
    needsUser: true,
    scopes: [all, { field: "repos", kind: "projects", example: "platform/build" }],
  },
  {
    type: "genericGitHost",
    brand: "Other Git Server",
    icon: "globe",
    address: "https://",
    needsUser: true,
    scopes: [
      { field: "repos", kind: "repositories", example: "acme/shop.git" },
      { field: "manifest", kind: "manifest", example: "manifest.js.gz", isSingle: true },
    ],
  },
];

/** Providers of VS Code's accounts, and the names of their tokens in connections. */
export const sessionProviders = ["github", "github-enterprise"] as const;
export type SessionProvider = (typeof sessionProviders)[number];

export function isSessionProvider(name: string): name is SessionProvider {
  return (sessionProviders as readonly string[]).includes(name);
}

export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "session"; readonly provider: SessionProvider }
  | { readonly kind: "secret"; readonly token: string; readonly user?: string }
  | { readonly kind: "env" | "file"; readonly name: string; readonly user?: string };

/** The answers to the steps. */
export interface HostAnswers {
  readonly host: HostType;
  readonly address?: string;
  readonly credentials: Credentials;
  readonly scope: ScopeKind;
  readonly names: readonly string[];
}

/** Returns the settings of the connection, as its file has them. `tokenName`: the name of a token that VS Code keeps. */
export function settingsOf(
  { host, address, credentials, scope, names }: HostAnswers,
  tokenName: string,
): Record<string, unknown> {
  const value = scope.example === undefined ? true : scope.isSingle ? names[0] : names;
  return {
    type: host.type,
    ...(address === undefined ? {} : { url: address }),
    ...(address?.startsWith("http:") ? { allowHttp: true } : {}),
    ...credentialSettings(credentials, tokenName),
    include: { [scope.field]: value },
  };
}

function credentialSettings(credentials: Credentials, tokenName: string): Record<string, unknown> {
  if (credentials.kind === "none") return {};
  if (credentials.kind === "session") return { token: { editor: credentials.provider } };
  return {
    ...(credentials.user === undefined ? {} : { user: credentials.user }),
    token: credentials.kind === "secret" ? { editor: tokenName } : { [credentials.kind]: credentials.name },
  };
}

/** Returns a name for a connection to a host: that of the host, and a number if it is taken. */
export function connectionName(address: string, taken: readonly string[]): string {
  const base = new URL(address).host
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|-+$/g, "")
    .slice(0, 55);
  const isFree = (name: string) => !taken.includes(name);
  for (let number = 1; ; number++) {
    const name = number === 1 ? base || "host" : `${base || "host"}-${number}`;
    if (isFree(name)) return name;
  }
}

/** Splits what a person types: names separated by commas, whitespace or lines. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).map((name) => name.replace(/^\/+|\/+$/g, "")))].filter(Boolean);
}

/** Returns why an address cannot be used; `undefined` if it can. */
export function addressProblem(text: string): "invalid" | "credentials" | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "") return "invalid";
  if (url.username + url.password !== "") return "credentials";
  return url.search + url.hash === "" ? undefined : "invalid";
}
