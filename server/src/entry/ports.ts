/**
 * The port of this process: one listener for the REST interface, opened and closed while everything else goes on.
 *
 * Whoever leads announces its address; a follower may have a port of its own, too.
 */
import { anonymousRule } from "#access/addresses";
import type { Configuration } from "#cli/configuration";
import type { Listening } from "#cli/instance";
import type { AnonymousRule, Caller } from "#contract/service";
import type { Log } from "#platform/log";
import type { Listener } from "#transport/http/listener";

export interface PortRequest {
  /** Absent: that of the configuration, else the default one or the next free one. */
  readonly port?: number | undefined;
  /** Besides those of the configuration. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface PortsOptions {
  readonly configuration: Configuration;
  readonly caller: Caller;
  /** Whether this process is an editor's: there anonymous access ends with the first API key. */
  readonly isEditors: boolean;
  readonly log: Log;
  /** The address is another, or none. */
  readonly onChange: () => void;
}

interface Open {
  readonly listener: Listener;
  readonly url: string;
  readonly origins: readonly string[];
}

export class Ports {
  readonly #options: PortsOptions;
  #open: Open | undefined;
  /** Openings and closings follow one another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PortsOptions) {
    this.#options = options;
  }

  get url(): string | undefined {
    return this.#open?.url;
  }

  /** Listens, or goes on listening where that is what is asked for. Throws USAGE where a port cannot be had. */
  start({ port, allowedOrigins }: PortRequest = {}): Promise<Listening> {
    return this.#inTurn(async () => {
      const before = this.#open;
      const isAsked =
        before !== undefined &&
        (port === undefined || port === 0 || port === portOf(before.url)) &&
        (allowedOrigins === undefined || isSame(allowedOrigins, before.origins));
      if (!isAsked) await this.#replace(before, port, allowedOrigins ?? before?.origins ?? []);
      const isAnonymous = this.#rule !== "off";
      return {
        url: this.#open?.url ?? "",
        anonymous: isAnonymous,
        anonymousByDefault: isAnonymous && this.#options.configuration.anonymous === undefined,
      };
    });
  }

  get #rule(): AnonymousRule {
    const { configuration, isEditors } = this.#options;
    return anonymousRule(configuration.host, configuration.anonymous, isEditors);
  }

  stop(): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#open;
      if (before === undefined) return;
      this.#open = undefined;
      this.#changed();
      await before.listener.close();
    });
  }

  /** On another port both listen for a moment; the same one must be given back first. */
  async #replace(before: Open | undefined, port: number | undefined, origins: readonly string[]) {
    const known = before === undefined ? undefined : portOf(before.url);
    const wanted = port ?? known;
    const isSamePort = wanted === known;
    try {
      if (isSamePort) {
        this.#open = undefined;
        await before?.listener.close();
      }
      this.#open = await this.#listen(wanted, origins);
      if (!isSamePort) await before?.listener.close();
    } finally {
      this.#changed();
    }
  }

  #changed(): void {
    const { log, onChange } = this.#options;
    log.info(
      this.#open === undefined
        ? "The REST interface has ended."
        : `The REST interface answers at ${this.#open.url}.`,
    );
    onChange();
  }

  async #listen(port: number | undefined, origins: readonly string[]): Promise<Open> {
    const { configuration, caller, log } = this.#options;
    const { host, port: usual, publicUrl, allowedHosts, allowedOrigins } = configuration;
    const wanted = port ?? usual;
    const { listen } = await import("#transport/http/listener");
    const listener = await listen({
      caller,
      log,
      anonymous: this.#rule,
      tcp: { host, ...(wanted === undefined ? {} : { port: wanted }) },
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowedHosts,
      allowedOrigins: [...allowedOrigins, ...origins],
    });
    return { listener, url: listener.url ?? "", origins };
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return [...left].sort().join() === [...right].sort().join();
}

export function portOf(url: string): number {
  return Number(new URL(url).port);
}
