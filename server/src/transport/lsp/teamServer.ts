/** Connects the editor to its team's server. The key is only in memory: neither a setting, an argument nor a file has it. */
import type { CancellationToken, Connection } from "vscode-languageserver/node";
import { isServiceError, ServiceError } from "#base/error";
import { connectServerMethod, serverStateMethod } from "#contract/notifications";
import type { ServerConnectionState } from "#contract/team";
import type { Log } from "#platform/log";
import type { Team } from "#team/team";
import { responseError, toAbortSignal } from "./requests";

export function serveTeamConnection(connection: Connection, team: Promise<Team>, log: Log): void {
  connection.onRequest(
    connectServerMethod,
    async (params: unknown, token: CancellationToken): Promise<ServerConnectionState> => {
      const { signal, release } = toAbortSignal(token);
      try {
        const active = await team;
        // Clients that do not send this request do not know the notification.
        active.onState(
          (state) => void connection.sendNotification(serverStateMethod, state).catch(() => undefined),
        );
        return await active.connect(params, signal);
      } catch (error) {
        const isInvalid = isServiceError(error, "USAGE");
        throw responseError(isInvalid ? new ServiceError("INVALID_REQUEST_BODY", error.message) : error, log);
      } finally {
        release();
      }
    },
  );
}
