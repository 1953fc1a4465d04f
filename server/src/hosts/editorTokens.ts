/** Tokens that editors keep: here in memory only, and for as long as the editors are connected. */
import { ServiceError, usageError } from "#base/error";
import type { Clock } from "#platform/clock";
import type { Secret } from "./secret";

export interface EditorToken {
  /** The name by which connections refer to it. */
  readonly name: string;
  /** The origin that it may be sent to. */
  readonly origin: string;
  readonly token: Secret;
}

/** No editor that is connected has the token. */
export class MissingEditorToken extends ServiceError {
  constructor(name: string) {
    super(
      "USAGE",
      `The token "${name}" is kept by VS Code, which is not connected, or not signed in. Open VS Code to sign in.`,
    );
  }
}

export interface EditorTokensOptions {
  readonly clock: Clock;
  /** How long to wait for editors that connect while this process starts, in milliseconds. */
  readonly startMs: number;
}

export class EditorTokens {
  readonly #options: EditorTokensOptions;
  readonly #holds = new Set<ReadonlyMap<string, EditorToken>>();
  readonly #arrivals = new Set<() => void>();
  readonly #startedAt: number;
  #isClosed = false;
  /** Called with the names of tokens that have become available, and of those that were replaced. */
  onArrival: (names: {
    readonly available: readonly string[];
    readonly replaced: readonly string[];
  }) => void = () => {};

  constructor(options: EditorTokensOptions) {
    this.#options = options;
    this.#startedAt = options.clock.elapsed();
  }

  /** Keeps tokens until the returned function is called. Those that were given last count. */
  hold(tokens: readonly EditorToken[]): () => void {
    const held = new Map(tokens.map((each) => [each.name, each]));
    const before = new Map(tokens.map(({ name }) => [name, this.#find(name)]));
    this.#holds.add(held);
    for (const arrived of [...this.#arrivals]) arrived();
    const names = [...held.keys()];
    this.onArrival({
      available: names.filter((name) => before.get(name) === undefined),
      replaced: names.filter((name) => {
        const previous = before.get(name);
        return previous !== undefined && previous.token.reveal() !== held.get(name)?.token.reveal();
      }),
    });
    return () => this.#holds.delete(held);
  }

  has(name: string, origin: string): boolean {
    return this.#find(name)?.origin === origin;
  }

  /** Rejects with `MissingEditorToken`, and with USAGE if the token was given for another origin. */
  async read(name: string, origin: string): Promise<Secret> {
    const found = this.#find(name) ?? (await this.#arrivalOf(name));
    if (found === undefined) throw new MissingEditorToken(name);
    if (found.origin === origin) return found.token;
    throw usageError(`The token "${name}" is for ${found.origin}, not for ${origin}. Sign in again.`);
  }

  close(): void {
    this.#isClosed = true;
    this.#holds.clear();
    for (const arrived of [...this.#arrivals]) arrived();
  }

  #find(name: string): EditorToken | undefined {
    return [...this.#holds].findLast((held) => held.has(name))?.get(name);
  }

  /** Waits for a token while this process starts. */
  async #arrivalOf(name: string): Promise<EditorToken | undefined> {
    const { clock, startMs } = this.#options;
    while (!this.#isClosed && this.#find(name) === undefined) {
      const leftMs = this.#startedAt + startMs - clock.elapsed();
      if (leftMs <= 0) return undefined;
      await new Promise<void>((resolve) => {
        const arrived = () => {
          cancel();
          this.#arrivals.delete(arrived);
          resolve();
        };
        const cancel = clock.after(leftMs, arrived);
        this.#arrivals.add(arrived);
      });
    }
    return this.#find(name);
  }
}
