/** Operations of the local user that change the connections to code hosts. */
import { isServiceError, ServiceError } from "#base/error";
import type { Service } from "#contract/service";
import type { Connection } from "#hosts/connection";
import type { EditorTokens } from "#hosts/editorTokens";
import { parseConnections } from "#hosts/parseConnections";
import { listConnection } from "#mirrors/listConnection";
import { systemClock } from "#platform/clock";
import { probeClone } from "#sync/cloneProbe";
import { helperFolder, problemWriter, toPlan } from "./codeHosts";
import { addToConnectionsFile, connectionsFile, removeFromConnectionsFile } from "./connectionsFile";

export interface CodeHostChangesOptions {
  readonly dataDir: string;
  readonly editorTokens: EditorTokens;
  /** The names of all connections. */
  readonly names: () => readonly string[];
  /** Reads the connections again and applies them. Throws USAGE if they are not valid. */
  readonly reload: () => Promise<void>;
}

type ChangeOperation = "checkCodeHost" | "addCodeHost" | "removeCodeHost" | "reloadCodeHosts";

/** What is known of a connection before it was listed. */
const nothingKnown = {
  mirrors: [],
  salt: "",
  connection: () => ({ nextListAt: 0, failures: 0, problems: [] }),
};

export function codeHostChanges({
  dataDir,
  editorTokens,
  names,
  reload,
}: CodeHostChangesOptions): Pick<Service, ChangeOperation> {
  return {
    async checkCodeHost({ name, settings }, context) {
      const connection = connectionOf(name, settings);
      const [{ openHost }, { selectRepositories }] = await Promise.all([
        import("#hosts/openHost"),
        import("#hosts/selection"),
      ]);
      const host = openHost(name, connection, {
        readEditorToken: (...token) => editorTokens.read(...token),
      });
      try {
        const listing = await listConnection({
          name,
          connection,
          host,
          select: (_, repositories) => selectRepositories(connection, repositories),
          state: nothingKnown,
          now: systemClock.now(),
          signal: context.signal,
        });
        const { signal } = context;
        const probed = await probeClone(listing, { connection, host, helperFolder, folder: dataDir, signal });
        return toPlan(probed, problemWriter(connection, context));
      } finally {
        await host.close();
      }
    },
    async addCodeHost({ name, settings }) {
      connectionOf(name, settings);
      if (names().includes(name)) throw invalid(`There is already a connection "${name}".`);
      await asRequestError(async () => {
        addToConnectionsFile(dataDir, name, settings);
        await reload();
      });
      return {};
    },
    async removeCodeHost({ name }) {
      await asRequestError(async () => {
        if (!removeFromConnectionsFile(dataDir, name))
          throw new ServiceError(
            "NOT_FOUND",
            `There is no connection "${name}" in ${connectionsFile(dataDir)}.`,
          );
        await reload();
      });
      return {};
    },
    async reloadCodeHosts() {
      await asRequestError(reload);
      return {};
    },
  };
}

function connectionOf(name: string, settings: object): Connection {
  try {
    const connection = parseConnections({ [name]: settings })[name];
    if (connection !== undefined) return connection;
  } catch (error) {
    if (!isServiceError(error, "USAGE")) throw error;
    throw invalid(error.message);
  }
  throw invalid(`"${name}" cannot be the name of a connection.`);
}

async function asRequestError(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isServiceError(error, "USAGE") ? invalid(error.message) : error;
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError("INVALID_REQUEST_BODY", message);
}
