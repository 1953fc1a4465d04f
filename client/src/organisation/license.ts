/** The licence, as far as the editor needs it: whether what it opens is to be seen. */
import * as vscode from "vscode";
import { type Commands, setContext } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";

/** What was known last: to ask would open a database with each window. */
const memoryKey = "trawl.licensed";

export class LicenseState {
  readonly #service: ServiceClient;
  readonly #memory: vscode.Memento;

  constructor(service: ServiceClient, memory: vscode.Memento) {
    this.#service = service;
    this.#memory = memory;
    setContext("trawl.licensed", memory.get(memoryKey) === true);
  }

  readonly commands: Commands = {
    "org.license": () => this.#enter(),
  };

  async #enter(): Promise<void> {
    const present = await this.#service.call("license", {});
    await this.#note(present.state === "valid");
    const license = await vscode.window.showInputBox({
      title: vscode.l10n.t("Enter License Key"),
      prompt: present.message,
      placeHolder: vscode.l10n.t("The license as it was issued"),
      password: true,
      ignoreFocusOut: true,
    });
    if (license === undefined || license.trim() === "") return;
    const { state, message } = await this.#service.call("installLicense", { license: license.trim() });
    await this.#note(state === "valid");
    void vscode.window.showInformationMessage(message);
  }

  async #note(isLicensed: boolean): Promise<void> {
    setContext("trawl.licensed", isLicensed);
    if (this.#memory.get(memoryKey) !== isLicensed) await this.#memory.update(memoryKey, isLicensed);
  }
}
