/** The process as a whole: what it is to the data folder, the port it listens on, and what an editor wants of both. */
import type { Configuration } from "#cli/configuration";
import type { Instance, Purpose } from "#cli/instance";
import type { Caller } from "#contract/service";
import type { EditorSettings } from "#contract/settings";
import type { Log } from "#platform/log";
import { portWanted, withSettings } from "./editorSettings";
import { Ports, portOf } from "./ports";
import { type Seat, type SeatOptions, takeSeat } from "./seat";
import { Succession } from "./succession";

export interface OpenOptions {
  readonly configuration: Configuration;
  readonly purpose: Purpose;
  readonly version: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Whether an editor is going to say what it wants before anything is looked for. */
  readonly awaitsSettings: boolean;
}

/** Throws ENGINE_UNAVAILABLE where another process holds the data folder and does not answer. */
export async function openInstance(options: OpenOptions): Promise<Instance> {
  const { configuration, purpose, version, log, signal } = options;
  let settings: EditorSettings = {};
  let isConfigured = !options.awaitsSettings;
  let succession: Succession | undefined;
  let isClosing = false;
  const caller: Caller = async (name, request, call) => {
    if (succession === undefined) throw new Error("A port is open before there is anybody to answer.");
    return await succession.call(name, request, call);
  };
  const ports = new Ports({
    configuration,
    caller,
    isEditors: options.awaitsSettings,
    log,
    onChange() {
      // The last word to those who follow is where this process listened, not that it no longer does.
      if (!isClosing && succession?.seat.role === "leader") succession.seat.announce();
    },
  });
  const seatOptions: SeatOptions = {
    configuration: () => withSettings(configuration, settings),
    dataDir: configuration.dataDir,
    purpose,
    version,
    log,
    signal,
    ports,
    async listenAgain(url) {
      try {
        await ports.start({ port: portOf(url), allowedOrigins: settings.endpoint?.allowedOrigins });
      } catch (error) {
        log.error(`${url} could not be taken over.`, { error });
      }
    },
  };
  const known = new Succession(seatOptions, await takeSeat(seatOptions), (seat) => {
    tellRole(seat);
    if (seat.role === "follower") return;
    if (isConfigured) seat.leader.start();
    followSettings({}).catch(() => undefined);
  });
  succession = known;
  tellRole(known.seat);
  if (isConfigured && known.seat.role === "leader") known.seat.leader.start();

  function tellRole(seat: Seat): void {
    if (seat.role === "leader")
      log.info(`Trawl ${version} leads, with its index in ${configuration.dataDir}.`);
    else
      log.info(`Trawl ${version} asks process ${seat.endpoint.pid}, which holds ${configuration.dataDir}.`);
  }

  /** The leader's own settings say whether there is a port, and where; others only ask for one where there is none. */
  async function followSettings(before: EditorSettings): Promise<void> {
    const { endpoint } = settings;
    if (JSON.stringify(endpoint) === JSON.stringify(before.endpoint)) return;
    const call = { credentials: { kind: "local" }, signal } as const;
    try {
      if (endpoint?.isEnabled) {
        const mayMove = known.seat.role === "leader" || known.endpoint?.url === undefined;
        const port = portWanted(settings);
        const { allowedOrigins } = endpoint;
        if (mayMove) await known.call("startEndpoint", { port, allowedOrigins }, call);
      } else if (before.endpoint?.isEnabled) await known.call("stopEndpoint", {}, call);
    } catch (error) {
      log.error("The REST interface is not as it is set.", { error });
    }
  }

  return {
    get role() {
      return known.seat.role;
    },
    caller: known.call,
    get endpoint() {
      if (known.endpoint === undefined) return undefined;
      const { url, pid, version: theirs } = known.endpoint;
      return { ...(url === undefined ? {} : { url }), pid, version: theirs };
    },
    url: () => ports.url ?? known.endpoint?.url,
    listen: () => ports.start(),
    async configure(next) {
      const before = settings;
      settings = next;
      if (known.seat.role === "leader") {
        known.seat.leader.configure(seatOptions.configuration());
        if (!isConfigured) known.seat.leader.start();
      }
      isConfigured = true;
      await followSettings(before);
    },
    async close() {
      isClosing = true;
      await ports.stop();
      await known.close();
    },
  };
}
