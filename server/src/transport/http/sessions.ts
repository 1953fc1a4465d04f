/**
 * Cookies of browser sessions, logins, and what users choose about the pages.
 *
 * Browsers do not send API keys when they open a page. A login, or `POST /session` with an API key, therefore sets a
 * cookie. It is accepted for pages, and for other requests only if a page of this server sent them, so that pages of other
 * origins cannot use it to change anything.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Credentials } from "#contract/service";
import { type Html, html } from "#transport/pages/html";
import { formatViewSettings, parseViewSettings, type ViewSettings } from "#transport/pages/viewSettings";
import { credentialsOf } from "./credentials";

export const sessionPath = "/session";

/** A request with cookies. */
export interface CookieRequest {
  readonly headers: IncomingHttpHeaders;
  /** Whether browsers reach this server over HTTPS. Its cookies then cannot come from anywhere else. */
  readonly isSecure: boolean;
}

const yearSeconds = 365 * 24 * 60 * 60;
const tokenPattern = /^[\w-]{43}$/;
const transactionPattern = /^[\w.-]{1,4096}$/;
/** How many logins may be under way in one browser, in several tabs. Their cookies fit into the headers. */
const maxLogins = 4;

/** Returns the credentials of a page request: those in a header, else the session cookie. */
export function pageCredentialsOf(request: CookieRequest): Credentials {
  const credentials = credentialsOf(request.headers);
  if (credentials.kind !== "none") return credentials;
  const token = sessionTokenOf(request);
  return token === undefined ? credentials : { kind: "session", token };
}

function sessionTokenOf(request: CookieRequest): string | undefined {
  const token = cookiesOf(request).get(cookieName("session", request));
  return token !== undefined && tokenPattern.test(token) ? token : undefined;
}

/** Returns the `Set-Cookie` value of a session that lasts `seconds`. */
export function sessionCookie(token: string, seconds: number, request: CookieRequest): string {
  return setCookie(cookieName("session", request), token, seconds, request);
}

/** Returns the `Set-Cookie` value that deletes the session cookie. */
export function expiredCookie(request: CookieRequest): string {
  return sessionCookie("", 0, request);
}

/** Returns the `Set-Cookie` values for a login that begins. If too many are under way, the others end. */
export function loginCookies(
  { state, transaction }: { readonly state: string; readonly transaction: string },
  seconds: number,
  request: CookieRequest,
): readonly string[] {
  const prefix = cookieName("login", request);
  const others = [...cookiesOf(request).keys()].filter((name) => name.startsWith(`${prefix}_`));
  return [
    ...(others.length < maxLogins ? [] : others.map((name) => setCookie(name, "", 0, request))),
    setCookie(loginCookieName(state, request), transaction, seconds, request),
  ];
}

/** Returns the transaction of a login; empty if it did not begin in this browser. */
export function transactionOf(state: string, request: CookieRequest): string {
  const transaction = cookiesOf(request).get(loginCookieName(state, request)) ?? "";
  return transactionPattern.test(transaction) ? transaction : "";
}

export function expiredLoginCookie(state: string, request: CookieRequest): string {
  return setCookie(loginCookieName(state, request), "", 0, request);
}

function loginCookieName(state: string, request: CookieRequest): string {
  return `${cookieName("login", request)}_${state.replaceAll(/[^\w-]/g, "").slice(0, 8)}`;
}

/**
 * Browsers share cookies between the ports of a host, and a different Trawl may listen on each port. Over HTTPS, the
 * prefix `__Host-` prevents other hosts of the domain from setting them.
 */
function cookieName(
  kind: "session" | "login" | "view",
  { headers: { host = "" }, isSecure }: CookieRequest,
): string {
  const port = /:(\d+)$/.exec(host)?.[1];
  return `${isSecure ? "__Host-" : ""}trawl_${kind}${port === undefined ? "" : `_${port}`}`;
}

/** Returns what the user has chosen about the pages. */
export function viewSettingsOf(request: CookieRequest): ViewSettings {
  return parseViewSettings(cookiesOf(request).get(cookieName("view", request)));
}

export function viewCookie(settings: ViewSettings, request: CookieRequest): string {
  return setCookie(cookieName("view", request), formatViewSettings(settings), yearSeconds, request);
}

/** Scripts cannot read the cookie, and other sites cannot send it with requests that change something. */
function setCookie(
  name: string,
  value: string,
  seconds: number,
  { headers, isSecure }: CookieRequest,
): string {
  // Browsers send `Origin` with every request other than GET and HEAD.
  const secure = isSecure || headers.origin?.startsWith("https:") === true ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function cookiesOf({ headers }: CookieRequest): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (headers.cookie ?? "").split(";")) {
    const [name = "", value = ""] = part.trim().split("=", 2);
    if (!cookies.has(name)) cookies.set(name, value);
  }
  return cookies;
}

/** The key has no name in the form, so that a browser without script does not send it in a URL. */
export function signInForm(): Html {
  return html`<form id="sign-in">
<p><label>API key <input type="password" id="key" autocomplete="current-password" required autofocus></label>
<button>Log in</button></p>
<p id="refusal" role="alert"></p>
</form>`;
}
