/** What a spec needs of VS Code beyond the ordinary. */
import type { CodeServerOptions } from "#e2e/driver/codeServer";

const special: Readonly<Record<string, CodeServerOptions>> = {
  "host/untrusted.e2e": { asksForTrust: true },
};

export function optionsFor(spec: string): CodeServerOptions {
  return special[spec] ?? {};
}
