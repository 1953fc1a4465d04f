/** Activation: wires the rooms together. Does not start the server; the first call does. */
import * as vscode from "vscode";
import { AuditLog } from "#client/organization/auditLog";
import { LicenseState } from "#client/organization/license";
import { Members } from "#client/organization/members";
import { activationStart } from "./activationStart";
import { searchCommands } from "./box/searchCommands";
import { SearchView } from "./box/searchView";
import { browseCommands } from "./browse/browse";
import { RevisionPicker } from "./browse/revisionPicker";
import { snapshotCommands } from "./browse/snapshotCommands";
import { IndexedFiles } from "./documents/indexedFiles";
import { Snapshots } from "./documents/snapshots";
import { writeAgentLauncher } from "./endpoint/agentLauncher";
import { AgentSetup } from "./endpoint/agentSetup";
import { AgentTools } from "./endpoint/agentTools";
import { apiKeyCommands } from "./endpoint/apiKeyCommands";
import { ApiKeys } from "./endpoint/apiKeys";
import { endpointCommands } from "./endpoint/endpointCommands";
import { EndpointView } from "./endpoint/endpointView";
import { McpProvider } from "./endpoint/mcpProvider";
import { McpSetup } from "./endpoint/mcpSetup";
import { SavedEndpoint } from "./endpoint/savedEndpoint";
import { toolNames } from "./endpoint/toolNames";
import { syntaxCommands } from "./help/querySyntax";
import { Blame } from "./history/blame";
import { History } from "./history/history";
import { HostCommands } from "./hosts/hostCommands";
import { HostsView } from "./hosts/hostsView";
import { HostTokens } from "./hosts/hostTokens";
import type { declaredCommands } from "./manifest";
import { addPaths } from "./model/addPaths";
import { Instance } from "./model/instance";
import { Repositories } from "./model/repositories";
import { TeamServer } from "./model/teamServer";
import { NativeFirst } from "./navigation/nativeFirst";
import { navigationCommands } from "./navigation/navigation";
import { QuickSearch } from "./quick/quickSearch";
import { RepositoriesView } from "./repositories/repositoriesView";
import { repositoryCommands } from "./repositories/repositoryCommands";
import { Results } from "./results/results";
import { Saved } from "./saved/saved";
import { queryDefaults } from "./search/scopeSettings";
import type { SearchBox } from "./search/searchBox";
import { Searches } from "./search/searches";
import { callError } from "./server/callError";
import { ServiceClient } from "./server/serviceClient";
import { RecentErrors } from "./status/recentErrors";
import { serverCommands } from "./status/serverCommands";
import { StatusItem } from "./status/statusItem";
import { traceLogOf } from "./status/traceLog";
import { teamCommands } from "./team/teamCommands";
import { registerCommands, setContext, showFailure } from "./workbench/commands";
import type { Handlers } from "./workbench/declarations";
import { serverSettings, setting } from "./workbench/settings";

let service: ServiceClient | undefined;
const loadMs = performance.now() - activationStart;

