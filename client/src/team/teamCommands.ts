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
    "server.logIn": () => connect(teamServer, setting("server.url")),
    async "server.disconnect"() {
      await teamServer.forget();
      vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Disconnected from the team server"), 5_000);
    },
  };
}

/** `knownUrl`: the address of the server if only its key is to be replaced; else empty, and the address is asked for. */
async function connect(teamServer: TeamServer, knownUrl = ""): Promise<void> {
  const title = vscode.l10n.t("Connect to a Team Server");
  let state: ServerConnectionState | undefined = knownUrl === "" ? undefined : teamServer.state;
  let key: string | undefined;
  const attempt = async (address: TeamServerAddress) => {
    state = await teamServer.try(address);
    return state;
  };
  const askUrl = () =>
    askChecked({
      title,
      prompt: vscode.l10n.t(
        "Address of the server. Searches are sent to it; unsaved and uncommitted text stays on this computer.",
      ),
      placeholder: "https://search.example.com",
      value: setting("server.url"),
      async check(text) {
        key = await teamServer.keyOf(text);
        const { state: kind, problem } = await attempt(addressOf(text, key));
        return kind === "unreachable" ? problem : undefined;
      },
    });
  const url = knownUrl === "" ? await askUrl() : knownUrl;
  if (url !== undefined && (state?.state === "rejected" || key === undefined)) {
    const server = state?.version === undefined ? url : vscode.l10n.t("Trawl {0} at {1}", state.version, url);
    const isOpen = state?.state === "connected";
    try {
      const obtained = await obtainKey(`${title}: ${server}`, url, { isOpen, attempt, teamServer });
      if (obtained === undefined) return await teamServer.restore();
      key = obtained === "none" ? undefined : obtained;
    } catch (error) {
      await teamServer.restore();
      throw error;
    }
  }
  if (url === undefined || state?.state !== "connected") {
    await teamServer.restore();
    return;
  }
  await teamServer.save(addressOf(url, key));
  const total = repositoriesText(state.repositories ?? 0, vscode.l10n);
  vscode.window.setStatusBarMessage(vscode.l10n.t("$(check) Connected: {0}", total), 5_000);
}

function addressOf(url: string, key: string | undefined): TeamServerAddress {
  return key === undefined ? { url } : { url, key };
}

interface KeyOptions {
  /** Whether the server responds without a key, perhaps with fewer repositories. */
  readonly isOpen: boolean;
  readonly attempt: (address: TeamServerAddress) => Promise<ServerConnectionState>;
  readonly teamServer: TeamServer;
}

/**
 * Returns a key with which the server is connected, from a login in the browser or entered; "none" to use an open server
 * without one; `undefined` if the user canceled.
 */
async function obtainKey(
  title: string,
  url: string,
  { isOpen, attempt, teamServer }: KeyOptions,
): Promise<string | undefined> {
  const { t } = vscode.l10n;
  const open = {
    label: t("Continue Without a Key"),
    detail: t("with the repositories that everyone may see"),
  };
  const logIn = { label: t("Log In in the Browser"), detail: t("if the server has a company login") };
  const enter = { label: t("Enter an API Key"), detail: t("created there, or by an owner") };
  // In a browser or on another computer, the search server waits on a port that the user's browser cannot reach.
  const canLogIn = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  if (!isOpen && !canLogIn) return await askKey(title, url, attempt);
  const picked = await vscode.window.showQuickPick(
    [...(isOpen ? [open] : []), ...(canLogIn ? [logIn] : []), enter],
    { title, placeHolder: t("Who are you on this server?"), ignoreFocusOut: true },
  );
  if (picked === undefined) return undefined;
  if (picked === open) return "none";
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
