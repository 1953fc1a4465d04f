/** Commands of the local endpoint. */
import * as vscode from "vscode";
import type { Commands } from "#client/commands";
import { defaultSettings } from "#client/defaultSettings";
import type { ServiceClient } from "#client/serviceClient";
import { setting } from "#client/settings";
import type { Instance } from "#client/status/instance";
import type { ApiKeys } from "./apiKeys";

export function endpointCommands(service: ServiceClient, instance: Instance, keys: ApiKeys): Commands {
  return {
    async "api.start"() {
      if (!(await mayStart((await keys.load()).length > 0))) return;
      const port = setting("api.port");
      await service.call("startEndpoint", {
        // The default port is one to begin with: the server takes the next free one where it is taken.
        ...(port === defaultSettings["api.port"] ? {} : { port }),
        allowedOrigins: [...setting("api.allowedOrigins")],
      });
      await instance.refresh();
    },
    async "api.stop"() {
      await service.call("stopEndpoint", {});
      await instance.refresh();
    },
    async "api.copyAddress"() {
      await instance.refresh();
      const url = instance.facts?.url;
      if (url !== undefined) await vscode.env.clipboard.writeText(`${url}/api`);
    },
  };
}

async function mayStart(hasKeys: boolean): Promise<boolean> {
  const start = vscode.l10n.t("Start");
  const answer = await vscode.window.showInformationMessage(
    hasKeys
      ? vscode.l10n.t(
          "Programs on this computer that have a key will be able to search and read every indexed repository.",
        )
      : vscode.l10n.t(
          "Every program on this computer will be able to search and read every indexed repository.",
        ),
    { modal: true, detail: vscode.l10n.t("Nothing can be reached from other computers.") },
    start,
  );
  return answer === start;
}
