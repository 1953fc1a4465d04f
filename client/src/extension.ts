/** Activation: wires what is beside and below. Nothing here starts the server; the first call does. */
import * as vscode from "vscode";
import { activationStart } from "./activationStart";
import { callError } from "./callError";
import { type Commands, registerCommands, tellFailure } from "./commands";
import { AgentSetup } from "./endpoint/agentSetup";
import { AgentTools } from "./endpoint/agentTools";
import { apiKeyCommands } from "./endpoint/apiKeyCommands";
import { ApiKeys } from "./endpoint/apiKeys";
import { endpointCommands } from "./endpoint/endpointCommands";
import { EndpointView } from "./endpoint/endpointView";
import { browseCommands } from "./files/browse";
import { IndexedFiles } from "./files/indexedFiles";
import { RevisionPicker } from "./files/revisionPicker";
import { Snapshots } from "./files/snapshots";
import { syntaxCommands } from "./help/querySyntax";
import { Blame } from "./history/blame";
import { History } from "./history/history";
import { NativeFirst } from "./navigation/nativeFirst";
import { navigationCommands } from "./navigation/navigation";
import { AuditLog } from "./organisation/auditLog";
import { LicenseState } from "./organisation/license";
import { Members } from "./organisation/members";
import { Repositories } from "./repositories/repositories";
import { RepositoriesView } from "./repositories/repositoriesView";
import { addPaths, repositoryCommands } from "./repositories/repositoryCommands";
import { QuickSearch } from "./search/quickSearch";
import { Results } from "./search/results";
import { Saved } from "./search/saved";
import { queryDefaults } from "./search/scopeSettings";
import type { SearchBox } from "./search/searchBox";
import { searchCommands } from "./search/searchCommands";
import { Searches } from "./search/searches";
import { SearchView } from "./search/searchView";
import { ServiceClient } from "./serviceClient";
import { serverSettings, setting } from "./settings";
import { Instance } from "./status/instance";
import { RecentErrors } from "./status/recentErrors";
import { serverCommands } from "./status/serverCommands";
import { StatusItem } from "./status/statusItem";
import { traceLogOf } from "./traceLog";

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

  const nativeFirst: NativeFirst = new NativeFirst(() => client);
  const client: ServiceClient = new ServiceClient({
    serverPath: () => setting("server.path") ?? context.asAbsolutePath("dist/server/trawl.js"),
    arguments: dataDir,
    settings: serverSettings,
    onSettings,
    serverLog,
    traceLog: traceLogOf(traceLog, onSettings),
    nativeFirst,
  });
  service = client;
  const instance = new Instance(client);
  const keys = new ApiKeys(client);
  const agentSetup = new AgentSetup({ service: client, instance, keys });
  const license = new LicenseState(client, context.globalState);
  const members = new Members(client, license, context.extensionUri);
  const auditLog = new AuditLog(client, license, context.extensionUri);
  const repositories = new Repositories(client);
  const searches = new Searches(client, () => queryDefaults(repositories));
  const box = (): SearchBox => searchView;
  const saved = new Saved(context, searches, box);
  const searchView = new SearchView({
    extensionUri: context.extensionUri,
    service: client,
    searches,
    repositories,
    history: saved.history,
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
    snapshots,
    memory: context.workspaceState,
    box,
    defaults: () => queryDefaults(repositories),
  });
  const quickSearch = new QuickSearch({
    service: client,
    defaults: () => queryDefaults(repositories),
    box,
    opener: results.opener,
  });
  const status = new StatusItem({ instance, searches, problem: () => client.problem, onSettings });
  const repositoriesView = new RepositoriesView({
    service: client,
    repositories,
    instance,
    snapshots,
    revisions,
    addPaths: (paths) => addPaths(client, repositories, paths),
  });
  const commands: Commands = {
    ...searchView.commands,
    ...searchCommands(client, box),
    ...results.commands,
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
    ...blame.commands,
    ...browseCommands({
      service: client,
      repositories,
      files,
      revisions,
      showFiles: (repository) => repositoriesView.showFiles(repository),
    }),
    ...history.commands,
    ...endpointCommands(client, instance, keys),
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
    }),
  };
  context.subscriptions.push(
    log,
    serverLog,
    traceLog,
    nativeFirst,
    client,
    instance,
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
    keys,
    agentSetup,
    new AgentTools(client, onSettings),
    new EndpointView(instance, keys, () => license.renew()),
    members,
    auditLog,
    settingsChanged,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("trawl")) settingsChanged.fire();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => settingsChanged.fire()),
    registerCommands(commands, (id, error) => {
      log.error(`trawl.${id}: ${String(error)}`);
      tellFailure(callError(error).message);
    }),
  );
  const activateMs = performance.now() - start;
  log.info(`Loaded in ${loadMs.toFixed(1)} ms, activated in ${activateMs.toFixed(1)} ms.`);
}

/** VS Code waits for it: the server ends with its window, and in good order. */
export async function deactivate(): Promise<void> {
  await service?.stop();
}
