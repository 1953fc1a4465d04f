/** Compares `package.json` with the extension's code, and with VS Code's rules. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { toolDefinitions } from "#agents/toolDefinitions";
import { declaredCommands, manifestFiles } from "#client/manifest";
import { manifest, manifestTexts, readProjectFile } from "#test/support/client";
import { projectRoot } from "#test/support/house";

const { contributes, ...about } = manifest();
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));
const commands = contributes.commands.map(({ command }) => command);
const menuItems = Object.values(contributes.menus).flat();
const views = Object.values(contributes.views).flat();

function sameNames(found: Iterable<string>, expected: Iterable<string>): void {
  assert.deepEqual([...new Set(found)].sort(), [...new Set(expected)].sort());
}

test("package.json and package.nls.json are as `npm run manifest` writes them", () => {
  const written = manifestFiles(toolDefinitions());
  assert.deepEqual(contributes, written.contributes);
  assert.deepEqual(manifestTexts(), written.texts);
});

test("every setting has a type, a scope, a description and a position of its own in its section", () => {
  const scopes = ["machine", "machine-overridable", "window", "resource", "language-overridable"];
  for (const { title, properties } of contributes.configuration) {
    const orders = Object.values(properties).map(({ order }) => order);
    assert.deepEqual(
      [...orders].sort((a, b) => Number(a) - Number(b)),
      [...orders.keys()],
      title,
    );
    for (const [name, setting] of Object.entries(properties)) {
      assert.ok(setting.type !== undefined, name);
      assert.ok(scopes.includes(setting.scope ?? ""), `${name}: ${setting.scope}`);
      assert.match(setting.markdownDescription ?? "", /^%.+%$/, name);
    }
  }
  const sections = contributes.configuration.map(({ order }) => order);
  assert.deepEqual(sections, [...sections.keys()]);
});

test("every allowed value is described", () => {
  for (const [name, setting] of contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties),
  )) {
    if (setting.enum !== undefined) {
      assert.equal(setting.enumDescriptions?.length, setting.enum.length, name);
      assert.ok(setting.enum.includes(String(setting.default)), name);
    }
  }
});

test("a folder cannot choose a program or the index location before it is trusted", () => {
  const guarded = [
    "trawl.server.path",
    "trawl.index.location",
    "trawl.search.sharedFile",
    "trawl.blame.ignoreRevsFile",
  ];
  sameNames(about.capabilities.untrustedWorkspaces.restrictedConfigurations, guarded);
});

test("no port is open by default", () => {
  assert.equal(settings["trawl.api.enabled"].default, false);
  // Only the user's own settings can start it, never a folder's.
  assert.equal(settings["trawl.api.enabled"].scope, "machine");
});

test("the extension is activated by its contributions, its documents and its links", () => {
  assert.deepEqual(about.activationEvents, ["onFileSystem:trawl", "onUri"]);
  assert.deepEqual(about.extensionKind, ["workspace"]);
});

test("only one keybinding is global", () => {
  const everywhere = contributes.keybindings.filter(({ when }) => when === undefined);
  // The same key searches for the selection.
  const [{ key: focusKey = "" } = {}] = everywhere;
  assert.deepEqual(
    everywhere.map(({ command, key }) => `${key} ${command}`),
    ["ctrl+alt+shift+f trawl.search.focus"],
  );
  for (const { key, when } of contributes.keybindings) {
    if (when !== undefined && key !== focusKey) assert.match(when, /\btrawl\b/, key);
  }
});

test("the palette has at most 45 commands at a time", () => {
  const whens = new Map(contributes.menus["commandPalette"]?.map(({ command, when }) => [command, when]));
  const shown = commands.filter((command) => whens.get(command) !== "false");
  const shownWhen = (condition: string) => shown.filter((command) => whens.get(command) === condition).length;
  // Only one each of start and stop, and of pause and resume, is listed.
  const opposites = new Set(
    [...whens.values()].filter((when) => /^(?:[\w.]+ && )?![\w.]+$/.test(when ?? "")),
  );
  const never = [...opposites].map((when = "") =>
    Math.min(shownWhen(when), shownWhen(when.slice(when.indexOf("!") + 1))),
  );
  const most = shown.length - never.reduce((sum, count) => sum + count, 0);
  assert.ok(most <= 45, `${most} of ${shown.join(", ")}`);
});

test("the palette of a newcomer lists at most 25 entries of Trawl", () => {
  const whens = new Map(contributes.menus["commandPalette"]?.map(({ command, when }) => [command, when]));
  // VS Code lists "Focus on … View" for every view without a condition.
  const focusing = Object.values(contributes.views)
    .flat()
    .filter(({ when }) => when === undefined);
  const file = ["editorIsOpen", "editorTextFocus"];
  for (const keys of [
    [],
    file,
    [...file, "editorHasSelection"],
    ["trawl.active", ...file, "trawl.fileIndexed", "trawl.indexing", "editorHasSelection"],
  ]) {
    const listed = commands.filter((command) => holds(whens.get(command), keys));
    const most = listed.length + focusing.length;
    assert.ok(most <= 25, `${most} with ${keys.join(", ")}: ${listed.join(", ")}`);
    assert.ok(listed.length >= 12, listed.join(", "));
  }
});

/** Whether a when clause of names, `!`, `&&`, `||` and parentheses holds if only these keys are set. */
function holds(when: string | undefined, keys: readonly string[]): boolean {
  if (when === undefined) return true;
  const inner = when.replace(/\(([^()]*)\)/g, (_, group: string) => String(holds(group, keys)));
  if (inner !== when) return holds(inner, keys);
  const isSet = (name: string) => name === "true" || keys.includes(name);
  return when.split("||").some((part) =>
    part.split("&&").every((each) => {
      const name = each.trim();
      return name.startsWith("!") ? !isSet(name.slice(1)) : isSet(name);
    }),
  );
}

