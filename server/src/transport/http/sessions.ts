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

const shape = /^[\w-]{43}$/;

/** What a page is asked with: a header before the cookie. */
export function pageCredentialsOf(headers: IncomingHttpHeaders): Credentials {
  const shown = credentialsOf(headers);
  if (shown.kind !== "none") return shown;
  const cookieName = cookieNameOf(headers);
  for (const part of (headers.cookie ?? "").split(";")) {
    const [name, token = ""] = part.trim().split("=", 2);
    if (name === cookieName && shape.test(token)) return { kind: "session", token };
  }
  return shown;
}

/** No script can read it; a page that came by https has it come back by https alone. */
export function sessionCookie(token: string, seconds: number, headers: IncomingHttpHeaders): string {
  // Browsers name the origin with what is not only asked for.
  const secure = headers.origin?.startsWith("https:") === true ? "; Secure" : "";
  return `${cookieNameOf(headers)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** One that makes the browser forget. */
export function endedCookie(headers: IncomingHttpHeaders): string {
  return sessionCookie("", 0, headers);
}

/** A browser has the same cookies for all ports of a host, and each may have a Trawl of its own. */
function cookieNameOf({ host = "" }: IncomingHttpHeaders): string {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port === undefined ? "trawl_session" : `trawl_session_${port}`;
}

export function signInForm(): Html {
  return html`<form id="sign-in">
<p><label>API key <input type="password" name="key" autocomplete="current-password" required autofocus></label>
<button>Sign in</button></p>
<p id="refusal" role="alert"></p>
</form>`;
}

export function signOutButton(): Html {
  return html`<button type="button" id="sign-out">Sign out</button>`;
}
