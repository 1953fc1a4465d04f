/** Commands that connect to the team's server, and disconnect from it. */
import * as vscode from "vscode";
import type { TeamServer, TeamServerAddress } from "#client/model/teamServer";
import { repositoriesText } from "#client/search/status";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import type { ServerConnectionState } from "#contract/team";
import { askChecked } from "./checkedInput";
import type { teamCommands as declared } from "./contributions";

export function teamCommands(teamServer: TeamServer): Handlers<typeof declared> {
  return {
    "server.connect": () => connect(teamServer),
    async "server.disconnect"() {
      await teamServer.forget();
      vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Disconnected from the team server"), 5_000);
    },
  };
}

async function connect(teamServer: TeamServer): Promise<void> {
  const title = vscode.l10n.t("Connect to a Team Server");
  let state: ServerConnectionState | undefined;
  const attempt = async (address: TeamServerAddress) => {
    state = await teamServer.try(address);
    return state;
  };
  const url = await askChecked({
    title,
    prompt: vscode.l10n.t(
      "Address of the server. Searches are sent to it; unsaved and uncommitted text stays on this computer.",
    ),
    placeholder: "https://search.example.com",
    value: setting("server.url"),
    async check(text) {
      const { state: kind, problem } = await attempt({ url: text });
      return kind === "unreachable" ? problem : undefined;
    },
  });
  let key: string | undefined;
  if (url !== undefined && state?.state === "rejected") {
    const server = state.version === undefined ? url : vscode.l10n.t("Trawl {0} at {1}", state.version, url);
    try {
      key = await obtainKey(`${title}: ${server}`, url, attempt, teamServer);
    } catch (error) {
      await teamServer.restore();
      throw error;
    }
  }
  if (url === undefined || state?.state !== "connected") {
    await teamServer.restore();
    return;
  }
  await teamServer.save({ url, ...(key === undefined ? {} : { key }) });
  const total = repositoriesText(state.repositories ?? 0, vscode.l10n);
  vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Connected: {0}", total), 5_000);
}

/** Returns a key with which the server is connected: from a login in the browser, or entered. */
async function obtainKey(
  title: string,
  url: string,
  attempt: (address: TeamServerAddress) => Promise<ServerConnectionState>,
  teamServer: TeamServer,
): Promise<string | undefined> {
  // In a browser or on another computer, the search server waits on a port that the user's browser cannot reach.
  if (vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web)
    return await askKey(title, url, attempt);
  const { t } = vscode.l10n;
  const logIn = { label: t("Log In in the Browser"), detail: t("if the server has a company login") };
  const enter = { label: t("Enter an API Key"), detail: t("created there, or by an owner") };
  const picked = await vscode.window.showQuickPick([logIn, enter], {
    title,
    placeHolder: t("The server asks who you are."),
    ignoreFocusOut: true,
  });
  if (picked === undefined) return undefined;
  if (picked === enter) return await askKey(title, url, attempt);
  const progress = {
    location: vscode.ProgressLocation.Notification,
    title: t("Waiting for the login in the browser"),
    cancellable: true,
  };
  const key = await vscode.window.withProgress(progress, (_, token) => teamServer.logIn(url, token));
  if (key === undefined) return undefined;
  const { state, problem } = await attempt({ url, key });
  if (state !== "connected") throw new Error(problem);
  return key;
}

function askKey(
  title: string,
  url: string,
  attempt: (address: TeamServerAddress) => Promise<ServerConnectionState>,
): Promise<string | undefined> {
  return askChecked({
    title,
    prompt: vscode.l10n.t("API key or OAuth access token. It is kept in VS Code's secret storage."),
    placeholder: "trwl_...",
    value: "",
    isSecret: true,
    async check(text) {
      // Only these are removed from traced messages.
      if (!/^(?:trwl_[\w-]{43}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+)$/.test(text))
        return vscode.l10n.t("An API key begins with trwl_, an access token with eyJ.");
      const { state, problem } = await attempt({ url, key: text });
      return state === "connected" ? undefined : problem;
    },
  });
}
