import { readFileSync } from "node:fs";
import { issueLicense } from "#access/license";
import { usageError } from "#base/error";
import { sanitize } from "#base/sanitize";
import { type License, type LicensedFeature, licensedFeatures } from "#contract/organization";
import { absolutePath } from "#instance/settingValues";
import type { CommandContext } from "./context";
import type { Flags } from "./flags";
import { withInstance } from "./subcommands";

export async function licenseCommand(context: CommandContext, flags: Flags): Promise<number> {
  const [name, ...positionals] = flags.positionals;
  // Issuing a license needs no instance.
  if (name === "issue" && positionals.length === 0) return await issue(context, flags);
  if (name === "show" && positionals.length === 0) {
    return await withInstance(context, flags, async (send) =>
      printLicense(context, flags, await send("license", {})),
    );
  }
  if (name === "reset-clock" && positionals.length === 0) {
    return await withInstance(context, flags, async (send) =>
      printLicense(context, flags, await send("resetClock", {})),
    );
  }
  if (name === "install" && positionals.length === 1) {
    const license = readText(absolutePath(positionals[0] ?? "", context.currentFolder));
    return await withInstance(context, flags, async (send) =>
      printLicense(context, flags, await send("installLicense", { license })),
    );
  }
  if (name === "install" && positionals.length === 0) throw usageError("license install requires a FILE.");
  throw usageError("license requires a subcommand: show, install FILE, reset-clock, or issue.");
}

/** Returns the exit code: 0 if the license is valid, 1 if not. */
async function printLicense({ terminal }: CommandContext, flags: Flags, license: License): Promise<number> {
  const { state, message, organization, seats, expiresAt, features = [] } = license;
  if (flags.has("json")) await terminal.print(`${JSON.stringify(license)}\n`);
  else if (organization === undefined) await terminal.print(`${message}\n`);
  else {
    const lines = [
      message,
      `  issued to  ${organization}`,
      `  members    ${seats === undefined ? "any number" : `up to ${seats}`}`,
      `  expires    ${expiresAt}`,
      `  features   ${features.join(", ")}`,
    ];
    await terminal.print(`${lines.map(sanitize).join("\n")}\n`);
  }
  return state === "valid" ? 0 : 1;
}

/** Prints the license to standard output, and the public key that must be trusted to standard error. */
async function issue({ terminal, currentFolder }: CommandContext, flags: Flags): Promise<number> {
  const now = new Date().toISOString();
  const seats = flags.integer("seats", 1, 1_000_000);
  const claims = {
    id: flags.text("id") ?? now,
    organization: requireFlag(flags, "organization"),
    features: (flags.texts("feature") ?? licensedFeatures).map(parseFeature),
    issuedAt: now,
    expiresAt: parseExpiryDate(requireFlag(flags, "expires")),
    ...(seats === undefined ? {} : { seats }),
  };
  const { license, publicKey } = issueLicense(
    claims,
    readText(absolutePath(requireFlag(flags, "key"), currentFolder)),
  );
  terminal.printError(
    `The license is valid on instances whose build or "licenseMakers" setting has the public key ${publicKey}\n`,
  );
  await terminal.print(`${license}\n`);
  return 0;
}

function parseFeature(text: string): LicensedFeature {
  const found = licensedFeatures.find((each) => each === text);
  if (found !== undefined) return found;
  throw usageError(`--feature must be one of ${licensedFeatures.join(", ")}, not "${text}".`);
}

function requireFlag(flags: Flags, name: string): string {
  const text = flags.text(name);
  if (text === undefined) throw usageError(`license issue requires --${name}.`);
  return text;
}

/** Returns an ISO 8601 time. A date without a time means the end of that day in UTC. Throws USAGE for anything else. */
function parseExpiryDate(text: string): string {
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(`--expires must be a date such as 2027-12-31, not "${text}".`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw usageError(`Cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
