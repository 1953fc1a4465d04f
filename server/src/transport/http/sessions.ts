/**
 * How a browser is signed in: pages cannot send the headers that programs do. Whoever shows an API key at `/session`
 * gets a cookie, which counts for pages and for signing out, and nowhere else: no page of another origin can use it to
 * change anything.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "#contract/service";
import { credentialsOf } from "./credentials";
import { type Html, html } from "./html";

export const sessionPath = "/session";

const cookieName = "trawl_session";
const shape = /^[\w-]{43}$/;

/** What a page is asked with: a header before the cookie. */
export function pageCredentialsOf(headers: IncomingHttpHeaders): Credentials {
  const shown = credentialsOf(headers);
  if (shown.kind !== "none") return shown;
  for (const part of (headers.cookie ?? "").split(";")) {
    const [name, token = ""] = part.trim().split("=", 2);
    if (name === cookieName && shape.test(token)) return { kind: "session", token };
  }
  return shown;
}

/** `base`: address of this service. No script can read it, and it does not travel where others can read along. */
export function sessionCookie(token: string, seconds: number, base: string): string {
  const secure = base.startsWith("https:") ? "; Secure" : "";
  return `${cookieName}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** One that makes the browser forget. */
export function endedCookie(base: string): string {
  return sessionCookie("", 0, base);
}

export function signInForm(base: string): Html {
  return html`<form id="sign-in" data-address="${base}${sessionPath}">
<p><label>API key <input type="password" name="key" autocomplete="current-password" required autofocus></label>
<button>Sign in</button></p>
<p id="refusal" role="alert"></p>
</form>`;
}

export function signOutButton(base: string): Html {
  return html`<button type="button" id="sign-out" data-address="${base}${sessionPath}">Sign out</button>`;
}
