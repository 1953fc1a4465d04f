/**
 * The script of the search page, after that of every page.
 *
 * - Typing searches after a pause: it requests the page for the query and replaces the results with its results. A new
 *   request cancels the previous one, and the results stay until the next ones are there.
 * - The history has an entry for each query that was entered or left, not one for each key.
 * - Suggestions for the word at the cursor are a list box. It takes Enter and Tab only if one of them is chosen. Escape
 *   closes it, and then leaves the box; some browsers would clear the query.
 * - `j` and `k` move through the results, Enter follows the link, and `o` opens the file in VS Code.
 *
 * Markup comes only from documents that the browser has parsed: Trusted Types forbid anything else.
 */
export const searchScript = `
const form = byId("search"), box = form.elements.q, root = new URL("./", location.href);
const urlOf = () => {
  const url = new URL(root);
  for (const [name, value] of new FormData(form)) if (value.trim()) url.searchParams.set(name, value.trim());
  return url;
};
let searching, searchTimer, shownUrl = location.href, isEntered = true;
const stopSearch = () => {
  searching?.abort();
  clearTimeout(searchTimer);
  endWait();
};
const search = (url, isTyped) => {
  stopSearch();
  if (url.href === shownUrl && isTyped) return;
  const requested = new URL(url);
  if (isTyped) requested.searchParams.set("typing", "1");
  document.body.setAttribute("aria-busy", "true");
  searching = loadPage(requested, (page, address) => {
    endWait();
    const results = page?.getElementById("results");
    if (!results) return report("The results could not be loaded.");
    byId("results").replaceWith(results);
    takeText(page, "summary");
    takeText(page, "heading");
    document.title = page.title;
    // The response may have moved an option into the query. Text that is being typed stays as it is.
    const shown = page.getElementById("search").elements;
    if (!isTyped || shown.q.value === box.value.trim()) {
      box.value = shown.q.value;
      form.elements.cased.value = shown.cased.value;
      form.elements.case.checked = shown.case.checked;
      url = urlOf();
    }
    if (isTyped !== undefined) {
      scrollTo(0, 0);
      const shownAddress = new URL(address);
      // The query says whether case matters.
      for (const name of ["typing", "cased", "case"]) shownAddress.searchParams.delete(name);
      history[isTyped && !isEntered ? "replaceState" : "pushState"](null, "", shownAddress);
      isEntered = !isTyped;
    }
    shownUrl = url.href;
  }, url);
};
const searchLater = () => {
  stopSearch();
  searchTimer = setTimeout(() => search(urlOf(), true), 120);
};
form.addEventListener("submit", (event) => {
  event.preventDefault();
  closeList();
  const url = urlOf();
  if (url.href === shownUrl && !document.body.hasAttribute("aria-busy")) isEntered = true;
  search(url, url.href === shownUrl ? undefined : false);
});
for (const option of form.querySelectorAll("[type=checkbox]")) option.addEventListener("change", () => search(urlOf(), false));
addEventListener("popstate", () => {
  const { searchParams } = new URL(location.href);
  box.value = searchParams.get("q") ?? "";
  for (const name of ["word", "regex"]) form.elements[name].checked = searchParams.get(name) === "1";
  closeList();
  isEntered = true;
  search(new URL(location.href));
});

const list = () => byId("completions");
const options = () => [...list().children];
const chosen = () => list().querySelector("[aria-selected=true]");
let completing, completionTimer;
box.setAttribute("role", "combobox");
box.setAttribute("aria-autocomplete", "list");
box.setAttribute("aria-controls", "completions");
const closeList = () => {
  completing?.abort();
  clearTimeout(completionTimer);
  list().hidden = true;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
};
closeList();
const complete = () => {
  const url = new URL("complete", root);
  url.searchParams.set("q", box.value);
  url.searchParams.set("offset", box.selectionStart);
  if (form.elements.regex.checked) url.searchParams.set("regex", "1");
  completing = loadPage(url, (page) => {
    const found = page?.getElementById("completions");
    if (!found || document.activeElement !== box) return;
    list().replaceWith(found);
    const isOpen = found.childElementCount > 0;
    found.hidden = !isOpen;
    box.setAttribute("aria-expanded", isOpen);
    box.removeAttribute("aria-activedescendant");
  }, urlOf());
};
const choose = (option) => {
  chosen()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  if (option) box.setAttribute("aria-activedescendant", option.id);
  else box.removeAttribute("aria-activedescendant");
};
const accept = (option) => {
  const start = +list().dataset.start;
  box.setRangeText(option.dataset.text, start, start + +list().dataset.length, "end");
  box.focus();
  if (option.dataset.text.endsWith(":")) return onInput();
  closeList();
  searchLater();
};
const onInput = () => {
  closeList();
  completionTimer = setTimeout(complete, 60);
  searchLater();
};
box.addEventListener("input", onInput);
box.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== box) closeList(); }, 150));
form.addEventListener("mousedown", (event) => {
  const option = event.target.closest("[role=option]");
  if (!option) return;
  event.preventDefault();
  accept(option);
});
box.addEventListener("keydown", (event) => {
  if (hasModifier(event) || event.isComposing) return;
  const isOpen = !list().hidden;
  const step = (event.key === "ArrowDown") - (event.key === "ArrowUp");
  if (event.key === "Escape") isOpen ? closeList() : box.blur();
  else if (isOpen && (event.key === "Enter" || event.key === "Tab") && chosen()) accept(chosen());
  else if (isOpen && step) {
    const all = [undefined, ...options()];
    choose(all.at((all.indexOf(chosen() ?? undefined) + step) % all.length));
  } else if (step > 0 && hits()[0]) { closeList(); go(hits()[0]); }
  else return;
  event.preventDefault();
});

const hits = () => [...document.querySelectorAll("#results .hit")];
const go = (hit) => {
  const row = hit.closest("tr") ?? hit;
  // Screen readers read the line, not only its number.
  hit.ariaLabel = row.innerText;
  hit.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
};
addEventListener("keydown", (event) => {
  if (!isKeyOfPage(event)) return;
  if (event.target.closest?.("input:not([type=checkbox]), textarea, select")) return;
  const step = (event.key === "j") - (event.key === "k");
  const all = hits(), at = all.indexOf(document.activeElement);
  if (event.key === "o") {
    const hit = all[Math.max(at, 0)], url = hit?.closest("article")?.dataset.editor;
    if (!url) return;
    location.href = url + hit.hash;
  } else if (step) {
    const next = at < 0 ? (step > 0 ? all.find((hit) => hit.getBoundingClientRect().top > 0) : undefined) : all[at + step];
    if (next) go(next);
  } else return;
  event.preventDefault();
});
// A click on a line opens it, unless it selects text.
addEventListener("click", (event) => {
  const row = event.target.closest?.("#results tr");
  if (event.button || !row || event.target.closest("a") || !getSelection().isCollapsed) return;
  row.querySelector("a")?.click();
});
`;
