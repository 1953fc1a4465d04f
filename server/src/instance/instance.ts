/**
 * One Trawl process: its role on the data directory (`role.ts`), which changes when the leader exits (`failover.ts`),
 * the port it listens on (`ports.ts`), and the editor settings that apply to both.
 */
import { runAll } from "#base/runAll";
import type { EditorSettings } from "#contract/editorOptions";
import type { Caller } from "#contract/service";
import { readSecret } from "#hosts/secret";
import type { Log } from "#platform/log";
import { Team } from "#team/team";
import { withTeam } from "#team/withTeam";
import type { Configuration } from "./configuration";
import { requestedPort, withEditorSettings } from "./editorSettings";
import { Failover } from "./failover";
import type { Purpose } from "./leader";
import { type ListeningPort, Ports } from "./ports";
import { acquireRole, type ProcessRole, type RoleOptions } from "./role";

/** The leader of the data directory, as its followers see it. */
export interface LeaderEndpoint {
  /** Absent while it has no port. */
  readonly url?: string;
  readonly pid: number;
  readonly version: string;
}

/**
 * Access to the index: in this process if it is the leader, otherwise through the leader. A process that serves may
 * take over from the leader; its `caller` stays the same.
 */
export interface Instance {
  readonly role: "leader" | "follower";
  readonly caller: Caller;
  /** The team's server of this process, if any. */
  readonly team: Team;
  /** Like `caller`, but also asks the team's server. Ports and other processes never use it. */
  readonly teamCaller: Caller;
  /** The endpoint of the leader; absent if this process is the leader. */
  readonly endpoint: LeaderEndpoint | undefined;
  /** Returns the URL of this process's port, or else of the leader's; `undefined` if neither has one. */
  url(): string | undefined;
  /** Returns the URL of the internal port, if this process leads in the role of a git server. */
  gitServerUrl(): string | undefined;
  /** Opens the port of this process. Throws USAGE if it is not available. */
  listen(): Promise<ListeningPort>;
  /**
   * Applies editor settings over the configuration, now and whenever this process becomes the leader. A process that
   * serves an editor does not start indexing before the first call.
   */
  configure(settings: EditorSettings): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly configuration: Configuration;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether indexing waits for the settings of an editor (`configure`). */
  readonly awaitsSettings: boolean;
}

/**
 * Acquires a role on the data directory, but opens no port.
 *
 * Throws ENGINE_UNAVAILABLE if another process holds the data directory and does not answer, and the errors of
 * `buildLeader`.
 */
export async function openInstance(options: OpenOptions): Promise<Instance> {
  const { configuration, purpose, version, log, signal } = options;
  let settings: EditorSettings = {};
  /** The settings with which a leader was built; they may change meanwhile. */
  let builtWith = settings;
  let isConfigured = !options.awaitsSettings;
  let failover: Failover | undefined;
  let isClosing = false;
  const caller: Caller = async (name, request, call) => {
    if (failover === undefined) throw new Error("A port was opened before the role was acquired.");
    return await failover.call(name, request, call);
  };
  const ports = new Ports({
    configuration,
    caller,
    isEditorProcess: options.awaitsSettings,
    log,
    onChange() {
      // While closing, the announcement keeps the URL, so that the next leader can take over the port.
      if (!isClosing && failover?.role.kind === "leader") failover.role.announce();
    },
  });
  const roleOptions: RoleOptions = {
    configuration() {
      builtWith = settings;
      return withEditorSettings(configuration, settings);
    },
    dataDir: configuration.dataDir,
    purpose,
    version,
    log,
    signal,
    ports,
  };
  const activeFailover = new Failover(roleOptions, await acquireRole(roleOptions), (role) => {
    logRole(role);
    if (role.kind === "follower") return;
    if (builtWith !== settings) role.leader.configure(withEditorSettings(configuration, settings));
    if (isConfigured) role.leader.start();
    applyEndpointSettings({}, ports.url !== undefined).catch(() => undefined);
  });
  failover = activeFailover;
  logRole(activeFailover.role);
  if (isConfigured && activeFailover.role.kind === "leader") activeFailover.role.leader.start();

  const team = new Team();
  if (configuration.team !== undefined) {
    const { url, key } = configuration.team;
    team.use(url, async () => (key === undefined ? undefined : (await readSecret(key)).reveal()));
  }

  function logRole(role: ProcessRole): void {
    if (role.kind === "leader") log.info(`Trawl ${version} leads ${configuration.dataDir}.`);
    else
      log.info(
        `Trawl ${version} follows process ${role.endpoint.pid}, which leads ${configuration.dataDir}.`,
      );
  }

  /**
   * Opens or closes the REST endpoint according to the settings. The leader's own settings determine its port;
   * followers request an endpoint only if there is none. A port that was just taken over keeps its allowed origins.
   */
  async function applyEndpointSettings(before: EditorSettings, hasTakenOver = false): Promise<void> {
    const { endpoint } = settings;
    if (JSON.stringify(endpoint) === JSON.stringify(before.endpoint)) return;
    const call = { credentials: { kind: "local" }, signal } as const;
    try {
      if (endpoint?.isEnabled) {
        const mayOpen = activeFailover.role.kind === "leader" || activeFailover.endpoint?.url === undefined;
        const port = requestedPort(settings);
        const allowedOrigins = hasTakenOver ? undefined : endpoint.allowedOrigins;
        if (mayOpen) await activeFailover.call("startEndpoint", { port, allowedOrigins }, call);
      } else if (before.endpoint?.isEnabled) await activeFailover.call("stopEndpoint", {}, call);
    } catch (error) {
      log.error("Cannot apply the settings of the REST endpoint.", { error });
    }
  }

  return {
    get role() {
      return activeFailover.role.kind;
    },
    caller: activeFailover.call,
    team,
    teamCaller: withTeam(activeFailover.call, team),
    get endpoint() {
      if (activeFailover.endpoint === undefined) return undefined;
      const { url, pid, version: leaderVersion } = activeFailover.endpoint;
      return { ...(url === undefined ? {} : { url }), pid, version: leaderVersion };
    },
    url: () => ports.url ?? activeFailover.endpoint?.url,
    gitServerUrl: () =>
      activeFailover.role.kind === "leader" ? activeFailover.role.leader.gitServerUrl : undefined,
    listen: () => ports.start(),
    async configure(next) {
      const before = settings;
      settings = next;
      if (activeFailover.role.kind === "leader") {
        activeFailover.role.leader.configure(withEditorSettings(configuration, settings));
        if (!isConfigured) activeFailover.role.leader.start();
      }
      isConfigured = true;
      await applyEndpointSettings(before);
    },
    async close() {
      isClosing = true;
      const steps = [() => team.close(), () => ports.stop(), () => activeFailover.close()];
      await runAll(steps, (error) => log.error("Cannot shut down a part of Trawl.", { error }));
    },
  };
}
