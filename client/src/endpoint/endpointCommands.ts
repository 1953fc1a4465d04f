/** Commands that start and stop the local endpoint and copy its URL. */

import * as vscode from "vscode";
import type { Instance } from "#client/model/instance";
import type { ServiceClient } from "#client/server/serviceClient";
import type { Handlers } from "#client/workbench/declarations";
import { setting } from "#client/workbench/settings";
import type { ApiKeys } from "./apiKeys";
import type { endpointCommands as declared } from "./contributions";
import type { SavedEndpoint } from "./savedEndpoint";

export interface EndpointOptions {
  readonly service: ServiceClient;
  readonly instance: Instance;
  readonly keys: ApiKeys;
  readonly savedEndpoint: SavedEndpoint;
}

export function endpointCommands({
  service,
  instance,
  keys,
  savedEndpoint,
}: EndpointOptions): Handlers<typeof declared> {
  return {
    async "api.start"() {
      if (!(await confirmStart((await keys.load()).length > 0))) return;
      const port = setting("api.port");
      const defaultPort = vscode.workspace.getConfiguration("trawl").inspect("api.port")?.defaultValue;
      const { url } = await service.call("startEndpoint", {
        // Without a port, the server uses the default one or, if that is in use, the next free one.
        ...(port === defaultPort ? {} : { port }),
        allowedOrigins: [...setting("api.allowedOrigins")],
      });
      await savedEndpoint.remember(url);
    },
    async "api.stop"() {
      try {
        await savedEndpoint.forget();
      } finally {
        await service.call("stopEndpoint", {});
        await instance.refresh();
      }
    },
    async "api.copyAddress"() {
      await instance.refresh();
      const url = instance.state?.url;
      if (url !== undefined) await vscode.env.clipboard.writeText(`${url}/api`);
    },
  };
}

async function confirmStart(hasKeys: boolean): Promise<boolean> {
  const { l10n } = vscode;
  const start = l10n.t("Start");
  const access = hasKeys
    ? l10n.t(
        "Programs on this computer that have a key will be able to search and read every indexed repository.",
      )
    : l10n.t("Every program on this computer will be able to search and read every indexed repository.");
  const choice = await vscode.window.showInformationMessage(
    l10n.t("Start the local endpoint?"),
    { modal: true, detail: `${access} ${l10n.t("Other computers cannot connect.")}` },
    start,
  );
  return choice === start;
}
