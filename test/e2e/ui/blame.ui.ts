/** Blame as a person sees it: beside the lines of a file, behind the line of the cursor, and step by step back in time. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser } from "playwright-core";
import { type CodeServer, startCodeServer } from "#e2e/driver/codeServer";
import { type DrawnLine, drawnLines } from "#e2e/driver/drawnLines";
import { until } from "#e2e/driver/processes";
import { target } from "#e2e/driver/target";
import { shootThemes, themes } from "#e2e/driver/themes";
import { launchBrowser, Window } from "#e2e/driver/window";
import { note } from "#e2e/report";
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
    return await until(`a line has "${part}"`, async () =>
      (await drawnLines(window)).find(({ text }) => text.replaceAll("\u00a0", " ").includes(part)),
    );
  }

  async function untilBefore(part: string, expected: RegExp): Promise<void> {
    await until(`"${part}" is of ${expected}`, async () => expected.test((await lineWith(part)).before));
  }

  async function isBlamed(): Promise<boolean> {
    return (await drawnLines(window)).some(({ before }) => before !== "");
  }

  async function statusBarHas(text: string): Promise<void> {
    await window.page.locator(".statusbar-item").filter({ hasText: text }).first().waitFor();
  }

  /** Calls for texts and blame, as the trace has them once it has a call that is made now. */
  async function callsSoFar(): Promise<readonly string[]> {
    const calls = () => traceOf(server).match(/Sending request 'trawl\/\w+/g) ?? [];
    const marks = () => calls().filter((call) => call.endsWith("/branches")).length;
    const marksBefore = marks();
    await window.runCommand("Trawl: Open File at Revision...");
    await window.quickRows.filter({ hasText: "main" }).first().waitFor();
    await window.page.keyboard.press("Escape");
    await until("the trace has the call", () => marks() > marksBefore);
    return calls().filter((call) => /\/(?:source|blame)$/.test(call));
  }

  it("stands beside the lines: name, age and subject, once for lines that belong together", async () => {
    await window.runCommand("Trawl: Toggle File Blame");
    await untilBefore("package http", /^Ann Author · \S+ · Take orders/);
    const lines = await drawnLines(window);
    assert.match(lines[4]?.before ?? "", /^Grace Hopper · .+ · Say where/);
    assert.equal(lines[1]?.before, "");
    assert.match((await lineWith("c.again")).before, /^\[Mallory\]/);
    assert.equal(new Set(lines.slice(0, 17).map(({ left }) => Math.round(left))).size, 1);
  });

  it("looks well in every kind of theme", async () => {
    await shootThemes(window, server, "blame");
  });

  it("says of the line under the mouse what its commit is, and what can be done", async () => {
    const { left, top } = await lineWith("Client talks");
    await window.page.mouse.move(left + 60, top);
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "Say where payments is" }).first();
    await hover.waitFor();
    const text = (await hover.textContent()) ?? "";
    const parts = ["Grace Hopper", "Open Commit", "Diff", "Blame Before This", "File History", "Copy SHA"];
    for (const part of [...parts, "Open on Host"])
      assert.ok(text.replaceAll("\u00a0", " ").includes(part), text);
    await window.shot("blame-hover");
  });

  it("shows what others wrote as text", async () => {
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

  it("stays with its lines while somebody types", async () => {
    await window.goToLine(1);
    await window.page.keyboard.press("Home");
    await window.page.keyboard.type("mine\n");
    await untilBefore("mine", /^You · not committed$/);
    await untilBefore("Client talks", /^Grace Hopper/);
    await untilBefore("package http", /^Ann Author/);
    await window.shot("blame-unsaved");
    for (let undone = 0; undone < 10 && (await drawnLines(window))[0]?.text.startsWith("mine"); undone++) {
      await window.page.keyboard.press("Control+Z");
    }
  });

  it("goes back step by step", async () => {
    await window.goToLine(8);
    await window.page.locator('.editor-actions [aria-label^="Blame Before This Change"]').click();
    const first = window.editorTab(/client\.go @ HEAD › [0-9a-f]{7} · orders-api/);
    await first.waitFor();
    await until("the cursor is where the line was put in", async () => (await window.cursorLine()) === 8);
    await untilBefore("Client talks", /^Grace Hopper/);
    await window.goToLine(5);
    await window.page.locator('.editor-actions [aria-label^="Blame Before This Change"]').click();
    await window.editorTab(/client\.go @ HEAD › [0-9a-f]{7} › [0-9a-f]{7} · orders-api/).waitFor();
    await untilBefore("Client talks", /^(Ann Author.*|)$/);
    assert.equal(await window.cursorLine(), 5);
    await window.shot("blame-trail");
    await window.page.keyboard.press("Control+Alt+Minus");
    await until(
      "it is the first step again",
      async () => (await first.getAttribute("aria-selected")) === "true",
    );
    await untilBefore("Client talks", /^Grace Hopper/);
  });

  it("is gone forth again, too", async () => {
    await window.page.keyboard.press("Control+Shift+Minus");
    await untilBefore("Client talks", /^(Ann Author.*|)$/);
    await window.page.keyboard.press("Control+Alt+Minus");
    await untilBefore("Client talks", /^Grace Hopper/);
  });

  it("goes with Escape, and comes back without asking anybody", async () => {
    await window.goToLine(3);
    await window.page.keyboard.press("Escape");
    await until("there is none", async () => !(await isBlamed()));
    const before = await callsSoFar();
    assert.ok(before.length > 0);
    await window.runCommand("Trawl: Toggle File Blame");
    await untilBefore("Client talks", /^Grace Hopper/);
    assert.deepEqual(await callsSoFar(), before);
    await window.page.keyboard.press("Escape");
    await until("there is none", async () => !(await isBlamed()));
  });

  it("is behind the line of the cursor in files of other revisions", async () => {
    await window.goToLine(5);
    await until("the line says who wrote it", async () =>
      /^Grace Hopper, .+ • Say where payments is$/.test((await lineWith("Client talks")).after),
    );
    await window.shot("blame-inline");
    await window.goToLine(6);
    await until("the next one says so", async () =>
      /^Ann Author/.test((await lineWith("type Client")).after),
    );
    assert.equal((await lineWith("Client talks")).after, "");
  });

  it("is not there for what git does not know", async () => {
    server.organisation.repositories["orders-api"].write("untracked.txt", "new\n");
    await openFile(window, "untracked.txt");
    await window.runCommand("Trawl: Toggle File Blame");
    await statusBarHas("Not tracked by Git");
    assert.equal(await isBlamed(), false);
    assert.deepEqual(await window.notifications(), []);
  });
});

