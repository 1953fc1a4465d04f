/**
 * Builds `contributes` of `package.json` and the texts of `package.nls.json`.
 *
 * `npm run manifest` writes both files; a test fails when they are stale. Commands are declared in the `contributions.ts`
 * of the room that handles them, settings in `workbench/settingsTable.ts`, views and the rest in `contributions.ts`.
 */

import { auditLogCommands, licenseCommands, memberCommands } from "#client/organization/contributions";
import type { ToolDefinition } from "#contract/agentTools";
import { searchCommands, searchViewCommands } from "./box/contributions";
import { browseCommands, snapshotCommands } from "./browse/contributions";
import { sharedContributions, type Translate } from "./contributions";
import { agentCommands, apiKeyCommands, endpointCommands } from "./endpoint/contributions";
import { syntaxCommands } from "./help/contributions";
import { blameCommands, commitCommands, historyCommands } from "./history/contributions";
import { hostCommands } from "./hosts/contributions";
import { navigationCommands } from "./navigation/contributions";
import { quickSearchCommands } from "./quick/contributions";
import { repositoryCommands } from "./repositories/contributions";
import { copyCommands, resultCommands, resultsDocumentCommands } from "./results/contributions";
import { savedSearchCommands } from "./saved/contributions";
import { serverCommands } from "./status/contributions";
import { teamCommands } from "./team/contributions";
import type { CommandDeclarations, MenuPlacement, Menus, SubmenuId } from "./workbench/declarations";
import { type SettingDeclaration, settingsSections } from "./workbench/settingsTable";

/** Every command of the extension; `extension.ts` must have a handler for each. */
export const declaredCommands = {
  ...searchViewCommands,
  ...searchCommands,
  ...snapshotCommands,
  ...browseCommands,
  ...endpointCommands,
  ...apiKeyCommands,
  ...agentCommands,
  ...syntaxCommands,
  ...blameCommands,
  ...commitCommands,
  ...historyCommands,
  ...navigationCommands,
  ...licenseCommands,
  ...memberCommands,
  ...auditLogCommands,
  ...quickSearchCommands,
  ...repositoryCommands,
  ...hostCommands,
  ...resultsDocumentCommands,
  ...resultCommands,
  ...copyCommands,
  ...savedSearchCommands,
  ...serverCommands,
  ...teamCommands,
} as const satisfies CommandDeclarations;

const submenus: Readonly<Record<SubmenuId, { readonly label: string; readonly menus: Menus }>> = {
  "trawl.editor": {
    label: "Trawl",
    menus: {
      "editor/context": [
        {
          when: "editorIsOpen && resourceScheme =~ /^(file|trawl|untitled|vscode-remote)$/",
          group: "4_search@9",
        },
      ],
    },
  },
  "trawl.exclude": {
    label: "Exclude",
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|folder|repository)\\b/",
          group: "6_filter@1",
        },
      ],
    },
  },
  "trawl.only": {
    label: "Search In",
    menus: {
      "view/item/context": [
        {
          when: "view == trawl.results && viewItem =~ /\\b(line|file|folder|repository)\\b/",
          group: "6_filter@2",
        },
      ],
    },
  },
  "trawl.blame": {
    label: "Blame",
    menus: { "trawl.editor": [{ when: "trawl.fileIndexed", group: "3_history@1" }] },
  },
};

/** Keys that move the focus in the results without changing the selection. */
const focusKeys = {
  down: "list.focusDown",
  up: "list.focusUp",
  pagedown: "list.focusPageDown",
  pageup: "list.focusPageUp",
  home: "list.focusFirst",
  end: "list.focusLast",
  left: "list.collapse",
  right: "list.expand",
};
const focusKeysWhen = "focusedView == trawl.results && listFocus && !inputFocus && !treestickyScrollFocused";