test("titles end with an ellipsis only where the command asks for something", () => {
  const texts = manifestTexts();
  const titles = contributes.commands.map(({ title }) => texts[title.slice(1, -1)] ?? "");
  // Rows name the repository or the commit that these would ask for.
  for (const title of ["Open Commit", "Show Repository History"]) {
    assert.ok(titles.includes(title) && titles.includes(`${title}...`), title);
  }
});

test("commands have one category, and titles from the texts", () => {
  for (const { command, title, category } of contributes.commands) {
    assert.equal(category, "Trawl", command);
    assert.match(title, /^%.+%$/, command);
  }
  assert.equal(new Set(commands).size, commands.length);
});

test("menus, keys, links and steps name commands that exist", () => {
  const texts = Object.values(manifestTexts()).join("\n");
  const links = [...texts.matchAll(/\(command:([\w.]+)\)/g)].map((match) => match[1] ?? "");
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  const completions = steps.flatMap(({ completionEvents }) =>
    completionEvents.filter((event) => event.startsWith("onCommand:")).map((event) => event.slice(10)),
  );
  const named = [
    ...menuItems.map(({ command }) => command),
    ...contributes.keybindings.map(({ command }) => command),
    ...links,
    ...completions,
  ];
  // Keybindings of lists run several commands.
  const isOurs = (command: string) => commands.includes(command) || command === "runCommands";
  const missing = named.filter((command) => command !== undefined && !isOurs(command));
  assert.deepEqual(missing, []);
});

test("every submenu that is used is declared, and every declared one is used", () => {
  const shown = menuItems.map(({ submenu }) => submenu).filter((submenu) => submenu !== undefined);
  sameNames(
    shown,
    contributes.submenus.map(({ id }) => id),
  );
});

test("actions in a title bar or inline in a row have an icon", () => {
  const icons = new Map(contributes.commands.map(({ command, icon }) => [command, icon]));
  for (const { command, group } of menuItems) {
    const isButton = group?.startsWith("inline") === true;
    if (isButton && command !== undefined) assert.ok(icons.get(command) !== undefined, command);
  }
});

test("VS Code itself handles only `focus` of a view", () => {
  const builtIn = Object.entries(declaredCommands)
    .filter(([, declared]) => "isBuiltIn" in declared)
    .map(([id]) => `trawl.${id}`);
  const focus = views.map(({ id }) => `${id}.focus`);
  assert.deepEqual(
    builtIn.filter((id) => !focus.includes(id)),
    [],
  );
});

