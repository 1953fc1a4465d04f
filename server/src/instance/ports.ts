/**
 * The port of this process: one listener for the REST interface, which can be opened and closed at run time.
 *
 * The leader announces its address; a follower may have a port of its own. Each port has access rules. If this process
 * ever listens on a port of a leader that it followed, it applies that leader's rules: a caller that was refused must
 * not be admitted just because another process answers now.
 */
import { anonymousRule, isLoopback } from "#access/addresses";
import { RepositoryRules } from "#contract/access";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Endpoint, PortAccess } from "#platform/endpoint";
import type { Log } from "#platform/log";
import type { Listener } from "#transport/http/listener";
import type { Configuration } from "./configuration";
import { authorityOf } from "./database";

export interface PortRequest {
  /** Absent: the configured port, else the default port or the next free one. */
  readonly port?: number | undefined;
  /** Origins to allow in addition to the configured ones. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface ListeningPort {
  readonly url: string;
  /** The current rule for requests without credentials. */
  readonly anonymous: AnonymousRule;
  /** Whether `anonymous` is the default rather than configured. */
  readonly isDefaultRule: boolean;
}

export interface PortsOptions {
  readonly configuration: Configuration;
  readonly caller: Caller;
  /** Whether this process serves an editor; anonymous access then ends with the first API key. */
  readonly isEditorProcess: boolean;
  readonly log: Log;
  /** Called when the URL has changed or is gone. */
  readonly onChange: () => void;
}

interface OpenPort {
  readonly listener: Listener;
  readonly url: string;
  /** Origins that were requested in addition to the configured ones. */
  readonly origins: readonly string[];
  readonly access: PortAccess;
}

export class Ports {
  readonly #options: PortsOptions;
  /** The rules of each port on which a leader listened; `undefined` if they are unknown. */
  readonly #knownAccess = new Map<number, PortAccess | undefined>();
  readonly #authority: string;
  /** The authority that each leader so far announced, by process id; `undefined` if it announced none. */
  readonly #authorities = new Map<number, string | undefined>();
  #open: OpenPort | undefined;
  /** Changes run one after another. */
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor(options: PortsOptions) {
    this.#options = options;
    this.#authority = authorityOf(options.configuration);
  }

  get url(): string | undefined {
    return this.#open?.url;
  }

