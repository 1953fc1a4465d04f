/** Declares the commands of the local endpoint, API keys and agents. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const endpointCommands = {
  "api.start": {
    title: "Start Local Endpoint",
    icon: "$(play)",
    enablement: "!trawl.apiRunning",
    palette: "!trawl.apiRunning",
    menus: {
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == endpointStopped", group: "inline@1" },
        { when: "view == trawl.apiKeys && viewItem == endpointStopped", group: "1_endpoint@1" },
      ],
    },
  },
  "api.stop": {
    title: "Stop Local Endpoint",
    icon: "$(debug-stop)",
    enablement: "trawl.apiRunning",
    palette: "trawl.apiRunning",
    menus: {
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == endpointRunning", group: "inline@2" },
        { when: "view == trawl.apiKeys && viewItem == endpointRunning", group: "1_endpoint@2" },
      ],
    },
  },
  "api.copyAddress": {
    title: "Copy Endpoint Address",
    icon: "$(copy)",
    enablement: "trawl.apiRunning",
    palette: "trawl.apiRunning",
    menus: {
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == endpointRunning", group: "inline@1" },
        { when: "view == trawl.apiKeys && viewItem == endpointRunning", group: "1_endpoint@1" },
      ],
    },
  },
} as const satisfies CommandDeclarations;

export const apiKeyCommands = {
  "api.createKey": {
    title: "Create API Key...",
    icon: "$(add)",
    palette: "trawl.used || trawl.apiRunning",
    menus: {
      "view/title": [{ when: "view == trawl.apiKeys", group: "navigation@1" }],
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == apiKeys", group: "inline@1" },
        { when: "view == trawl.apiKeys && viewItem == apiKeys", group: "1_keys@1" },
      ],
    },
  },
  "api.revokeKey": {
    title: "Revoke API Key...",
    icon: "$(trash)",
    palette: false,
    menus: {
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == apiKey", group: "inline@1" },
        { when: "view == trawl.apiKeys && viewItem == apiKey", group: "1_keys@1" },
      ],
    },
  },
  "api.refreshKeys": {
    title: "Refresh API Keys",
    icon: "$(refresh)",
    palette: false,
    menus: { "view/title": [{ when: "view == trawl.apiKeys", group: "navigation@2" }] },
  },
} as const satisfies CommandDeclarations;

export const agentCommands = {
  "agents.setup": {
    title: "Set Up for Agents...",
    icon: "$(hubot)",
    menus: {
      "view/item/context": [
        { when: "view == trawl.apiKeys && viewItem == agents", group: "inline@1" },
        { when: "view == trawl.apiKeys && viewItem == agents", group: "1_agents@1" },
      ],
    },
  },
} as const satisfies CommandDeclarations;
