/**
 * The port of this process: one listener for the REST interface, opened and closed while everything else goes on.
 *
 * Whoever leads announces its address; a follower may have a port of its own, too.
 */
import { anonymousAllowed, identify } from "#access/identify";
import type { Configuration } from "#cli/configuration";
import type { Listening } from "#cli/instance";
import { operation } from "#contract/operations";
import type { Caller } from "#contract/service";
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
  /** Answers, as the person's own; who comes in from outside is judged here. */
  readonly caller: Caller;
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
      const { host, anonymous } = this.#options.configuration;
      const before = this.#open;
      const isAsked =
        before !== undefined &&
        (port === undefined || port === 0 || port === portOf(before.url)) &&
        (allowedOrigins === undefined || isSame(allowedOrigins, before.origins));
      if (!isAsked) await this.#replace(before, port, allowedOrigins ?? before?.origins ?? []);
      const isAnonymous = anonymousAllowed(host, anonymous);
      return {
        url: this.#open?.url ?? "",
        anonymous: isAnonymous,
        anonymousByDefault: isAnonymous && anonymous === undefined,
      };
    });
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
    const { host, port: usual, publicUrl, allowedHosts, allowedOrigins, anonymous } = configuration;
    const wanted = port ?? usual;
    const isAnonymous = anonymousAllowed(host, anonymous);
    const { listen } = await import("#transport/http/listener");
    const listener = await listen({
      // To whoever leads every call of this process is the person's own.
      caller: async (name, request, call) => {
        identify(call.credentials, operation(name), isAnonymous);
        return await caller(name, request, call);
      },
      log,
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