test("every tree has a welcome view for when it is empty, and an icon for when it is moved", () => {
  const welcomed = new Set(contributes.viewsWelcome.map(({ view }) => view));
  for (const { id, type, icon } of views) {
    assert.ok(icon !== undefined, id);
    // The endpoint's tree is never empty, and the search view is a webview.
    if (type !== "webview" && id !== "trawl.apiKeys") assert.ok(welcomed.has(id), id);
  }
});

test("images exist; the activity bar icon has one color, and the Marketplace icon is large enough", () => {
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  const containers = Object.values(contributes.viewsContainers).flat();
  const pictures = [
    about.icon,
    ...containers.map(({ icon }) => icon),
    ...views.map(({ icon }) => icon),
    ...steps.map(({ media }) => media.svg),
  ];
  for (const path of pictures) assert.ok(path !== undefined && existsSync(join(projectRoot(), path)), path);
  for (const { icon } of containers) {
    const colours = new Set(readProjectFile(icon).match(/#[0-9a-f]{3,8}\b/gi));
    assert.equal(colours.size, 1, icon);
  }
  const png = readFileSync(join(projectRoot(), about.icon));
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.ok(png.readUInt32BE(16) >= 128 && png.readUInt32BE(20) >= 128);
});

test("images of the walkthrough follow the theme without a style sheet, which VS Code would not apply", () => {
  for (const { media } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    const text = readProjectFile(media.svg);
    assert.match(text, /var\(--vscode-foreground/, media.svg);
    assert.doesNotMatch(text, /<style|\bstyle=|\bclass=|<script/, media.svg);
  }
});

test("the walkthrough has five steps, each done by something", () => {
  const [walkthrough, ...others] = contributes.walkthroughs;
  assert.equal(others.length, 0);
  assert.equal(walkthrough?.steps.length, 5);
  for (const { completionEvents } of walkthrough?.steps ?? []) assert.ok(completionEvents.length > 0);
  const events = (walkthrough?.steps ?? []).flatMap(({ completionEvents }) => completionEvents);
  for (const command of ["blame.toggleFile", "history.file", "browse.repository"]) {
    assert.ok(events.includes(`onCommand:trawl.${command}`), command);
  }
});

test("contributed colors have a value for every kind of theme", () => {
  assert.ok(contributes.colors.length <= 12);
  for (const { id, defaults } of contributes.colors) {
    assert.deepEqual(
      Object.keys(defaults).sort(),
      ["dark", "highContrast", "highContrastLight", "light"],
      id,
    );
  }
});

test("the package names the repository that it is built from, which the pictures of the README are loaded from", () => {
  const published = (env: Readonly<Record<string, string>>) => {
    const words = [join(projectRoot(), "scripts/package.mjs"), "--manifest"];
    const { stdout } = spawnSync(process.execPath, words, {
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    return JSON.parse(stdout) as { readonly repository?: { readonly url: string } };
  };
  const server = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/tools" };
  assert.equal(published(server).repository?.url, "https://github.com/acme/tools");
  const origin = (url: string) => ({
    GITHUB_REPOSITORY: "",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "remote.origin.url",
    GIT_CONFIG_VALUE_0: url,
  });
  assert.equal(
    published(origin("git@github.com:acme/tools.git")).repository?.url,
    "https://github.com/acme/tools",
  );
  assert.equal(
    published(origin("https://me:secret@gitlab.com/acme/a/tools")).repository?.url,
    "https://gitlab.com/acme/a/tools",
  );
  assert.equal(published(origin("/srv/tools.git")).repository, undefined);
});

test("pictures of the README exist, and are small enough for a download", () => {
  const pictures = [...readProjectFile("README.md").matchAll(/!\[[^\]]+\]\((media\/[^)]+)\)/g)].map(
    (match) => match[1] ?? "",
  );
  assert.ok(pictures.length >= 5, pictures.join(", "));
  for (const picture of pictures) assert.ok(statSync(join(projectRoot(), picture)).size <= 150_000, picture);
});
