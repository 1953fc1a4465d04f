/** What mirroring needs of the settings of a connection. */
import type { CodeHost, HostRepository } from "#hosts/codeHost";
import type { SecretSource, SshKeySource, TokenSource } from "#hosts/connection";
import type { Secret } from "#hosts/secret";
import type { Webhook } from "#hosts/webhook";
import type { WebhookRequest } from "#hosts/webhookHint";
import type { CodeHostType } from "#model/repository";
import type { RemovalRules } from "./holding";

export interface MirrorConnection {
  readonly type: CodeHostType;
  /** Origin and path prefix of the host; absent if its type has only one. */
  readonly url?: string | undefined;
  /** Replaces the address in clone URLs. */
  readonly cloneUrlBase?: string | undefined;
  readonly allowHttp: boolean;
  readonly token?: TokenSource | undefined;
  /** The key for clone URLs that begin with `ssh:`, and the file with the keys of their hosts. */
  readonly sshKey?: SshKeySource | undefined;
  readonly knownHosts?: string | undefined;
  /** File with the certificates of authorities to trust. */
  readonly caFile?: string | undefined;
  /** Times in milliseconds. */
  readonly sync: {
    readonly listEvery: number;
    readonly fetchMin: number;
    readonly fetchMax: number;
    /** How many git processes may use the host at once. */
    readonly gitConcurrency: number;
  };
  readonly limits: {
    /** Larger repositories are not cloned. They may grow to a little more, because hosts only estimate sizes. */
    readonly oneRepositoryBytes: number;
    /** Nothing more is cloned when the mirrors of the connection have this size. */
    readonly diskBytes?: number | undefined;
  };
  /** How much of the history of new mirrors is fetched. */
  readonly history: "full" | { readonly depth: number };
  readonly onRemoved: RemovalRules;
  /** Who sees the mirrors, besides what the rules of the configuration say. */
  readonly access?: {
    /** `codeHost`: only those whom the host lets read the repository. */
    readonly visibleTo: "members" | "codeHost";
    /** Names on the host, by email address. */
    readonly logins: Readonly<Record<string, string>>;
    /** How often the host is asked, in milliseconds. */
    readonly checkEvery: number;
  };
  readonly webhook?: { readonly secret: SecretSource } | undefined;
  /** Globs of the branches and tags to index, and how many of the tags. */
  readonly revisions: {
    readonly branches: readonly string[];
    readonly tags: readonly string[];
    readonly newestTags: number;
  };
}

/** How connections reach their hosts. */
export interface HostAccess<Connection extends MirrorConnection = MirrorConnection> {
  openHost(name: string, connection: Connection): CodeHost;
  /** Splits listed repositories into those to mirror and the others. */
  selectRepositories(
    connection: Connection,
    repositories: readonly HostRepository[],
  ): {
    readonly kept: readonly HostRepository[];
    readonly excluded: readonly { readonly repository: HostRepository; readonly reason: string }[];
  };
  /** Rejects with USAGE if the secret cannot be read. */
  readSecret(source: SecretSource): Promise<Secret>;
  /** Returns `undefined` unless the webhook proves that its sender knows the secret. */
  readWebhook(
    type: CodeHostType,
    secret: Secret,
    request: WebhookRequest,
    now: number,
  ): Promise<Webhook | undefined>;
}

/** Returns the address that identifies the host of a connection, without a slash at the end. */
export function hostAddress({ url = "https://bitbucket.org" }: Pick<MirrorConnection, "url">): string {
  return new URL(url).href.replace(/\/+$/, "");
}

/** Whether the host of a connection decides who sees its repositories. */
export function isRestricted({ access }: Pick<MirrorConnection, "access">): boolean {
  return access?.visibleTo === "codeHost";
}

/** Whether credentials of the connection may be sent to a clone URL, which the host has named. */
export function mayCloneFrom(connection: MirrorConnection, cloneUrl: string): boolean {
  const allowed = [hostAddress(connection), connection.cloneUrlBase];
  return allowed.some((each) => each !== undefined && isSameOrigin(each, cloneUrl));
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(other) && originOf(new URL(one)) === originOf(new URL(other));
}

/** The origin of an `ssh:` URL would be `null`. */
function originOf({ protocol, username, host, origin }: URL): string {
  return protocol === "ssh:" ? `${protocol}//${username}@${host}` : origin;
}

type Connections = Readonly<Record<string, MirrorConnection>>;

/** Whether a connection is the same, or missing, in two configurations. */
export function hasSameSettings(name: string, one: Connections, other: Connections): boolean {
  const [left, right] = [one, other].map((each) =>
    JSON.stringify(Object.hasOwn(each, name) ? each[name] : null),
  );
  return left === right;
}
