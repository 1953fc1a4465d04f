/**
 * Browser sessions. A browser cannot add an API key to its requests for pages, so `POST /session` exchanges the key for
 * a cookie. The cookie is valid only for pages and for signing out, so that a page of another origin cannot use it to
 * change anything.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "#contract/service";
import { type Html, html } from "#transport/pages/html";
import { credentialsOf } from "./credentials";

export const sessionPath = "/session";

const tokenPattern = /^[\w-]{43}$/;

/** Returns the credentials of a page request: those in a header, else the session cookie. */
export function pageCredentialsOf(headers: IncomingHttpHeaders): Credentials {
  const credentials = credentialsOf(headers);
  if (credentials.kind !== "none") return credentials;
  const cookieName = cookieNameOf(headers);
  for (const part of (headers.cookie ?? "").split(";")) {
    const [name, token = ""] = part.trim().split("=", 2);
    if (name === cookieName && tokenPattern.test(token)) return { kind: "session", token };
  }
  return credentials;
}

/**
 * Returns the `Set-Cookie` value of a session that lasts `seconds`. Scripts cannot read the cookie. If the page uses
 * HTTPS, the cookie is sent only over HTTPS.
 */
export function sessionCookie(token: string, seconds: number, headers: IncomingHttpHeaders): string {
  // Browsers send `Origin` with every request other than GET and HEAD.
  const secure = headers.origin?.startsWith("https:") === true ? "; Secure" : "";
  return `${cookieNameOf(headers)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** Returns the `Set-Cookie` value that deletes the cookie. */
export function expiredCookie(headers: IncomingHttpHeaders): string {
  return sessionCookie("", 0, headers);
}

/** Browsers share cookies between the ports of a host, and a different Trawl may listen on each port. */
function cookieNameOf({ host = "" }: IncomingHttpHeaders): string {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port === undefined ? "trawl_session" : `trawl_session_${port}`;
}

/** The key has no name in the form, so that a browser without script does not send it in a URL. */
export function signInForm(): Html {
  return html`<form id="sign-in">
<p><label>API key <input type="password" id="key" autocomplete="current-password" required autofocus></label>
<button>Sign in</button></p>
<p id="refusal" role="alert"></p>
</form>`;
}