export function activate(context: vscode.ExtensionContext): void {
  const start = performance.now();
  const errors = new RecentErrors();
  const log = errors.from(vscode.window.createOutputChannel("Trawl", { log: true }));
  const serverLog = errors.from(vscode.window.createOutputChannel("Trawl Server", { log: true }));
  const traceLog = vscode.window.createOutputChannel("Trawl Trace", { log: true });
  const settingsChanged = new vscode.EventEmitter<void>();
  const onSettings = settingsChanged.event;
  const dataDir = () => {
    const location = setting("index.location");
    return location === null ? [] : ["--data-dir", location];
  };

  const serverPath = () => setting("server.path") ?? context.asAbsolutePath("dist/server/trawl.js");

  const nativeFirst: NativeFirst = new NativeFirst(() => client);
  const client: ServiceClient = new ServiceClient({
    serverPath,
    arguments: dataDir,
    settings: serverSettings,
    onSettings,
    teamServer: () => teamServer.address(),
    serverLog,
    traceLog: traceLogOf(traceLog, onSettings),
    providerPolicy: nativeFirst,
  });
  service = client;
  const teamServer: TeamServer = new TeamServer(client, context.secrets, onSettings);
  const instance = new Instance(client);
  const keys = new ApiKeys(client);
  const savedEndpoint = new SavedEndpoint({
    service: client,
    instance,
    keys,
    folder: context.globalStorageUri,
    warn: (message) => log.warn(message),
  });
  const program = (): [path: string, ...args: string[]] => [serverPath(), ...dataDir()];
  const mcpSetup = new McpSetup(() => [
    setting("server.path") ?? writeAgentLauncher(context.globalStorageUri.fsPath, context.extensionPath),
    ...dataDir(),
  ]);
  const agentSetup = new AgentSetup({ service: client, instance, keys, mcp: mcpSetup });
  const license = new LicenseState(client, context.globalState);
  const members = new Members(client, license, context.extensionUri);
  const auditLog = new AuditLog(client, license, context.extensionUri);
  const repositories = new Repositories(client, teamServer);
  const searches = new Searches(client, () => queryDefaults(repositories));
  const box = (): SearchBox => searchView;
  const saved = new Saved(context, searches, box);
  const searchView = new SearchView({
    extensionUri: context.extensionUri,
    service: client,
    searches,
    repositories,
    teamServer,
    history: saved.history,
    memento: context.workspaceState,
  });
  const snapshots = new Snapshots(client);
  const files = new IndexedFiles(client);
  const blame = new Blame({ service: client, files, snapshots });
  const revisions = new RevisionPicker(client, context.workspaceState);
  const history = new History({ service: client, repositories, files, revisions, box });
  const results = new Results({
    service: client,
    searches,
    repositories,
    teamServer,
    snapshots,
    memento: context.workspaceState,
    box,
    defaults: () => queryDefaults(repositories),
    searchView,
  });
  const quickSearch = new QuickSearch({
    service: client,
    defaults: () => queryDefaults(repositories),
    box,
    opener: results.opener,
  });
  const status = new StatusItem({
    instance,
    teamServer,
    searches,
    problem: () => client.problem,
    onSettings,
  });
  const repositoriesView = new RepositoriesView({
    service: client,
    repositories,
    instance,
    teamServer,
    snapshots,
    revisions,
    addPaths: (paths) => addPaths(client, repositories, paths),
  });
  const hostTokens = new HostTokens({
    service: client,
    secrets: context.secrets,
    memento: context.globalState,
    warn: (message) => log.warn(message),
  });
  const hostCommands: HostCommands = new HostCommands({
    service: client,
    tokens: hostTokens,
    hosts: () => hostsView.hosts(),
    refresh: () => hostsView.refresh(),
  });
  const hostsView = new HostsView({
    service: client,
    repositories,
    configure: (host) => hostCommands.configure(host),
    confirm: (host) => hostCommands.confirm(host),
    signIn: (host) => hostCommands.signIn(host),
  });
  const recordUse = usageRecorder(context.globalState);
  const commands: Handlers<typeof declaredCommands> = {
    ...searchView.commands,
    ...searchCommands(client, box, (editor) => results.opener.hasOpened(editor)),
    ...results.commands,
    ...snapshotCommands(snapshots, results.opener),
    ...saved.commands,
    ...quickSearch.commands,
    ...navigationCommands({
      service: client,
      defaults: () => queryDefaults(repositories),
      opener: results.opener,
    }),
    ...syntaxCommands(context.extensionUri, box),
    ...repositoryCommands({
      service: client,
      repositories,
      instance,
      showSkipped: (repository) => repositoriesView.showSkipped(repository),
    }),
    ...hostCommands.commands,
    ...teamCommands(teamServer),
    ...blame.commands,
    ...browseCommands({
      service: client,
      repositories,
      files,
      revisions,
      showFiles: (repository) => repositoriesView.showFiles(repository),
    }),
    ...history.commands,
    ...endpointCommands({ service: client, instance, keys, savedEndpoint }),
    ...apiKeyCommands(keys),
    ...agentSetup.commands,
    ...license.commands,
    ...members.commands,
    ...auditLog.commands,
    ...serverCommands({
      extension: context.extension,
      service: client,
      instance,
      status,
      errors,
      serverLog,
      eraser: {
        path: context.asAbsolutePath("dist/server/erase.js"),
        arguments: () => [...dataDir(), "--everything"],
      },
      onErase: () => savedEndpoint.forget(),
    }),
  };
  context.subscriptions.push(
    log,
    serverLog,
    traceLog,
    nativeFirst,
    client,
    instance,
    teamServer,
    status,
    searches,
    saved,
    searchView,
    snapshots,
    files,
    blame,
    history,
    results,
    quickSearch,
    repositories,
    repositoriesView,
    hostCommands,
    hostsView,
    hostTokens,
    keys,
    savedEndpoint,
    agentSetup,
    mcpSetup,
    new AgentTools(client, toolNames(context.extension), onSettings),
    new McpProvider({ version: String(context.extension.packageJSON["version"]), program, onSettings }),
    new EndpointView(instance, keys, () => license.refreshInBackground()),
    members,
    auditLog,
    settingsChanged,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("trawl")) settingsChanged.fire();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => settingsChanged.fire()),
    searches.onSettle(recordUse),
    registerCommands(
      commands,
      (id, error) => {
        log.error(`trawl.${id}: ${String(error)}`);
        showFailure(callError(error).message);
      },
      recordUse,
    ),
  );
  const activateMs = performance.now() - start;
  log.info(`Loaded in ${loadMs.toFixed(1)} ms, activated in ${activateMs.toFixed(1)} ms.`);
}

/** Shuts the server down cleanly when its window closes; VS Code waits for it. */
export async function deactivate(): Promise<void> {
  await service?.stop();
}

/**
 * Returns a function that notes that the user has searched or run a command, which sets the context key `trawl.used`. The
 * Command Palette of newcomers lists only what they start with.
 */
function usageRecorder(memento: vscode.Memento): () => void {
  const key = "trawl.used";
  setContext(key, memento.get(key) === true);
  return () => {
    if (memento.get(key) === true) return;
    setContext(key, true);
    void memento.update(key, true);
  };
}
