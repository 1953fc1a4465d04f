/** Blame in the workbench: next to the lines of a file, after the line of the cursor, and one revision back at a time. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { type DrawnLine, drawnLines } from "#e2e/driver/drawnLines";
import { target } from "#e2e/driver/target";
import { shootThemes, themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
import { eventually } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";

const path = "internal/http/client.go";
describe("blame", () => {
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      settings: { "workbench.colorTheme": themes.dark[0], "trawl.trace.server": "messages" },
    });
    addHistory(server);
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.ready();
    await openFile(window, path);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  async function lineWith(part: string): Promise<DrawnLine> {
    return await eventually(async () =>
      (await drawnLines(window)).find(({ text }) => text.replaceAll("\u00a0", " ").includes(part)),
    );
  }

  async function waitForBlame(part: string, expected: RegExp): Promise<void> {
    await eventually(async () => expected.test((await lineWith(part)).before));
  }

  async function isBlamed(): Promise<boolean> {
    return (await drawnLines(window)).some(({ before }) => before !== "");
  }

  async function statusBarHas(text: string): Promise<void> {
    await window.page.locator(".statusbar-item").filter({ hasText: text }).first().waitFor();
  }

  /** Returns the calls for sources and blame from the trace, once the trace contains a call that is made now. */
  async function callsSoFar(): Promise<readonly string[]> {
    const calls = () => traceOf(server).match(/Sending request 'trawl\/\w+/g) ?? [];
    const marks = () => calls().filter((call) => call.endsWith("/branches")).length;
    const marksBefore = marks();
    await window.runCommand("Trawl: Open File at Revision...");
    await window.quickRows.filter({ hasText: "main" }).first().waitFor();
    await window.page.keyboard.press("Escape");
    await eventually(() => marks() > marksBefore);
    return calls().filter((call) => /\/(?:source|blame)$/.test(call));
  }

  it("shows author, age and subject next to lines, once per group of lines", async () => {
    await window.runCommand("Trawl: Toggle File Blame");
    await waitForBlame("package http", /^Ann Author\s+\d+ yr\s+Take orders/);
    const lines = await drawnLines(window);
    assert.match(lines[4]?.before ?? "", /^Grace Hopper\s+.+\s+Say where/);
    assert.equal(lines[1]?.before, "");
    assert.match((await lineWith("c.again")).before, /^\[Mallory\]/);
    assert.equal(new Set(lines.slice(0, 17).map(({ left }) => Math.round(left))).size, 1);
  });

  it("is shown in every kind of theme", async () => {
    await shootThemes(window, server, "blame");
  });

  it("shows the commit of the line under the mouse, with actions", async () => {
    const { left, top } = await lineWith("Client talks");
    await window.page.mouse.move(left + 60, top);
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "Say where payments is" }).first();
    await hover.waitFor();
    const text = (await hover.textContent()) ?? "";
    const parts = [
      "Grace Hopper",
      "Open Commit",
      "Diff",
      "Blame Before This Change",
      "File History",
      "Copy SHA",
    ];
    for (const part of [...parts, "Open on Code Host"])
      assert.ok(text.replaceAll("\u00a0", " ").includes(part), text);
    await window.shot("blame-hover");
  });

  it("shows names and messages of commits as plain text", async () => {
    await window.page.mouse.move(5, 5);
    const { left, top } = await lineWith("c.again");
    await window.page.mouse.move(left + 60, top);
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "[x](command:evil)" }).first();
    await hover.waitFor();
    assert.equal(await hover.locator("img, code").count(), 0);
    assert.ok(
      (await hover.textContent())?.includes("<img src=x> https://e.example www.e.example a@b.cc `c`"),
    );
    const links = await hover.locator("a").allTextContents();
    assert.deepEqual(
      links.filter((link) => !/^(Open|Diff|Blame|File|Copy)/.test(link)),
      [],
    );
    await window.shot("blame-hostile");
    await window.page.mouse.move(5, 5);
  });

  it("follows its lines while the user types", async () => {
    await window.goToLine(1);
    await window.page.keyboard.press("Home");
    // Not key by key: after a word, Enter may accept a suggestion.
    await window.page.keyboard.insertText("mine\n");
    await waitForBlame("mine", /^You · not committed$/);
    await waitForBlame("Client talks", /^Grace Hopper/);
    await waitForBlame("package http", /^Ann Author/);
    await window.shot("blame-unsaved");
    for (let undone = 0; undone < 10 && (await drawnLines(window))[0]?.text.startsWith("mine"); undone++) {
      await window.page.keyboard.press("Control+Z");
    }
  });

  it("goes back one revision at a time", async () => {
    await window.goToLine(8);
    await window.page.locator('.editor-actions [aria-label^="Blame Before This Change"]').click();
    const first = window.editorTab(/client\.go @ HEAD › [0-9a-f]{7} · orders-api/);
    await first.waitFor();
    await eventually(async () => (await window.cursorLine()) === 8);
    await waitForBlame("Client talks", /^Grace Hopper/);
    await window.goToLine(5);
    await window.page.locator('.editor-actions [aria-label^="Blame Before This Change"]').click();
    await window.editorTab(/client\.go @ HEAD › [0-9a-f]{7} › [0-9a-f]{7} · orders-api/).waitFor();
    await waitForBlame("Client talks", /^(Ann Author.*|)$/);
    assert.equal(await window.cursorLine(), 5);
    await window.shot("blame-trail");
    await window.page.keyboard.press("Control+Alt+Minus");
    await eventually(async () => (await first.getAttribute("aria-selected")) === "true");
    await waitForBlame("Client talks", /^Grace Hopper/);
  });

  it("goes forward again", async () => {
    await window.page.keyboard.press("Control+Shift+Minus");
    await waitForBlame("Client talks", /^(Ann Author.*|)$/);
    await window.page.keyboard.press("Control+Alt+Minus");
    await waitForBlame("Client talks", /^Grace Hopper/);
  });

  it("disappears with Escape, and returns without a request", async () => {
    await window.goToLine(3);
    await window.page.keyboard.press("Escape");
    await eventually(async () => !(await isBlamed()));
    const before = await callsSoFar();
    assert.ok(before.length > 0);
    await window.runCommand("Trawl: Toggle File Blame");
    await waitForBlame("Client talks", /^Grace Hopper/);
    assert.deepEqual(await callsSoFar(), before);
    await window.page.keyboard.press("Escape");
    await eventually(async () => !(await isBlamed()));
  });

  it("is shown after the line of the cursor in files of other revisions", async () => {
    await window.goToLine(5);
    await eventually(async () =>
      /^Grace Hopper, .+ • Say where payments is$/.test((await lineWith("Client talks")).after),
    );
    await window.shot("blame-inline");
    await window.goToLine(6);
    await eventually(async () => /^Ann Author/.test((await lineWith("type Client")).after));
    assert.equal((await lineWith("Client talks")).after, "");
  });

  it("is absent for untracked files", async () => {
    server.organization.repositories["orders-api"].write("untracked.txt", "new\n");
    await openFile(window, "untracked.txt");
    await window.runCommand("Trawl: Toggle File Blame");
    await statusBarHas("Not tracked by Git");
    assert.equal(await isBlamed(), false);
    assert.deepEqual(await window.notifications(), []);
  });
});

