/**
 * The routes that let an editor in: its user opens a page in the browser and allows it there, which sends the browser back
 * to a port of this computer, where the editor gets a code and exchanges it for an API key.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "#base/error";
import { AllowEditorRequest } from "#contract/organization";
import type { Caller, RequestOf } from "#contract/service";
import { validateObject } from "#service/validate";
import { okPage, type PageCall, type PageResponse } from "#transport/pages/context";
import { html } from "#transport/pages/html";
import { renderLayout } from "#transport/pages/pageLayout";
import type { BrowserRules } from "./browserRules";
import { readQuery } from "./decode";
import type { Handlers } from "./handlers";

/** Not below `/login`, to which no login returns. */
export const allowEditorPath = "/editor";
export const connectEditorPath = "/editor/key";

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface EditorLoginHandlers {
  /** Asks the user whether to let the editor in. */
  readonly handleAsk: Handler;
  /** Lets it in, and sends the browser back to it. */
  readonly handleAllow: Handler;
  /** Exchanges the code of the editor for its key. */
  readonly handleConnect: Handler;
}

export function createEditorLoginHandlers(
  { caller, rules }: { readonly caller: Caller; readonly rules: Pick<BrowserRules, "isFromOwnPage"> },
  { createCall, sendPage, send }: Handlers,
): EditorLoginHandlers {
  return { handleAsk, handleAllow, handleConnect };

  function handleAsk(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(request, reply, async (call) => {
      const { name, email } = await caller<"currentMember">("currentMember", {}, call);
      const editor = editorOf(request);
      return askPage(editor.name, name ?? email);
    });
  }

  function handleAllow(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return sendPage(request, reply, async (call: PageCall) => {
      if (!rules.isFromOwnPage(request.raw))
        throw new ServiceError("ORIGIN_NOT_ALLOWED", "Only pages of this service may let an editor in.");
      const { url } = await caller<"allowEditor">("allowEditor", editorOf(request), call);
      const content = html`<p>The editor is connected. <a href="${url}">Return to it</a> if that does not happen by itself.</p>`;
      // The policy of pages forbids that a form leads elsewhere.
      const headers = { refresh: `0; url=${url}` };
      return { ...okPage(renderLayout({ title: "Connected", content })), headers };
    });
  }

  async function handleConnect(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const call = createCall(request, reply, { kind: "none" });
    return send(request, reply, await caller<"connectEditor">("connectEditor", request.body, call));
  }
}

/** Returns the parameters that describe the editor. Throws INVALID_QUERY_PARAMS. */
function editorOf(request: FastifyRequest): RequestOf<"allowEditor"> {
  const query = readQuery(request.url, new Map());
  const parameter = (name: string) => {
    const value = query[name];
    return typeof value === "string" ? value : "";
  };
  const editor = {
    redirectUri: parameter("redirect_uri"),
    state: parameter("state"),
    codeChallenge: parameter("code_challenge"),
    name: parameter("name"),
  };
  return validateObject(AllowEditorRequest, editor, "INVALID_QUERY_PARAMS");
}

/** The form is sent to the address of the page, whose parameters describe the editor. */
function askPage(editor: string, visitor: string): PageResponse {
  const content = html`<p><bdi>${editor}</bdi> wants to search and read, as <bdi>${visitor}</bdi>, all code that you may see here.</p>
<p>Allow this only if you have just asked an editor for it.</p>
<form method="post"><button>Allow</button></form>`;
  return okPage(renderLayout({ title: "Connect an editor?", content }));
}
