/** Declares the commands of members, the audit log and licenses. */
import type { CommandDeclarations } from "#client/workbench/declarations";

export const licenseCommands = {
  "org.license": { title: "Enter License Key..." },
} as const satisfies CommandDeclarations;

export const memberCommands = {
  "org.members": {
    title: "Show Members",
    palette: "trawl.licensed",
    menus: { "view/title": [{ when: "view == trawl.apiKeys && trawl.licensed", group: "3_organization@1" }] },
  },
  "org.refreshMembers": {
    title: "Refresh Members",
    icon: "$(refresh)",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.members", group: "navigation@2" }] },
  },
  "org.addMember": {
    title: "Add Member...",
    icon: "$(add)",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.members", group: "navigation@1" }] },
  },
  "org.copyMembersCall": {
    title: "Copy as API Call",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.members", group: "5_copy@1" }] },
  },
} as const satisfies CommandDeclarations;

export const auditLogCommands = {
  "org.audit": {
    title: "Show Audit Log",
    palette: "trawl.licensed",
    menus: { "view/title": [{ when: "view == trawl.apiKeys && trawl.licensed", group: "3_organization@2" }] },
  },
  "org.refreshAudit": {
    title: "Refresh Audit Log",
    icon: "$(refresh)",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.audit", group: "navigation@2" }] },
  },
  "org.followAudit": {
    title: "Follow Audit Log",
    icon: "$(play)",
    palette: false,
    menus: {
      "editor/title": [
        { when: "activeWebviewPanelId == trawl.audit && !trawl.auditFollowed", group: "navigation@1" },
      ],
    },
  },
  "org.unfollowAudit": {
    title: "Stop Following Audit Log",
    icon: "$(debug-pause)",
    palette: false,
    menus: {
      "editor/title": [
        { when: "activeWebviewPanelId == trawl.audit && trawl.auditFollowed", group: "navigation@1" },
      ],
    },
  },
  "org.exportAudit": {
    title: "Export Audit Log...",
    icon: "$(export)",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.audit", group: "navigation@3" }] },
  },
  "org.copyAuditCall": {
    title: "Copy as API Call",
    palette: false,
    menus: { "editor/title": [{ when: "activeWebviewPanelId == trawl.audit", group: "5_copy@1" }] },
  },
} as const satisfies CommandDeclarations;