describe("blame of what takes long", () => {
  const patience = join(temporaryFolder(), "patience");
  let browser: Browser;
  let server: CodeServer;
  let window: Window;

  before(async () => {
    server = await startCodeServer({
      hasVsix: true,
      environment: {
        PATH: [slowGit(patience), dirname(target().vsCode.node), process.env["PATH"]].join(":"),
        // As from a terminal: nobody asks a shell for another PATH.
        VSCODE_CLI: "1",
      },
    });
    const { "orders-api": orders } = server.organisation.repositories;
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

  it("says so after ten seconds, and goes on where somebody wants it to", async () => {
    await openFile(window, path);
    await window.runCommand("Trawl: Toggle File Blame");
    const told = async () =>
      (await drawnLines(window)).find(({ before }) => before === "Blame took more than 10 s");
    const { left, top } = await until("it says so", told, 40_000);
    await window.shot("blame-slow");
    await window.page.mouse.move(left + 60, top);
    writeFileSync(patience, "");
    await window.page.locator(".monaco-hover a").filter({ hasText: "Continue" }).click();
    await until("the blame is there", async () =>
      (await drawnLines(window))[0]?.before.startsWith("Ann Author"),
    );
    assert.deepEqual(await window.notifications(), []);
  });

  it("is there for the lines that are seen, however long the file", async () => {
    await openFile(window, "long.txt");
    const start = performance.now();
    await window.runCommand("Trawl: Toggle File Blame");
    await until("the blame is there", async () =>
      (await drawnLines(window))[0]?.before.startsWith("Ann Author"),
    );
    note(
      `blame of 20,000 lines was seen after ${(performance.now() - start).toFixed(0)} ms, palette included`,
    );
    const line = (await drawnLines(window))[0];
    const columnWidth = (line?.right ?? 0) - (line?.left ?? 0) - 20;
    assert.ok(columnWidth > 200);
    await window.goToLine(15_000);
    await until("the column is there, too", async () => {
      const now = (await drawnLines(window)).find(({ text }) => text.includes("15000"));
      return now !== undefined && now.right - now.left > columnWidth;
    });
    await window.shot("blame-long");
  });
});

/** A folder with a git that takes its time for blame, until there is a file at `patience`. */
function slowGit(patience: string): string {
  const folder = temporaryFolder();
  const lines = [
    "#!/bin/sh",
    `for word; do [ "$word" != blame ] || [ -e "${patience}" ] || exec sleep 60; done`,
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

/** What was written about the traffic with the server. */
function traceOf({ root }: CodeServer): string {
  const logs = join(root, "data/logs");
  return readdirSync(logs, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("Trawl Trace.log"))
    .map((name) => readFileSync(join(logs, name), "utf8"))
    .join("");
}

function addHistory(server: CodeServer): void {
  const { "orders-api": orders } = server.organisation.repositories;
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
