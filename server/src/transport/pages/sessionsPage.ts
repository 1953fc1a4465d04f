/** The page with the sessions of a user, and the editors that act as the user. Its forms need no script. */
import type { ApiKey, Session } from "#contract/organization";
import { editorOfKeyName } from "#service/organization/editorKeyName";
import { browserName } from "./browserName";
import { okPage, type PageResponse, type ServiceContext } from "./context";
import { type Html, html } from "./html";
import { renderLayout } from "./pageLayout";
import { siteBar } from "./siteBar";

/** What acts as a user. Owners see here only what is their own. */
export interface OwnAccess {
  /** The one in which the page was requested first, then those that were used last. */
  readonly sessions: readonly Session[];
  /** The keys of editors that the user has let in. */
  readonly editors: readonly ApiKey[];
}

/** Throws NOT_AUTHENTICATED, and NOT_FOUND if the caller is no member. */
export async function ownAccessOf({
  caller,
  call,
}: Pick<ServiceContext, "caller" | "call">): Promise<OwnAccess> {
  const [{ id }, sessions, keys] = await Promise.all([
    caller<"currentMember">("currentMember", {}, call),
    caller<"sessions">("sessions", {}, call),
    caller<"keys">("keys", {}, call),
  ]);
  const isEditor = ({ name }: ApiKey) => editorOfKeyName(name) !== undefined;
  return {
    sessions: sessions
      .filter(({ userId }) => userId === id)
      .sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent) || latestFirst(one, other)),
    editors: keys.filter((key) => key.userId === id && isEditor(key)).sort(latestFirst),
  };
}

function latestFirst(one: Session | ApiKey, other: Session | ApiKey): number {
  const [left, right] = [one, other].map(({ lastUsedAt, createdAt }) => Date.parse(lastUsedAt ?? createdAt));
  return (right ?? 0) - (left ?? 0);
}

export async function sessionsPage(context: ServiceContext): Promise<PageResponse> {
  const { base } = context;
  const { sessions, editors } = await ownAccessOf(context);
  const hasOthers = sessions.some(({ isCurrent }) => !isCurrent);
  const endOthers = hasOthers
    ? html`<p>${button(base, "end=others", "End all other sessions")}</p>\n`
    : undefined;
  const content = html`<form method="post">
<h2>Browsers</h2>
${list(
  sessions.map((session) => sessionEntry(session, base)),
  "No browser has a session.",
)}
${endOthers}<h2>Editors</h2>
${list(
  editors.map((key) => editorEntry(key, base)),
  "No editor has logged in.",
)}
</form>
<p class="dim">Ending a session, or revoking the key of an editor, takes effect at once.</p>`;
  return okPage(renderLayout({ title: "Your sessions", bar: siteBar(context, "./"), content }));
}

function list(entries: readonly Html[], empty: string): Html {
  return entries.length === 0
    ? html`<p class="dim">${empty}</p>`
    : html`<ul class="entries access">\n${entries}</ul>`;
}

function sessionEntry(session: Session, base: string): Html {
  const { id, userAgent, keyId, createdAt, lastUsedAt, isCurrent } = session;
  const name = userAgent === null ? "Unknown browser" : browserName(userAgent);
  const details = html`<span class="dim">${keyId === null ? "" : "With an API key. "}Started ${time(createdAt)}, last used ${time(lastUsedAt)}</span>`;
  const action = isCurrent
    ? html`<span class="current">This one</span>`
    : button(base, `end=${encodeURIComponent(id)}`, "End", name, createdAt);
  return html`<li><span title="${userAgent ?? ""}"><bdi>${name}</bdi></span>${details}${action}</li>\n`;
}

function editorEntry({ id, name, createdAt, lastUsedAt, expiresAt }: ApiKey, base: string): Html {
  const editor = editorOfKeyName(name) ?? name;
  const used = lastUsedAt === null ? html`never used` : html`last used ${time(lastUsedAt)}`;
  const end = expiresAt === null ? undefined : html`, expires ${time(expiresAt)}`;
  const details = html`<span class="dim">Connected ${time(createdAt)}, ${used}${end}</span>`;
  const action = button(base, `revoke=${encodeURIComponent(id)}`, "Revoke", editor, createdAt);
  return html`<li><span><bdi>${editor}</bdi></span>${details}${action}</li>\n`;
}

/** `what` and `when` tell buttons with the same label apart for those who do not see their rows. */
function button(base: string, parameters: string, label: string, what?: string, when?: string): Html {
  const name =
    what === undefined || when === undefined
      ? undefined
      : html` aria-label="${`${label} ${what}, ${shown(when)}`}"`;
  return html`<button formaction="${base}/sessions?${parameters}"${name}>${label}</button>`;
}

function time(iso: string): Html {
  return html`<time datetime="${iso}">${shown(iso)}</time>`;
}

/** `2026-11-27 06:50 UTC` */
function shown(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
