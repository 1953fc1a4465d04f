/**
 * The script of the page of a file, after that of every page.
 *
 * - A click on a name shows its definitions and uses in the panel beside the text, and Escape closes it. The form above
 *   the panel does the same for a name that is typed.
 * - The signature of a name appears while the mouse is over it.
 * - `l` asks for a line and selects it.
 * - Folders of the tree open in place. The tab remembers which ones are open.
 */
export const fileScript = `
const table = document.querySelector("table[data-at]");
const paneUrl = (pane, parameters) => own(table.dataset.at) + "?" + new URLSearchParams({ ...parameters, pane });
const letter = /[\\p{L}\\p{N}_$]/u;
// Returns LINE:COLUMN of the letter at a point of the text, in code points.
const locate = ({ clientX: x, clientY: y, target }) => {
  const cell = target.closest?.("tr[id] > td:last-child");
  if (!cell || !table.contains(cell)) return;
  const caret = document.caretPositionFromPoint?.(x, y);
  const found = caret ? undefined : document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? found?.startContainer, offset = caret?.offset ?? found?.startOffset;
  if (node?.nodeType !== 3 || !cell.contains(node)) return;
  const range = document.createRange();
  for (const start of [offset, offset - 1]) {
    if (start < 0 || !letter.test(node.data[start] ?? "")) continue;
    range.setStart(node, start);
    range.setEnd(node, start + 1);
    const { left, right } = range.getBoundingClientRect();
    if (x < left || x > right) continue;
    range.setStart(cell, 0);
    range.setEnd(node, start);
    return cell.parentNode.id.slice(1) + ":" + ([...range.toString()].length + 1);
  }
};
let lookingUp;
const prepare = () => { for (const button of document.querySelectorAll("#panel .close")) button.hidden = false; };
const closePanel = () => { lookingUp?.abort(); byId("panel").replaceChildren(); };
const lookUp = (parameters, isTyped) => {
  lookingUp?.abort();
  lookingUp = loadPage(paneUrl("panel", parameters), (page) => {
    const panel = page?.getElementById("panel");
    if (!panel) return report("The symbol could not be looked up.");
    const { summary } = panel.dataset;
    if (!summary && !isTyped) return;
    byId("panel").replaceWith(panel);
    prepare();
    byId("side").scrollTop = 0;
    report(summary ?? panel.textContent);
    if (isTyped) panel.querySelector("a")?.focus();
  });
};
prepare();
table.addEventListener("click", (event) => {
  if (event.button || hasModifier(event) || event.shiftKey || !getSelection().isCollapsed) return;
  const at = locate(event);
  hideTip();
  if (at) lookUp({ at });
});
byId("lookup").addEventListener("submit", (event) => {
  const symbol = event.target.elements.symbol.value.trim();
  event.preventDefault();
  if (symbol) lookUp({ symbol }, true);
});
const goToLine = byId("go-to-line");
byId("show-line").addEventListener("click", () => goToLine.showModal());
goToLine.addEventListener("submit", ({ target }) => {
  const line = Math.min(parseInt(target.elements.line.value, 10), table.rows.length);
  target.reset();
  if (!(line > 0)) return;
  location.hash = "L" + line;
  // No event follows if the line is selected already.
  show();
});
byId("side").addEventListener("click", (event) => { if (event.target.closest(".close")) closePanel(); });
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !isKeyOfPage(event)) return;
  if (tip.hidden) closePanel();
  else hideTip();
});

const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("role", "tooltip");
document.body.append(tip);
let tipTimer, tipRequest, tipAt;
const hideTip = () => {
  clearTimeout(tipTimer);
  tipRequest?.abort();
  tipAt = undefined;
  tip.hidden = true;
};
table.addEventListener("mousemove", (event) => {
  const at = event.buttons ? undefined : locate(event);
  if (at === tipAt && at) return;
  clearTimeout(tipTimer);
  if (!at) { tipTimer = setTimeout(hideTip, 200); return; }
  tipTimer = setTimeout(() => {
    tipRequest?.abort();
    tipAt = at;
    tipRequest = loadPage(paneUrl("hover", { at }), (page) => {
      const found = page?.getElementById("hover");
      tip.hidden = !found?.hasChildNodes();
      if (tip.hidden) return;
      tip.replaceChildren(...found.childNodes);
      const { innerWidth, innerHeight } = window, { offsetWidth, offsetHeight } = tip;
      tip.style.left = Math.max(8, Math.min(event.clientX, innerWidth - offsetWidth - 8)) + "px";
      tip.style.top = (event.clientY + 16 + offsetHeight < innerHeight ? event.clientY + 16 : Math.max(8, event.clientY - offsetHeight - 12)) + "px";
    });
  }, 350);
});
table.addEventListener("mouseleave", () => { clearTimeout(tipTimer); tipTimer = setTimeout(hideTip, 200); });
tip.addEventListener("mouseenter", () => clearTimeout(tipTimer));
tip.addEventListener("mouseleave", hideTip);
addEventListener("scroll", hideTip);

const tree = byId("tree"), treeKey = "tree " + location.pathname.replace(/\\/-\\/.*/s, "");
const stored = () => { try { return JSON.parse(sessionStorage.getItem(treeKey)) ?? []; } catch { return []; } };
const openFolders = new Set(stored());
const toggle = (link, isOpen) => {
  const list = link.nextElementSibling, address = own(link.href);
  link.setAttribute("aria-expanded", isOpen);
  openFolders[isOpen ? "add" : "delete"](address);
  try { sessionStorage.setItem(treeKey, JSON.stringify([...openFolders].slice(-50))); } catch {}
  if (list) list.hidden = !isOpen;
  else if (isOpen) loadPage(address + "?pane=tree", (page) => {
    const loaded = page?.querySelector("#folder > ul");
    if (!loaded) return report("The folder could not be loaded.");
    link.after(loaded);
    prepareFolders(loaded);
  });
};
const prepareFolders = (root) => {
  for (const link of root.querySelectorAll("a.folder")) {
    const isOpen = !!link.nextElementSibling;
    link.setAttribute("aria-expanded", isOpen);
    if (!isOpen && openFolders.has(own(link.href))) toggle(link, true);
  }
};
if (tree) {
  prepareFolders(tree);
  const current = tree.querySelector("[aria-current]");
  if (current) tree.scrollTop = current.offsetTop - tree.clientHeight / 2;
}
tree?.addEventListener("click", (event) => {
  const link = event.target.closest("a.folder");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  toggle(link, link.getAttribute("aria-expanded") !== "true");
});
tree?.addEventListener("keydown", (event) => {
  const link = event.target.closest("a.folder"), isRight = event.key === "ArrowRight";
  if (!link || (!isRight && event.key !== "ArrowLeft") || isRight === (link.getAttribute("aria-expanded") === "true")) return;
  event.preventDefault();
  toggle(link, isRight);
});
`;