describe("slow blame", () => {
  const finishFile = join(temporaryFolder(), "patience");
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      environment: {
        PATH: [slowGit(finishFile), dirname(target().vsCode.node), process.env["PATH"]].join(":"),
        // As when started from a terminal, VS Code does not ask a shell for the PATH.
        VSCODE_CLI: "1",
      },
    });
    const { "orders-api": orders } = server.organization.repositories;
    orders.write("long.txt", Array.from({ length: 20_000 }, (_, line) => `line ${line + 1}\n`).join(""));
    orders.git("add", ".");
    orders.git("commit", "-qm", "Write much");
    browser = await launchBrowser();
    window = await Window.open(browser, server);
    await window.ready();
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("is reported after ten seconds, and continues on request", async () => {
    await openFile(window, path);
    await window.runCommand("Trawl: Toggle File Blame");
    const slowLine = async () =>
      (await drawnLines(window)).find(({ before }) => before === "Blame took more than 10 s");
    const { left, top } = await eventually(slowLine, 90_000);
    await window.shot("blame-slow");
    await window.page.mouse.move(left + 60, top);
    writeFileSync(finishFile, "");
    await window.page.locator(".monaco-hover a").filter({ hasText: "Continue" }).click();
    await eventually(async () => (await drawnLines(window))[0]?.before.startsWith("Ann Author"));
    assert.deepEqual(await window.notifications(), []);
  });

  it("appears for the visible lines first, however long the file is", async () => {
    await openFile(window, "long.txt");
    const start = performance.now();
    await window.runCommand("Trawl: Toggle File Blame");
    await eventually(async () => (await drawnLines(window))[0]?.before.startsWith("Ann Author"));
    note(
      `blame of 20,000 lines was shown after ${(performance.now() - start).toFixed(0)} ms, palette included`,
    );
    const line = (await drawnLines(window))[0];
    const columnWidth = (line?.right ?? 0) - (line?.left ?? 0) - 20;
    assert.ok(columnWidth > 200);
    await window.goToLine(15_000);
    await eventually(async () => {
      const now = (await drawnLines(window)).find(({ text }) => text.includes("15000"));
      return now !== undefined && now.right - now.left > columnWidth;
    });
    await window.shot("blame-long");
  });
});

