/**
 * Logins of editors that a member has allowed on a page, until the editor exchanges its code for an API key: the
 * authorization code flow with PKCE, in which this server is the issuer. They are in memory: after a change of the leader,
 * the user allows it again.
 */
import { createHash, randomBytes } from "node:crypto";
import type { MemberId, Role } from "#model/organization";
import type { Clock } from "#platform/clock";
import { sha256 } from "./apiKeys";

export interface AllowedEditor {
  readonly member: { readonly id: MemberId; readonly role: Role };
  /** Names the editor and its computer. */
  readonly name: string;
  /** The PKCE challenge (S256) of the editor. */
  readonly challenge: string;
}

/** How long a code is valid: the browser passes it on at once. */
const codeMs = 60_000;
/** If more codes are issued within that time, the oldest becomes invalid. */
const maxCodes = 1000;

export class EditorLogins {
  readonly #clock: Clock;
  /** By the hash of the code, oldest first. */
  readonly #allowed = new Map<string, AllowedEditor & { readonly endsAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the code that the editor exchanges. */
  allow(editor: AllowedEditor): string {
    const code = randomBytes(32).toString("base64url");
    this.#allowed.set(sha256(code), { ...editor, endsAt: this.#clock.elapsed() + codeMs });
    const [oldest] = this.#allowed.keys();
    if (this.#allowed.size > maxCodes && oldest !== undefined) this.#allowed.delete(oldest);
    return code;
  }

  /** Returns what was allowed; `undefined` if the code is unknown, expired, used, or of another editor. */
  redeem(code: string, verifier: string): AllowedEditor | undefined {
    const hash = sha256(code);
    const found = this.#allowed.get(hash);
    this.#allowed.delete(hash);
    if (found === undefined || found.endsAt < this.#clock.elapsed()) return undefined;
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    return challenge === found.challenge ? found : undefined;
  }
}
