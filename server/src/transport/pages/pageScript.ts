/**
 * The script of every page, which works without it except for logging in with a key, logging out, and copying.
 *
 * - Highlights the lines that a fragment such as `#L10-L20` selects; Shift+click on a line number extends the selection.
 * - A key follows the link, presses the button or focuses the field that names it in `aria-keyshortcuts`. `?` lists the
 *   keys.
 * - Typing into a filter reloads its list. Arrow keys move through it, and Enter opens its first entry.
 * - Logging in with a key and logging out send requests, whose responses set and delete the session cookie.
 * - A request whose session has ended leads to the login. `X-Requested-With` tells the server that it is not a navigation.
 */
export const pageScript = `
const byId = (id) => document.getElementById(id);
const lines = () => { const m = /^#L(\\d+)(?:-L?(\\d+))?$/.exec(location.hash); return m && [+m[1], +(m[2] || m[1])].sort((a, b) => a - b); };
const show = () => {
  for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
  const range = lines();
  if (!range) return;
  for (let at = range[0]; at <= range[1]; at++) { const row = byId("L" + at); if (!row) break; row.classList.add("chosen"); }
  byId("L" + range[0])?.scrollIntoView({ block: "center" });
};
addEventListener("hashchange", show);
addEventListener("click", (event) => {
  const link = event.target.closest?.(".n a");
  const range = event.shiftKey && link && lines();
  if (!range) return;
  event.preventDefault();
  const to = +link.textContent;
  location.hash = "L" + Math.min(range[0], to) + "-L" + Math.max(range[0], to);
});
show();
const loginPages = /\\/(?:login(?:\\/callback)?|logout)$/;
const rootPath = location.pathname.replace(loginPages, "/").replace(/\\/(?:browse\\/.*|repositories|syntax|settings|sessions|editor)?$/s, "");
const post = (path, key) => fetch(rootPath + path, { method: "POST", headers: { "content-type": "application/json", ...key && { authorization: "Bearer " + key } }, body: "{}" });
byId("sign-in")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const showError = (text) => { byId("refusal").textContent = text; };
  try {
    const response = await post("/session", byId("key").value.trim());
    if (response.ok && loginPages.test(location.pathname)) location.href = rootPath + "/";
    else if (response.ok) location.reload();
    else showError((await response.json()).message);
  } catch { showError("The service does not respond."); }
});
byId("sign-out")?.addEventListener("click", async (event) => {
  const { url } = await post("/logout").then((response) => response.json()).catch(() => ({}));
  if (url) location.href = url;
  else location.reload();
});
// Links name the public address of the server, which may not be the one that the page was opened at.
const own = (link) => { const { pathname, search } = new URL(link); return pathname + search; };
let messageTimer;
const report = (text) => {
  byId("message").textContent = text;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => { byId("message").textContent = ""; }, 4000);
};
const reportLoggedOut = (url) => {
  const link = document.createElement("a");
  // With a fragment, a click would not leave the page.
  link.href = String(url).replace(/#.*/s, "");
  link.textContent = "Log in again";
  clearTimeout(messageTimer);
  byId("message").replaceChildren("Your session has ended. ", link);
};
const endWait = () => document.body.removeAttribute("aria-busy");
const loadPage = (url, onLoad, loginUrl = location.href) => {
  const request = new XMLHttpRequest();
  request.open("GET", url);
  request.setRequestHeader("accept", "text/html");
  request.setRequestHeader("x-requested-with", "script");
  request.responseType = "document";
  request.onload = () => {
    if (request.status !== 401) return onLoad(request.response, request.responseURL);
    endWait();
    reportLoggedOut(loginUrl);
  };
  request.onerror = () => {
    endWait();
    report("The service does not respond.");
  };
  request.send();
  return request;
};
const takeText = (page, id) => byId(id).textContent = page.getElementById(id).textContent;
const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
const isKeyOfPage = (event) => !hasModifier(event) && !event.defaultPrevented && !document.querySelector("dialog[open]");
addEventListener("keydown", (event) => {
  if (event.repeat || event.isComposing || !isKeyOfPage(event)) return;
  if (event.key.length !== 1 || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const target = document.querySelector('[aria-keyshortcuts="' + CSS.escape(event.key) + '"]');
  if (!target) return;
  event.preventDefault();
  if (target.id === "permalink") {
    history.replaceState(null, "", own(target.href) + location.hash);
    report("The address is now permanent.");
  } else if (target.href || target.type === "button") target.click();
  else target.focus();
});
// These links lead to the lines that are selected here.
addEventListener("click", ({ target }) => {
  const link = target.closest?.('[aria-keyshortcuts="b"], [aria-keyshortcuts="o"]');
  if (link) link.hash = location.hash;
}, true);
for (const button of document.querySelectorAll(".scripted")) button.hidden = false;
byId("show-keys")?.addEventListener("click", () => byId("keys").showModal());
const copy = byId("copy");
const write = async (text) => {
  // Only over HTTPS, and only if a page that embeds this one permits it.
  try { return await navigator.clipboard.writeText(text); } catch {}
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  copy.focus();
  if (!isCopied) throw new Error();
};
copy?.addEventListener("click", async () => {
  try {
    const response = await fetch(own(copy.dataset.url), { headers: { "x-requested-with": "script" } });
    if (response.status === 401) return reportLoggedOut(location.href);
    if (!response.ok) throw new Error();
    await write(await response.text());
    report("Copied.");
  } catch { report("The file could not be copied."); }
});
const filter = byId("filter");
let loaded = filter?.elements.filter.value;
let request, typingTimer;
const load = () => {
  const text = filter.elements.filter.value;
  const url = new URL(location.pathname, location.href);
  if (text.trim()) url.searchParams.set("filter", text);
  request = loadPage(url, (page) => {
    const list = page?.getElementById("list");
    if (!list) return report("The list could not be loaded.");
    byId("list").replaceWith(list);
    takeText(page, "summary");
    loaded = text;
    history.replaceState(null, "", url);
  }, url);
};
filter?.addEventListener("input", () => {
  request?.abort();
  clearTimeout(typingTimer);
  typingTimer = setTimeout(load, 100);
});
filter?.addEventListener("submit", (event) => {
  const first = byId("list").querySelector("a");
  if (!first || loaded === "" || loaded !== filter.elements.filter.value) return;
  event.preventDefault();
  first.click();
});
filter && addEventListener("keydown", (event) => {
  const step = (event.key === "ArrowDown") - (event.key === "ArrowUp");
  const stops = [filter.elements.filter, ...byId("list").querySelectorAll("ul a")];
  const at = stops.indexOf(document.activeElement);
  if (!step || at < 0 || hasModifier(event) || event.shiftKey) return;
  event.preventDefault();
  stops[at + step]?.focus();
});
`;