/** Returns a folder with a `git` whose blame hangs until `finishFile` exists. */
function slowGit(finishFile: string): string {
  const folder = temporaryFolder();
  const lines = [
    "#!/bin/sh",
    `for word; do [ "$word" != blame ] || [ -e "${finishFile}" ] || exec sleep 60; done`,
    `PATH="\${PATH#*:}" exec git "$@"`,
  ];
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`, { mode: 0o755 });
  return folder;
}

async function openFile(window: Window, file: string): Promise<void> {
  const name = file.slice(file.lastIndexOf("/") + 1);
  await window.runCommand("Go to File...");
  await window.quickInput.fill(file);
  await window.quickRows.filter({ hasText: name }).first().waitFor();
  await window.page.keyboard.press("Enter");
  await window.editorTab(new RegExp(name)).first().waitFor();
}

/** Returns the trace of messages to and from the server. */
function traceOf({ root }: CodeServer): string {
  const logs = join(root, "data/logs");
  return readdirSync(logs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("Trawl Trace.log"))
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("");
}

function addHistory(server: CodeServer): void {
  const { "orders-api": orders } = server.organization.repositories;
  const commits = [
    [
      "Grace Hopper <grace@example.com>",
      "2024-05-01T10:00:00+02:00",
      "Say where payments is",
      "// Client talks to payments.",
      "// Client talks to payments, wherever they are.",
    ],
    [
      "Linus <linus@example.com>",
      "2026-11-01T10:00:00Z",
      "Keep the port",
      "\taddress string",
      "\taddress string\n\tport    int",
    ],
    [
      "[Mallory](command:evil) <m@example.com>",
      "2026-11-21T10:00:00Z",
      "[x](command:evil) ![i](http://x) **bold** <img src=x> https://e.example www.e.example a@b.cc `c`",
      "\treturn retryWithBackoff(ctx, c.once)",
      "\treturn retryWithBackoff(ctx, c.again)",
    ],
    [
      "漢字 太郎 <t@example.com>",
      "2026-11-22T00:00:00Z",
      "Größe der Warteschlange 漢字漢字漢字漢字漢字",
      "return nil",
      "return ctx.Err()",
    ],
  ] as const;
  for (const [author, date, message, old, fresh] of commits) {
    const text = readFileSync(join(orders.path, path), "utf8");
    orders.write(path, text.replace(old, fresh));
    orders.git("commit", "-qam", message, "--author", author, "--date", date);
  }
}