export interface ManifestFiles {
  readonly contributes: Readonly<Record<string, unknown>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** `tools` are those that the server has for agents. */
export function manifestFiles(tools: readonly ToolDefinition[]): ManifestFiles {
  const texts: Record<string, string> = {
    description:
      "Code search across all your git repositories, at any revision. Nothing leaves your computer.",
    untrusted:
      "Repositories that are already indexed can be searched. Until you trust the folder, it is not indexed, and its settings that name programs or files are ignored.",
    virtual: "Indexed repositories can be searched. Unsaved changes in the virtual folder itself cannot.",
  };
  const t: Translate = (key, english) => {
    texts[key] = english;
    return `%${key}%`;
  };
  const contributes = {
    ...sharedContributions(t, tools),
    commands: Object.entries<CommandDeclarations[string]>(declaredCommands).map(
      ([id, { title, icon, enablement }]) => ({
        command: `trawl.${id}`,
        title: t(`command.${id}`, title),
        category: "Trawl",
        ...(icon === undefined ? {} : { icon }),
        ...(enablement === undefined ? {} : { enablement }),
      }),
    ),
    submenus: Object.entries(submenus).map(([id, { label }]) => ({
      id,
      label: t(`submenu.${id.slice("trawl.".length)}`, label),
    })),
    menus: menus(),
    keybindings: keybindings(),
    configuration: configuration(t),
  };
  return { contributes, texts };
}

type MenuItem = MenuPlacement & ({ readonly command: string } | { readonly submenu: string });
type PaletteItem = { readonly command: string; readonly when: string };

function menus(): Record<string, readonly (MenuItem | PaletteItem)[]> {
  const found: Record<string, MenuItem[]> = {};
  const add = (
    owner: { readonly command: string } | { readonly submenu: string },
    placements: Menus = {},
  ) => {
    for (const [menu, items] of Object.entries(placements)) {
      found[menu] ??= [];
      found[menu].push(...items.map((item) => ({ ...owner, ...item })));
    }
  };
  const commandPalette: PaletteItem[] = [];
  for (const [id, declared] of Object.entries<CommandDeclarations[string]>(declaredCommands)) {
    const command = `trawl.${id}`;
    if (declared.palette !== undefined) commandPalette.push({ command, when: String(declared.palette) });
    add({ command }, declared.menus);
  }
  for (const [submenu, declared] of Object.entries(submenus)) add({ submenu }, declared.menus);
  return { commandPalette, ...found };
}

function keybindings(): readonly unknown[] {
  const commandKeybindings = Object.entries<CommandDeclarations[string]>(declaredCommands).flatMap(
    ([id, { keys = [] }]) => keys.map((key) => ({ command: `trawl.${id}`, ...key })),
  );
  const listKeybindings = Object.entries(focusKeys).flatMap(([key, move]) => {
    const binding = (when: string, commands: readonly string[]) => ({
      command: "runCommands",
      key,
      when: `${focusKeysWhen} && ${when}`,
      args: { commands },
    });
    return [
      binding("!listMultiSelection", [
        "list.toggleSelection",
        move,
        "list.toggleSelection",
        "trawl.search.selectLast",
      ]),
      // Leaves the focus where it is.
      binding("listMultiSelection", ["list.clear", move, "list.toggleSelection"]),
    ];
  });
  return [...commandKeybindings, ...listKeybindings];
}

function configuration(t: Translate): readonly unknown[] {
  return Object.entries(settingsSections).map(([section, { title, settings }], order) => ({
    title: t(`settings.${section}`, title),
    order,
    properties: Object.fromEntries(
      Object.entries<SettingDeclaration>(settings).map(([name, setting], index) => {
        const { description, values, patternErrorMessage, ...rest } = setting;
        const property = {
          ...rest,
          ...(values === undefined
            ? {}
            : {
                enum: Object.keys(values),
                enumDescriptions: Object.entries(values).map(([value, text]) =>
                  t(`setting.${name}.${value}`, text),
                ),
              }),
          ...(patternErrorMessage === undefined
            ? {}
            : { patternErrorMessage: t(`setting.${name}.pattern`, patternErrorMessage) }),
          ...(setting.type === "array" ? { items: { type: "string" } } : {}),
          order: index,
          markdownDescription: t(`setting.${name}`, description),
        };
        return [`trawl.${name}`, property];
      }),
    ),
  }));
}
