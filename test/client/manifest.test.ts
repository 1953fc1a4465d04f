/** What the extension says of itself in `package.json`, against its code and against the rules for its readers. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { defaultSettings } from "#client/defaultSettings";
import { clientSources, manifest, manifestTexts, readProjectFile } from "#test/support/client";
import { projectRoot } from "#test/support/house";

const { contributes, ...about } = manifest();
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));
const commands = contributes.commands.map(({ command }) => command);
const menuItems = Object.values(contributes.menus).flat();
const views = Object.values(contributes.views).flat();

function sameNames(found: Iterable<string>, expected: Iterable<string>): void {
  assert.deepEqual([...new Set(found)].sort(), [...new Set(expected)].sort());
}

test("every setting has the code's default, and every default is a setting", () => {
  const named = Object.keys(defaultSettings).map((name) => `trawl.${name}`);
  sameNames(Object.keys(settings), named);
  for (const [name, value] of Object.entries(defaultSettings)) {
    assert.deepEqual(settings[`trawl.${name}`].default, value, name);
  }
});

test("every setting has a type, a scope, a description and a place of its own in its section", () => {
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

test("every value to choose from is described", () => {
  for (const [name, setting] of contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties),
  )) {
    if (setting.enum !== undefined) {
      assert.equal(setting.enumDescriptions?.length, setting.enum.length, name);
      assert.ok(setting.enum.includes(String(setting.default)), name);
    }
  }
});

test("a folder cannot choose a program, or where the index lies, before it is trusted", () => {
  const guarded = [
    "trawl.server.path",
    "trawl.index.location",
    "trawl.search.sharedFile",
    "trawl.blame.ignoreRevsFile",
  ];
  sameNames(about.capabilities.untrustedWorkspaces.restrictedConfigurations, guarded);
});

test("nothing listens by default", () => {
  assert.equal(settings["trawl.api.enabled"].default, false);
  // Only the person's own settings can start it, never a folder's.
  assert.equal(settings["trawl.api.enabled"].scope, "machine");
});

test("it is activated by what it contributes, and by its documents", () => {
  assert.deepEqual(about.activationEvents, ["onFileSystem:trawl"]);
  assert.deepEqual(about.extensionKind, ["workspace"]);
});

test("one key is taken everywhere, the others only where they are meant", () => {
  const everywhere = contributes.keybindings.filter(({ when }) => when === undefined);
  assert.deepEqual(
    everywhere.map(({ command, key }) => `${key} ${command}`),
    ["ctrl+alt+shift+f trawl.search.focus"],
  );
  for (const { key, when } of contributes.keybindings) {
    if (when !== undefined) assert.match(when, /\btrawl\b/, key);
  }
});

test("the palette has at most 45 commands at a time", () => {
  const whens = new Map(contributes.menus["commandPalette"]?.map(({ command, when }) => [command, when]));
  const shown = commands.filter((command) => whens.get(command) !== "false");
  const shownWhen = (condition: string) => shown.filter((command) => whens.get(command) === condition).length;
  // Of starting and stopping, pausing and resuming, only one is there.
  const opposites = new Set(
    [...whens.values()].filter((when) => when?.startsWith("!") && !/[&|]/.test(when)),
  );
  const never = [...opposites].map((when = "") => Math.min(shownWhen(when), shownWhen(when.slice(1))));
  const most = shown.length - never.reduce((sum, count) => sum + count, 0);
  assert.ok(most <= 45, `${most} of ${shown.join(", ")}`);
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
  // Keys of lists do several things at once.
  const isOurs = (command: string) => commands.includes(command) || command === "runCommands";
  const missing = named.filter((command) => command !== undefined && !isOurs(command));
  assert.deepEqual(missing, []);
});

test("submenus that are shown exist, and those that exist are shown", () => {
  const shown = menuItems.map(({ submenu }) => submenu).filter((submenu) => submenu !== undefined);
  sameNames(
    shown,
    contributes.submenus.map(({ id }) => id),
  );
});

test("what stands in a title bar or beside a row has an icon", () => {
  const icons = new Map(contributes.commands.map(({ command, icon }) => [command, icon]));
  for (const { command, group } of menuItems) {
    const isButton = group?.startsWith("inline") === true;
    if (isButton && command !== undefined) assert.ok(icons.get(command) !== undefined, command);
  }
});

test("every command is registered in the source, and no other", () => {
  const registered = clientSources()
    .filter(({ path, text }) => path.startsWith("src/") && /\bCommands\b/.test(text))
    .flatMap(({ text }) =>
      [...text.matchAll(/^\s*(?:async )?"([a-z]\w*\.\w+)"(?:\(|: )/gm)].map((match) => `trawl.${match[1]}`),
    );
  // VS Code makes a command `focus` for every view.
  const focus = views.map(({ id }) => `${id}.focus`).filter((id) => !registered.includes(id));
  sameNames(
    registered,
    commands.filter((command) => !focus.includes(command)),
  );
});

test("every tree has a welcome for when it is empty, and an icon for when it is moved", () => {
  const welcomed = new Set(contributes.viewsWelcome.map(({ view }) => view));
  for (const { id, type, icon } of views) {
    assert.ok(icon !== undefined, id);
    // The endpoint's row is always there, and the search box is a page of its own.
    if (type !== "webview" && id !== "trawl.apiKeys") assert.ok(welcomed.has(id), id);
  }
});

test("pictures exist; the icon of the activity bar has one colour, that of the shop is large enough", () => {
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

test("pictures of the walkthrough follow the theme without a style sheet, which VS Code would not apply", () => {
  for (const { media } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
    const text = readProjectFile(media.svg);
    assert.match(text, /var\(--vscode-foreground/, media.svg);
    assert.doesNotMatch(text, /<style|\bstyle=|\bclass=|<script/, media.svg);
  }
});

test("the walkthrough has four steps, each done by something", () => {
  const [walkthrough, ...others] = contributes.walkthroughs;
  assert.equal(others.length, 0);
  assert.equal(walkthrough?.steps.length, 4);
  for (const { completionEvents } of walkthrough?.steps ?? []) assert.ok(completionEvents.length > 0);
});

test("own colours have a value for every kind of theme", () => {
  assert.ok(contributes.colors.length <= 12);
  for (const { id, defaults } of contributes.colors) {
    assert.deepEqual(
      Object.keys(defaults).sort(),
      ["dark", "highContrast", "highContrastLight", "light"],
      id,
    );
  }
});
