/** Connects the editor to its team's server. The key is only in memory: neither a setting, an argument nor a file has it. */
import type { CancellationToken, Connection } from "vscode-languageserver/node";
import { isServiceError, ServiceError } from "#base/error";
import { connectServerMethod, logInToServerMethod, serverStateMethod } from "#contract/notifications";
import { type ServerConnectionState, type ServerLogin, ServerLoginRequest } from "#contract/team";
import type { Log } from "#platform/log";
import { ServerFailure } from "#team/serverFailure";
import type { Team } from "#team/team";
import { logInInBrowser } from "./browserLogin";
import { responseError, toAbortSignal } from "./requests";

export function serveTeamConnection(connection: Connection, team: Promise<Team>, log: Log): void {
  serve(connectServerMethod, async (params, signal): Promise<ServerConnectionState> => {
    const active = await team;
    // Clients that do not send this request do not know the notification.
    active.onState(
      (state) => void connection.sendNotification(serverStateMethod, state).catch(() => undefined),
    );
    return await active.connect(params, signal);
  });

  serve(logInToServerMethod, async (params, signal): Promise<ServerLogin> => {
    const request = ServerLoginRequest.safeParse(params);
    if (!request.success)
      throw new ServiceError("INVALID_REQUEST_BODY", "The request must have a URL and a name.");
    const open = async (uri: string) => {
      const { success } = await connection.window.showDocument({ uri, external: true });
      if (!success) throw new ServiceError("CANCELLED", "The browser was not opened.");
    };
    return { key: await logInInBrowser({ ...request.data, open, signal }) };
  });

  function serve(method: string, handle: (params: unknown, signal: AbortSignal) => Promise<unknown>): void {
    connection.onRequest(method, async (params: unknown, token: CancellationToken) => {
      const { signal, release } = toAbortSignal(token);
      try {
        return await handle(params, signal);
      } catch (error) {
        throw responseError(asServiceError(error), log);
      } finally {
        release();
      }
    });
  }
}

function asServiceError(error: unknown): unknown {
  if (isServiceError(error, "USAGE")) return new ServiceError("INVALID_REQUEST_BODY", error.message);
  if (error instanceof ServerFailure) return new ServiceError("ENGINE_UNAVAILABLE", error.message);
  return error;
}
