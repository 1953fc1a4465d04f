/** The routes that log a browser in and out: with an OpenID issuer, or with an API key. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { loginMs } from "#access/login";
import { isServiceError, ServiceError } from "#base/error";
import type { ErrorObject } from "#contract/error";
import type { Caller } from "#contract/service";
import { failurePage, okPage, type PageResponse, redirect } from "#transport/pages/context";
import { html } from "#transport/pages/html";
import { renderLayout } from "#transport/pages/pageLayout";
import type { BrowserRules } from "./browserRules";
import { readQuery } from "./decode";
import type { Handlers } from "./handlers";
import {
  expiredCookie,
  expiredLoginCookie,
  loginCookies,
  pageCredentialsOf,
  sessionCookie,
  signInForm,
  transactionOf,
} from "./sessions";

export const loginPath = "/login";

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface LoginHandlers {
  /** Sends the browser to the issuer. */
  readonly handleLogin: Handler;
  /** Completes a login when the issuer sends the browser back. */
  readonly handleCallback: Handler;
  /** Responds with the page that follows a logout. */
  readonly handleLoggedOut: Handler;
  /** Ends the session, deletes the cookie, and responds with the page at which the issuer ends its own session. */
  readonly handleLogout: Handler;
  /** Creates a session for an API key. */
  readonly handleSignIn: Handler;
}

export function createLoginHandlers(
  { caller, rules }: { readonly caller: Caller; readonly rules: Pick<BrowserRules, "isFromOwnPage"> },
  { createCall, cookieRequest, sendPage, send, baseUrl }: Handlers,
): LoginHandlers {
  return { handleLogin, handleCallback, handleLoggedOut, handleLogout, handleSignIn };

  function handleLogin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(
      request,
      reply,
      async () => {
        const returnTo = parameter(readQuery(request.url, new Map()), "return") ?? "/";
        const call = createCall(request, reply, { kind: "none" });
        const begun = await caller<"beginLogin">("beginLogin", { returnTo }, call);
        reply.header("set-cookie", loginCookies(begun, loginMs / 1000, cookieRequest(request)));
        return redirect(begun.url);
      },
      (failure) => loginFailurePage(failure, request, request.url),
    );
  }

  function handleCallback(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(
      request,
      reply,
      async () => {
        const query = readQuery(request.url, new Map());
        const state = parameter(query, "state") ?? "";
        const cookies = cookieRequest(request);
        const previous = pageCredentialsOf(cookies);
        const response = {
          state,
          code: parameter(query, "code"),
          error: parameter(query, "error"),
          iss: parameter(query, "iss"),
          transaction: transactionOf(state, cookies),
          replacedToken: previous.kind === "session" ? previous.token : undefined,
          userAgent: userAgentOf(request),
        };
        const call = createCall(request, reply, { kind: "none" });
        try {
          const { token, expiresAt, returnTo } = await caller<"completeLogin">(
            "completeLogin",
            response,
            call,
          );
          reply.header("set-cookie", sessionCookie(token, secondsUntil(expiresAt), cookies));
          reply.header("set-cookie", expiredLoginCookie(state, cookies));
          return redirect(`${call.baseUrl ?? ""}${returnTo}`);
        } catch (error) {
          // While the issuer is down, the page can be reloaded.
          if (!isServiceError(error, "ENGINE_UNAVAILABLE"))
            reply.header("set-cookie", expiredLoginCookie(state, cookies));
          throw error;
        }
      },
      (failure) => loginFailurePage(failure, request, failure.statusCode === 503 ? request.url : loginPath),
    );
  }

  /** Renders why a login failed. An API key is accepted even while the issuer is down. */
  function loginFailurePage(
    { statusCode, message }: ErrorObject,
    request: FastifyRequest,
    path: string,
  ): PageResponse {
    const again = statusCode === 503 ? "Try again" : "Log in again";
    const content = html`<p><a href="${baseUrl(request) ?? ""}${path}">${again}</a></p>
${signInForm()}`;
    return failurePage(statusCode, "Log in", message, content);
  }

  function handleLoggedOut(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(request, reply, async (call) => {
      const base = call.baseUrl ?? "";
      const isLoggedIn = await caller<"currentMember">("currentMember", {}, call).then(
        () => call.credentials.kind === "session",
        () => false,
      );
      if (isLoggedIn) return redirect(`${base}/`);
      const content = html`<p>You are logged out. <a href="${base}/">Log in again</a></p>`;
      return okPage(renderLayout({ title: "Logged out", content }));
    });
  }

  async function handleLogout(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const cookies = cookieRequest(request);
    const credentials = pageCredentialsOf(cookies);
    if (credentials.kind !== "session") return send(request, reply, {});
    if (!rules.isFromOwnPage(request.raw))
      throw new ServiceError("ORIGIN_NOT_ALLOWED", "Only pages of this service may log out.");
    reply.header("set-cookie", expiredCookie(cookies));
    const call = createCall(request, reply, credentials);
    const response = await caller<"signOut">("signOut", {}, call).catch((error: unknown) => {
      if (isServiceError(error, "NOT_AUTHENTICATED")) return {};
      throw error;
    });
    return send(request, reply, response);
  }

  async function handleSignIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { token, expiresAt } = await caller<"signIn">(
      "signIn",
      { userAgent: userAgentOf(request) },
      createCall(request, reply),
    );
    const cookie = sessionCookie(token, secondsUntil(expiresAt), cookieRequest(request));
    reply.header("set-cookie", cookie);
    return send(request, reply, { expiresAt });
  }
}

const maxUserAgentCharacters = 200;

function userAgentOf({ headers }: FastifyRequest): string | undefined {
  return headers["user-agent"]?.slice(0, maxUserAgentCharacters);
}

function parameter(query: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" ? value : undefined;
}

function secondsUntil(time: string): number {
  return Math.floor((Date.parse(time) - Date.now()) / 1000);
}
