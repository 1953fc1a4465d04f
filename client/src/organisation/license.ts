/** The licence, as far as the editor needs it: whether what it opens is to be seen. */
import * as vscode from "vscode";
import { callError } from "#client/callError";
import { type Commands, setContext } from "#client/commands";
import type { ServiceClient } from "#client/serviceClient";
import { day } from "#client/words";
import type { License } from "#contract/organisation";
import { licenseText } from "./licenseText";

/** What was known last: to ask would open a database with each window. */
const memoryKey = "trawl.licensed";

export class LicenseState {
  readonly #service: ServiceClient;
  readonly #memory: vscode.Memento;
  #isValid: boolean;

  constructor(service: ServiceClient, memory: vscode.Memento) {
    this.#service = service;
    this.#memory = memory;
    this.#isValid = memory.get(memoryKey) === true;
    setContext("trawl.licensed", this.#isValid);
  }

  /** As it was when somebody looked last. */
  get isValid(): boolean {
    return this.#isValid;
  }

  readonly commands: Commands = {
    "org.license": () => this.#enter(),
  };

  /** What the licence says now, in words. */
  async look(): Promise<string> {
    return this.#note(await this.#service.call("license", {}));
  }

  /** Looks in passing: a licence may have been installed from the command line, or have ended. */
  renew(): void {
    this.look().catch(() => undefined);
  }

  /** Asks until there is a licence that counts, or the person gives up. */
  async #enter(): Promise<void> {
    const present = await this.look();
    const box = vscode.window.createInputBox();
    box.title = vscode.l10n.t("Enter License Key");
    box.prompt = present;
    box.placeholder = vscode.l10n.t("The license as it was issued");
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
    // Mail breaks long lines.
    const license = box.value.replace(/\s+/g, "");
    if (license === "" || box.busy) return;
    box.busy = true;
    try {
      const installed = await this.#service.call("installLicense", { license });
      const said = await this.#note(installed);
      if (installed.state === "valid") {
        box.hide();
        vscode.window.setStatusBarMessage(`$(verified) ${said.replaceAll("$(", "$ (")}`, 8_000);
      } else box.validationMessage = said;
    } catch (error) {
      box.validationMessage = callError(error).message;
    } finally {
      box.busy = false;
    }
  }

  async #note(license: License): Promise<string> {
    this.#isValid = license.state === "valid";
    setContext("trawl.licensed", this.#isValid);
    if (this.#memory.get(memoryKey) !== this.#isValid) await this.#memory.update(memoryKey, this.#isValid);
    return licenseText(license, day, vscode.l10n);
  }
}
