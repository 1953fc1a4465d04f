/** The license state of the instance, and the context key `trawl.licensed` that shows licensed commands. */

import * as vscode from "vscode";
import { callError } from "#client/server/callError";
import type { ServiceClient } from "#client/server/serviceClient";
import { setContext } from "#client/workbench/commands";
import type { Handlers } from "#client/workbench/declarations";
import { day } from "#client/workbench/format";
import type { License } from "#contract/organization";
import type { licenseCommands } from "./contributions";
import { licenseText } from "./licenseText";

/** The last known state is stored, because requesting it at startup would open the database in each window. */
const mementoKey = "trawl.licensed";

export class LicenseState {
  readonly #service: ServiceClient;
  readonly #memento: vscode.Memento;
  #isValid: boolean;

  constructor(service: ServiceClient, memento: vscode.Memento) {
    this.#service = service;
    this.#memento = memento;
    this.#isValid = memento.get(mementoKey) === true;
    setContext("trawl.licensed", this.#isValid);
  }

  /** Whether the license was valid when it was last checked. */
  get isValid(): boolean {
    return this.#isValid;
  }

  readonly commands: Handlers<typeof licenseCommands> = {
    "org.license": () => this.#enter(),
  };

  /** Checks the license. Returns its state in words. */
  async refresh(): Promise<string> {
    return this.#update(await this.#service.call("license", {}));
  }

  /** Checks without reporting errors: a license may have been installed from the command line, or have expired. */
  refreshInBackground(): void {
    this.refresh().catch(() => undefined);
  }

  /** Asks for a license key until a valid one is installed or the user cancels. */
  async #enter(): Promise<void> {
    const current = await this.refresh();
    const box = vscode.window.createInputBox();
    box.title = vscode.l10n.t("Enter License Key");
    box.prompt = current;
    box.placeholder = vscode.l10n.t("Paste the license key");
    box.password = true;
    box.ignoreFocusOut = true;
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidAccept(() => this.#install(box));
    box.onDidHide(() => box.dispose());
    box.show();
  }

  async #install(box: vscode.InputBox): Promise<void> {
    // Mail programs wrap long lines.
    const license = box.value.replace(/\s+/g, "");
    if (license === "" || box.busy) return;
    box.busy = true;
    try {
      const installed = await this.#service.call("installLicense", { license });
      const message = await this.#update(installed);
      if (installed.state === "valid") {
        box.hide();
        vscode.window.setStatusBarMessage(`$(verified) ${message.replaceAll("$(", "$ (")}`, 8_000);
      } else box.validationMessage = message;
    } catch (error) {
      box.validationMessage = callError(error).message;
    } finally {
      box.busy = false;
    }
  }

  async #update(license: License): Promise<string> {
    this.#isValid = license.state === "valid";
    setContext("trawl.licensed", this.#isValid);
    if (this.#memento.get(mementoKey) !== this.#isValid)
      await this.#memento.update(mementoKey, this.#isValid);
    return licenseText(license, day, vscode.l10n);
  }
}
