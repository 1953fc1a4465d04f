/** The pages of the server in a browser: search, keys, copying, narrow screens, both themes, and without script. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchBrowser, shotPath } from "#e2e/driver/window";
import { repo, temporaryFolder } from "#test/support/repo";
import { type Served, serve } from "#test/support/served";

const text = Array.from({ length: 200 }, (_, at) => `export const value${at} = ${at}; // ${"é ".repeat(40)}`);
const wide = { width: 1200, height: 700 };
const phone = { width: 320, height: 700 };

declare global {
  interface Window {
    /** Returns the sum of layout shifts without input, and what has moved. */
    layoutShifts(): { readonly score: number; readonly moved: readonly string[] };
  }
}

/** Runs in a page, before its script. */
function recordLayoutShifts(): void {
  interface LayoutShift extends PerformanceEntry {
    readonly value: number;
    readonly hadRecentInput: boolean;
    readonly sources: readonly { readonly node?: Node }[];
  }
  const moved: string[] = [];
  let score = 0;
  const record = (entries: PerformanceEntryList) => {
    for (const { value, hadRecentInput, sources } of entries as LayoutShift[]) {
      if (hadRecentInput) continue;
      score += value;
      for (const { node } of sources)
        moved.push(
          node instanceof Element ? (node.cloneNode() as Element).outerHTML : `${node?.textContent}`,
        );
    }
  };
  const observer = new PerformanceObserver((list) => record(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  window.layoutShifts = () => {
    record(observer.takeRecords());
    return { score, moved };
  };
}

describe("pages", () => {
  let browser: Browser;
  let server: Served;
  let problems: string[];

  before(async () => {
    const folder = temporaryFolder();
    repo(
      `
      = main: Add values
      src/values.ts
      ${text.map((line) => `| ${line}`).join("\n      ")}
      src/few.ts
      | export const few1 = 1; // é
      | export const few2 = few1;
      "src/<img src=x onerror=alert(1)>.txt"
      | <script>document.title = "hacked"</script>
      striped.txt
      | black and white
      = main: Change a value
      src/values.ts
      ${text.map((line, at) => `| ${at === 100 ? "export const value100 = 0;" : line}`).join("\n      ")}
      src/few.ts
      | export const few1 = 0; // é
      | export const few2 = few1;
      = old from :1: Stay behind
      src/old.ts
      | export const old = 1;
      README.md
      | # Old
    `,
      { path: `${folder}/shop` },
    );
    server = await serve(temporaryFolder(), [folder]);
    await server.ready();
    browser = await launchBrowser();
  });

  beforeEach(() => {
    problems = [];
  });

  afterEach(() => assert.deepEqual(problems, []));

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Opens a page in its own context, and collects errors of its script and violations of its policy. */
  async function open(
    address: string,
    options: BrowserContextOptions = {},
    prepare?: (page: Page) => Promise<void>,
  ): Promise<Page> {
    const context = await browser.newContext({ viewport: wide, ...options });
    const page = await context.newPage();
    await prepare?.(page);
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
    });
    await page.goto(`${server.url}${address}`);
    return page;
  }

  async function openSearch(): Promise<Page> {
    const page = await open("/");
    // The browser focuses the box when it renders the page, which may be after it has loaded.
    await page.locator("input[name=q]:focus").waitFor();
    return page;
  }

  const file = "/browse/shop@main/-/blob/src/values.ts";

  it("leads from the list of repositories to a file by keyboard alone", async () => {
    const page = await open("/repositories");
    await page.getByLabel("Repository").focus();
    await page.keyboard.type("SHO");
    await page.getByText("1 repository", { exact: true }).waitFor();
    await page.waitForURL(/\?filter=SHO$/);
    await page.screenshot({ path: shotPath("pageHome") });
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/browse\/shop\//);
    await page.keyboard.press("t");
    await page.getByLabel("Go to file").waitFor();
    await page.keyboard.type("values ts");
    await page.getByText("1 file", { exact: true }).waitFor();
    await page.screenshot({ path: shotPath("pageFind") });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/-\/blob\/src\/values\.ts$/);
    await page.context().close();
  });

  it("searches while the query is typed, and opens a result by keyboard alone", async () => {
    const page = await openSearch();
    await page.keyboard.type("value10");
    await page.getByText("11 matches · 1 file").waitFor();
    await page.waitForURL(/\/\?q=value10$/);
    await page.getByRole("heading", { name: "value10 · Trawl", level: 1 }).waitFor();
    const focusedLine = () => page.evaluate(() => document.activeElement?.closest("tr")?.textContent ?? "");
    await page.keyboard.press("ArrowDown");
    assert.match(await focusedLine(), /^11export const value10 = 10/);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    assert.match(await focusedLine(), /^101export const value100 = 0/);
    const spoken = page.getByRole("link", { name: /^101\s+export const value100 = 0/ });
    assert.ok(await spoken.evaluate((link) => link === document.activeElement));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/-\/blob\/src\/values\.ts#L101$/);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("l");
    await page.getByRole("dialog", { name: "Go to line" }).waitFor();
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.waitForURL(/values\.ts#L7$/);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.keyboard.press("l");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => scrollY < 100);
    await page.goBack();
    await page.goBack();
    await page.getByText("11 matches · 1 file").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await page.getByText("11 matches · 1 file").waitFor();
    await page.keyboard.press("j");
    assert.match(await focusedLine(), /^11export/);
    await page.keyboard.press("/");
    await page.getByLabel("Search code").fill("value19 ");
    await page.keyboard.press("Enter");
    await page.getByText("11 matches · 1 file").waitFor();
    await page.waitForURL(/\/\?q=value19$/);
    await page.getByLabel("Match whole words").check();
    await page.getByText("1 match · 1 file").waitFor();
    await page.goBack();
    await page.waitForURL(/\/\?q=value19$/);
    await page.getByText("11 matches · 1 file").waitFor();
    assert.equal(await page.getByLabel("Match whole words").isChecked(), false);
    // Nothing on this computer could follow the link to the editor.
    const protocol = await page.context().newCDPSession(page);
    await protocol.send("Page.enable");
    const requested = new Promise<string>((resolve) => {
      protocol.on("Page.frameRequestedNavigation", ({ url }) => resolve(url));
    });
    await page.keyboard.press("o");
    assert.match(await requested, /^vscode:\/\/trawl\.trawl\/open\?%7B.*src%2Fvalues\.ts.*#L20$/);
    await page.context().close();
  });

  it("keeps the results until the next ones are there", async () => {
    const page = await open("/?q=value10");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const requested = page.waitForRequest(/q=value11/);
    await page.route(/q=value11/, async (route) => {
      await held;
      await route.continue();
    });
    await page.getByLabel("Search code").fill("value11");
    await requested;
    assert.equal(await page.locator("#results mark").first().textContent(), "value10");
    release();
    await page.locator("#results mark", { hasText: "value11" }).first().waitFor();
    assert.equal(await page.locator("#results mark", { hasText: "value10" }).count(), 0);
    await page.context().close();
  });

  it("completes filters at the cursor", async () => {
    const page = await openSearch();
    const box = page.getByRole("combobox", { name: "Search code" });
    await page.keyboard.type("value7 la");
    await page.getByRole("option", { name: "lang:" }).waitFor();
    assert.equal(await box.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "lang:", selected: true }).waitFor();
    await page.screenshot({ path: shotPath("pageCompletion") });
    await page.keyboard.press("Enter");
    assert.equal(await box.inputValue(), "value7 lang:");
    await page.keyboard.type("typesc");
    await page.getByRole("option", { name: "TypeScript" }).click();
    assert.equal(await box.inputValue(), "value7 lang:TypeScript");
    await page.getByText("11 matches · 1 file").waitFor();
    assert.equal(await box.getAttribute("aria-expanded"), "false");
    await page.context().close();
  });

  it("shows results on a narrow screen without scrolling the page sideways", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await open("/?q=value1", { viewport: { width: 320, height: 700 }, colorScheme });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 320);
      await page.screenshot({ path: shotPath(`pageSearchNarrow-${colorScheme}`) });
      await page.setViewportSize({ width: 1200, height: 700 });
      await page.screenshot({ path: shotPath(`pageSearch-${colorScheme}`) });
      await page.context().close();
    }
  });

  it("keeps the header of a file in view, above the selected line", async () => {
    const page = await open(`${file}#L150`);
    const header = await page.locator("header").boundingBox();
    const line = await page.locator("#L150").boundingBox();
    assert.ok(header !== null && line !== null);
    assert.equal(header.y, 0);
    assert.ok(line.y > header.height && line.y < 700);
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("link", { name: "Change a value" }).waitFor();
    await page.context().close();
  });

  it("makes the address permanent with y, but not while typing or with a modifier", async () => {
    const page = await open(`${file}#L5-L7`);
    await page.keyboard.press("Control+y");
    await page.keyboard.press("Shift+Y");
    assert.equal(page.url(), `${server.url}${file}#L5-L7`);
    await page.keyboard.press("y");
    await page.getByText("The address is now permanent.").waitFor();
    assert.match(page.url(), /\/browse\/shop@[0-9a-f]{40}\/-\/blob\/src\/values\.ts#L5-L7$/);
    await page.reload();
    assert.equal(await page.locator("tr.chosen").count(), 3);
    // Nothing on this computer could follow it.
    await page.evaluate(() => addEventListener("click", (event) => event.preventDefault(), { once: true }));
    await page.keyboard.press("o");
    const link = await page.getByRole("link", { name: "Open in VS Code" }).getAttribute("href");
    assert.match(link ?? "", /^vscode:\/\/trawl\.trawl\/open\?%7B.*src%2Fvalues\.ts.*#L5-L7$/);
    await page.keyboard.press("t");
    await page.getByLabel("Go to file").waitFor();
    await page.keyboard.type("ty");
    assert.equal(await page.getByLabel("Go to file").inputValue(), "ty");
    await page.context().close();
  });

  it("shows what a name means on a click or by the keyboard, and closes it with Escape", async () => {
    const page = await open(file);
    // A busy server sends text without highlighting, so that no element contains just the name.
    const name = await page.locator("#L3 > td:last-child").evaluate((cell) => {
      const range = document.createRange();
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const at = node.textContent?.indexOf("value2") ?? -1;
        if (at < 0) continue;
        range.setStart(node, at);
        range.setEnd(node, at + 1);
      }
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await page.mouse.click(name.x, name.y);
    await page.getByRole("heading", { name: /^value2 / }).waitFor();
    await page.screenshot({ path: shotPath("pageSymbol") });
    await page.keyboard.press("?");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
    await page.getByRole("heading", { name: /^value2 / }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#panel").textContent(), "");
    await page.keyboard.press("d");
    await page.keyboard.type("value7");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^value7 / }).waitFor();
    await page.waitForFunction(() => document.activeElement?.closest("#panel") !== null);
    await page.keyboard.press("Enter");
    await page.waitForURL(/values\.ts#L8$/);
  });

  it("skips the bar and the lines by the keyboard", async () => {
    const page = await open(file);
    const isFocusIn = (selector: string) =>
      page.evaluate((within) => document.activeElement?.closest(within) !== null, selector);
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to the content" }).waitFor();
    await page.screenshot({ path: shotPath("pageSkip") });
    await page.keyboard.press("Enter");
    await page.waitForURL(/#main$/);
    await page.keyboard.press("Tab");
    assert.ok(await isFocusIn("main .facts"));
    while (await isFocusIn(".facts")) await page.keyboard.press("Tab");
    assert.ok(await isFocusIn(".code"));
    await page.keyboard.press("Tab");
    assert.ok(await isFocusIn("#side"));
    await page.context().close();
  });

  it("opens folders in the tree in place, and remembers them", async () => {
    const page = await open("/browse/shop@old/-/blob/README.md");
    const folder = page.locator("#tree").getByRole("link", { name: "src/" });
    await folder.click();
    await page.locator("#tree").getByRole("link", { name: "old.ts" }).waitFor();
    await page.reload();
    await page.locator("#tree").getByRole("link", { name: "old.ts" }).waitFor();
    await folder.click();
    assert.equal(await page.locator("#tree").getByRole("link", { name: "old.ts" }).isVisible(), false);
  });

  it("writes case sensitivity into the query", async () => {
    const page = await open("/?q=VALUE7");
    await page.locator("article").first().waitFor();
    await page.getByLabel("Match case").click();
    await page.getByText("Nothing found").waitFor();
    assert.equal(await page.getByLabel("Search code").inputValue(), "VALUE7 case:yes");
    await page.getByLabel("Match whole words").check();
    await page.waitForURL(/\/\?q=VALUE7\+case%3Ayes&word=1$/);
    await page.goBack();
    await page.goBack();
    await page.locator("article").first().waitFor();
    assert.equal(await page.getByLabel("Match case").isChecked(), false);
  });

  it("copies the whole file, in insecure contexts too", async () => {
    for (const isSecure of [true, false]) {
      const page = await open(file, { permissions: ["clipboard-read", "clipboard-write"] });
      if (!isSecure)
        await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByText("Copied.").waitFor();
      const reader = await page.context().newPage();
      await reader.goto(`${server.url}${file}`);
      await reader.bringToFront();
      const copied = await reader.evaluate(() => navigator.clipboard.readText());
      assert.equal(copied, await (await fetch(`${server.url}${file.replace("/blob/", "/raw/")}`)).text());
      await page.context().close();
    }
  });

  it("switches the branch and keeps the path", async () => {
    const page = await open(file);
    await page.keyboard.press("w");
    await page.getByLabel("Branch or tag").fill("ol");
    await page.getByText("1 branch or tag", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/@refs\/heads\/old\/-\/blob\/src\/values\.ts$/);
    await page.context().close();
  });

  it("shows blame on a phone without scrolling the page sideways", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await open(`${file}?blame=1`, { viewport: phone, colorScheme });
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= phone.width);
      const who = await page.locator("#L1 .who").boundingBox();
      const code = await page.locator("#L1 td:last-child").boundingBox();
      assert.ok(who !== null && code !== null);
      // The commit is above the code, which starts near the edge.
      assert.ok(who.width > 150 && who.y + who.height <= code.y + 1, JSON.stringify({ who, code }));
      assert.ok(code.x < 100, JSON.stringify(code));
      assert.equal(await page.locator("#L2 .who").isVisible(), false);
      await page.screenshot({ path: shotPath(`pageBlame-${colorScheme}`) });
      await page.context().close();
    }
  });

  it("shows a long file on a phone without scrolling the page sideways", async () => {
    for (const address of [file, `${file}?symbol=value7`]) {
      const page = await open(address, { viewport: phone });
      await page.locator("#L200").waitFor();
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= phone.width);
      await page.context().close();
    }
  });

  it("never runs what a repository contains", async () => {
    const page = await open("/browse/shop/-/tree/src");
    await page.getByRole("link", { name: "<img" }).click();
    await page.getByText("<script>document").waitFor();
    await page.getByRole("link", { name: "Raw", exact: true }).click();
    await page.getByText("<script>document").waitFor();
    assert.notEqual(await page.title(), "hacked");
    await page.context().close();
  });

  // For a file of 200 lines, axe takes several seconds per theme.
  const fewLines = "/browse/shop@main/-/blob/src/few.ts";
  const addresses = [
    "/",
    "/?q=value19",
    "/?q=value1+lang:nope",
    "/?q=type%3Acommit+value",
    "/repositories",
    "/syntax",
    "/settings",
    fewLines,
    `${fewLines}?symbol=few1`,
    `${fewLines}?blame=1`,
    "/browse/shop/-/tree/src",
    "/browse/shop/-/refs/src",
    "/browse/shop/-/authors/",
    "/browse/shop/-/compare/main~1...main",
    "/browse/shop/-/commit/main",
    "/browse/shop/-/commits/",
    "/browse/shop/-/find/",
  ];
  for (const [index, address] of addresses.entries()) {
    it(`has no violations of accessibility rules in both themes: ${address}`, async () => {
      // Axe adds a script, which the policy forbids.
      const page = await open(address, { colorScheme: "light", bypassCSP: true, viewport: phone });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        // Pages have no frames, for which the other mode opens a page each time.
        const axe = new AxeBuilder({ page }).setLegacyMode();
        // The themes differ only in their colors.
        if (colorScheme === "dark") axe.withRules("color-contrast");
        const { violations } = await axe.analyze();
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`),
          [],
        );
        await page.screenshot({ path: shotPath(`page-${index}-${colorScheme}`) });
      }
      const tree = await page.locator("body").ariaSnapshot();
      // Landmarks without a name, or with nothing to go to.
      assert.doesNotMatch(tree, /^ *- (?:navigation|search|complementary)(?:: *$| "[^"]*"$)/m);
      assert.doesNotMatch(tree, /- navigation "[^"]*":\n *- status/);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= phone.width);
      await page.context().close();
    });
  }

  it("is dark if its user chooses that, whatever the system says", async () => {
    const page = await open("/settings", { colorScheme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await background(), "rgb(255, 255, 255)");
    await page.getByRole("button", { name: "Dark" }).click();
    await page.getByRole("button", { name: "Dark", pressed: true }).waitFor();
    assert.equal(await background(), "rgb(13, 17, 23)");
    await page.screenshot({ path: shotPath("pageSettings") });
    await page.goto(`${server.url}${file}?blame=1`);
    assert.equal(await background(), "rgb(13, 17, 23)");
    // Paper is light, and browsers print no backgrounds.
    await page.emulateMedia({ media: "print" });
    assert.equal(await background(), "rgb(255, 255, 255)");
    const line = await page.locator("#L1").boundingBox();
    assert.ok(line !== null && line.height < 50, JSON.stringify(line));
    await page.screenshot({ path: shotPath("pagePrinted") });
    await page.context().close();
  });

  it("shows matches, focus, toggles and selected lines in forced colors", async () => {
    const page = await open("/?q=value19", { forcedColors: "active", bypassCSP: true });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const styleOf = (locator: Locator) =>
      locator.evaluate((element) => {
        const { backgroundColor, outlineStyle, outlineColor } = getComputedStyle(element);
        return { backgroundColor, outline: outlineStyle === "none" ? "none" : outlineColor };
      });
    const assertOutlined = async (locator: Locator) => {
      const { outline } = await styleOf(locator);
      assert.ok(outline !== "none" && outline !== background, outline);
    };
    const assertReadable = async () => {
      const { violations } = await new AxeBuilder({ page })
        .setLegacyMode()
        .withRules("color-contrast")
        .analyze();
      assert.deepEqual(
        violations.flatMap(({ nodes }) => nodes.map(({ html }) => html)),
        [],
      );
    };
    await assertReadable();
    const mark = await styleOf(page.locator("#results mark").first());
    assert.notEqual(mark.backgroundColor, background);
    const words = page.locator("label", { has: page.getByLabel("Match whole words") });
    const unchecked = await styleOf(words);
    await page.getByLabel("Match whole words").check();
    await page.getByText("1 match · 1 file").waitFor();
    await page.getByLabel("Search code").focus();
    const { backgroundColor, outline } = await styleOf(words);
    assert.notEqual(backgroundColor, unchecked.backgroundColor);
    // Only the focused one is outlined.
    assert.equal(outline, "none");
    await assertReadable();
    await page.getByLabel("Search code").fill("value19 la");
    await page.getByRole("option", { name: "lang:" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await assertOutlined(page.getByRole("option", { name: "lang:", selected: true }));
    await page.screenshot({ path: shotPath("pageForcedColors") });
    await page.keyboard.press("Escape");
    for (let stop = 0; stop < 6; stop++) {
      await page.keyboard.press("Tab");
      const focused = page.locator("*:focus");
      // A checkbox is invisible above its label.
      const isCheckbox = (await focused.getAttribute("type")) === "checkbox";
      await assertOutlined(isCheckbox ? page.locator("label:has(:focus)") : focused);
    }
    await page.goto(`${server.url}${file}#L7`);
    await assertReadable();
    await assertOutlined(page.locator("#L7"));
    await page.screenshot({ path: shotPath("pageForcedColorsFile") });
    await page.goto(`${server.url}/browse/shop/-/commit/main`);
    await assertReadable();
    await page.goto(`${server.url}/settings`);
    await assertReadable();
    const theme = page.getByRole("button", { name: "System", pressed: true });
    const others = await styleOf(page.getByRole("button", { name: "Dark" }));
    assert.notEqual((await styleOf(theme)).backgroundColor, others.backgroundColor);
    await theme.focus();
    await assertOutlined(theme);
    await page.screenshot({ path: shotPath("pageForcedColorsSettings") });
    await page.context().close();
  });

  for (const [width, viewport] of Object.entries({ wide, narrow: phone })) {
    it(`moves nothing on ${width} screens while pages arrive slowly`, async () => {
      const shifts: string[] = [];
      for (const address of ["/?q=value", file, "/browse/shop/-/commit/main", "/repositories"]) {
        const page = await open(address, { viewport }, async (opened) => {
          await opened.addInitScript(recordLayoutShifts);
          const protocol = await opened.context().newCDPSession(opened);
          await protocol.send("Network.enable");
          const conditions = { offline: false, latency: 0, uploadThroughput: -1 };
          await protocol.send("Network.emulateNetworkConditions", {
            ...conditions,
            downloadThroughput: 100_000,
          });
        });
        if (address === file) {
          await page.keyboard.press("y");
          await page.getByText("The address is now permanent.").waitFor();
          await page.locator("#message:empty").waitFor({ state: "attached" });
        }
        // The last frame is complete then.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        const { score, moved } = await page.evaluate(() => window.layoutShifts());
        if (score > 0.001) shifts.push(`${address}: ${score.toFixed(4)}: ${moved.join(", ")}`);
        await page.context().close();
      }
      assert.deepEqual(shifts, []);
    });
  }

  it("renders only changes near the view, but finds, selects and prints all of them", async () => {
    const page = await open("/browse/shop/-/commit/main~1");
    const line = page.getByText("+black and white");
    const isRendered = () => line.evaluate((cell) => cell.checkVisibility({ contentVisibilityAuto: true }));
    assert.equal(await isRendered(), false);
    const selected = await page.evaluate(() => {
      getSelection()?.selectAllChildren(document.body);
      const text = String(getSelection());
      getSelection()?.removeAllRanges();
      return text;
    });
    assert.match(selected, /\+black and white/);
    await page.emulateMedia({ media: "print" });
    assert.equal(await isRendered(), true);
    await page.emulateMedia({ media: "screen" });
    assert.equal(await isRendered(), false);
    await page.evaluate(() => (window as unknown as { find(text: string): boolean }).find("black and white"));
    await page.waitForFunction(() => scrollY > 3000);
    assert.equal(await isRendered(), true);
    await page.context().close();
  });

  it("works without script", async () => {
    const page = await open("/", { javaScriptEnabled: false });
    await page.getByLabel("Search code").fill("value7");
    await page.getByLabel("Match whole words").check();
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1 match · 1 file").waitFor();
    await page.getByRole("link", { name: "8", exact: true }).click();
    await page.waitForURL(/@[0-9a-f]{40}\/-\/blob\/src\/values\.ts#L8$/);
    await page.getByRole("link", { name: "Repositories" }).click();
    await page.getByLabel("Repository").fill("shop");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: "shop" }).click();
    await page.getByRole("link", { name: "Go to file" }).click();
    await page.getByLabel("Go to file").fill("values");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "src/values.ts" }).click();
    assert.equal(await page.getByRole("button", { name: "Copy" }).isVisible(), false);
    await page.getByRole("link", { name: "Permalink" }).click();
    await page.waitForURL(/@[0-9a-f]{40}\/-\/blob\/src\/values\.ts$/);
    await page.context().close();
  });
});