  /** What a leader announces, so that the next one can take over its port. */
  get announcedPort(): Pick<Endpoint, "url" | "access" | "authority"> {
    const authority = this.#authority;
    if (this.#open === undefined) return { authority };
    const { url, access } = this.#open;
    return { url, access: { ...access, anonymous: this.currentRule(access.anonymous) }, authority };
  }

  /** Records the access rules and the authority of the leader that this process follows. */
  follow({ pid, url, access, authority }: Endpoint): void {
    this.#authorities.set(pid, authority ?? this.#authorities.get(pid));
    if (url !== undefined) this.#knownAccess.set(portOf(url), access);
  }

  /** Call this before this process serves requests as the leader. */
  recordLeadership(): void {
    this.#authorities.set(process.pid, this.#authority);
  }

  /**
   * Returns the rule that applies to a call now. A leader with another authority does not see the API keys that closed
   * a port, so `untilKeys` means `off` once the authority has changed.
   */
  currentRule(rule: AnonymousRule): AnonymousRule {
    const hasChanged = new Set(this.#authorities.values()).size > 1;
    return rule === "untilKeys" && hasChanged ? "off" : rule;
  }

  /**
   * Listens on the port of the previous leader, with its rules. Leaves the port closed if these rules cannot be
   * applied. Also leaves it closed if other computers can reach it: only a process configured for that may serve them.
   * Never rejects.
   */
  async takeOver({ url, access, authority }: Endpoint): Promise<void> {
    const { log } = this.#options;
    if (url === undefined || this.url !== undefined) return;
    const reason =
      access === undefined
        ? "its access rules are unknown"
        : authority !== this.#authority
          ? "its API keys and tokens are checked against another database or issuer"
          : isLoopback(access.host)
            ? undefined
            : "other computers can reach it";
    if (reason !== undefined) {
      log.warn(`Not taking over the REST endpoint at ${url}: ${reason}.`);
      return;
    }
    try {
      await this.start({ port: portOf(url) });
    } catch (error) {
      log.error(`Cannot take over the REST endpoint at ${url}.`, { error });
    }
  }

  /** Listens as requested; does nothing if it already does. Throws USAGE if the port is not available. */
  start({ port, allowedOrigins }: PortRequest = {}): Promise<ListeningPort> {
    return this.#serialize(async () => {
      const before = this.#open;
      const isAsRequested =
        before !== undefined &&
        (port === undefined || port === 0 || port === portOf(before.url)) &&
        (allowedOrigins === undefined || hasSameItems(allowedOrigins, before.origins));
      if (!isAsRequested) await this.#replace(before, port, allowedOrigins ?? before?.origins ?? []);
      const { url = "", access = this.#ownAccess } = this.#open ?? {};
      return {
        url,
        anonymous: this.currentRule(access.anonymous),
        isDefaultRule: this.#options.configuration.anonymous === undefined,
      };
    });
  }

  stop(): Promise<void> {
    return this.#serialize(async () => {
      const before = this.#open;
      if (before === undefined) return;
      this.#open = undefined;
      this.#reportChange();
      await before.listener.close();
    });
  }

  get #ownAccess(): PortAccess {
    const { configuration, isEditorProcess } = this.#options;
    const { host, anonymous, repositoryRules, publicUrl, allowedHosts, allowedOrigins } = configuration;
    return {
      host,
      anonymous: anonymousRule(host, anonymous, isEditorProcess),
      ...(repositoryRules === undefined ? {} : { repositoryRules }),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowedHosts,
      allowedOrigins,
    };
  }

  /**
   * Returns the rules for listening on `port`: those of a leader that listened there, else the configured ones. Never
   * binds to an address that other computers can reach, unless that is configured.
   */
  #accessOf(port: number | undefined): PortAccess {
    const own = this.#ownAccess;
    if (port === undefined || !this.#knownAccess.has(port)) return own;
    const known = this.#knownAccess.get(port);
    if (known === undefined) return { ...own, anonymous: "off" };
    return isLoopback(known.host) ? known : { ...known, host: own.host };
  }

  /**
   * Moves the listener to another port or changes its origins. The same port must be closed before it is opened again;
   * a different one is opened before the old one closes.
   */
  async #replace(before: OpenPort | undefined, port: number | undefined, origins: readonly string[]) {
    const known = before === undefined ? undefined : portOf(before.url);
    const wanted = port ?? known;
    const isSamePort = wanted === known;
    try {
      if (isSamePort) {
        this.#open = undefined;
        await before?.listener.close();
      }
      this.#open = await this.#listen(wanted ?? this.#options.configuration.port, origins);
      if (!isSamePort) await before?.listener.close();
    } finally {
      this.#reportChange();
    }
  }

  #reportChange(): void {
    const { log, onChange } = this.#options;
    log.info(
      this.#open === undefined
        ? "The REST endpoint is closed."
        : `The REST endpoint listens at ${this.#open.url}.`,
    );
    onChange();
  }

  /** Without `port`, listens on the default port or the first free one after it. */
  async #listen(port: number | undefined, origins: readonly string[]): Promise<OpenPort> {
    const { caller, log, configuration } = this.#options;
    const { oauth } = configuration;
    const access = this.#accessOf(port);
    const { host, anonymous, repositoryRules, publicUrl, allowedHosts, allowedOrigins } = access;
    const { listen } = await import("#transport/http/listener");
    const listener = await listen({
      caller,
      log,
      anonymous,
      // Throws if another version wrote rules that this one does not know.
      ...(repositoryRules === undefined ? {} : { repositoryRules: RepositoryRules.parse(repositoryRules) }),
      tcp: { host, ...(port === undefined ? {} : { port }) },
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowedHosts,
      allowedOrigins: [...allowedOrigins, ...origins],
      hasLogin: oauth?.clientId !== undefined,
      ...(oauth?.audience === undefined ? {} : { oauthIssuer: oauth.issuer }),
    });
    const url = listener.url ?? "";
    const found = portOf(url);
    if (found !== port && this.#knownAccess.has(found)) {
      // Applies the known rules of the port that was found. No request has been served yet.
      await listener.close();
      return await this.#listen(found, origins);
    }
    const all = { ...access, allowedOrigins: [...allowedOrigins, ...origins] };
    return { listener, url, origins, access: all };
  }

  #serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastChange.then(work);
    this.#lastChange = done.catch(() => undefined);
    return done;
  }
}

function hasSameItems(left: readonly string[], right: readonly string[]): boolean {
  return [...left].sort().join() === [...right].sort().join();
}

/** The port of an `http:` URL, which omits port 80. */
function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}
