import { readFileSync } from "node:fs";
import { issueLicense } from "#access/license";
import { type License, type LicensedFeature, licensedFeatures } from "#contract/organisation";
import { asking } from "./actions";
import { absolutePath } from "./configuration";
import { type Flags, usage } from "./flags";
import type { House } from "./instance";
import { harmless } from "./terminal";

export async function licenseCommand(house: House, flags: Flags): Promise<number> {
  const [verb, ...words] = flags.words;
  // Whoever issues licences needs no instance.
  if (verb === "issue" && words.length === 0) return await issue(house, flags);
  if (verb === "show" && words.length === 0) {
    return await asking(house, flags, async (ask) => tell(house, flags, await ask("license", {})));
  }
  if (verb === "reset-clock" && words.length === 0) {
    return await asking(house, flags, async (ask) => tell(house, flags, await ask("resetClock", {})));
  }
  if (verb === "install" && words.length === 1) {
    const license = textOf(absolutePath(words[0] ?? "", house.currentFolder));
    return await asking(house, flags, async (ask) =>
      tell(house, flags, await ask("installLicense", { license })),
    );
  }
  throw usage("license takes show, install FILE, reset-clock, or issue.");
}

/** The exit code says whether it counts. */
async function tell({ terminal }: House, flags: Flags, license: License): Promise<number> {
  const { state, message, organization, seats, expiresAt, features = [] } = license;
  if (flags.has("json")) await terminal.print(`${JSON.stringify(license)}\n`);
  else if (organization === undefined) await terminal.print(`${message}\n`);
  else {
    const lines = [
      message,
      `  for      ${organization}`,
      `  members  ${seats === undefined ? "any number" : `up to ${seats}`}`,
      `  until    ${expiresAt}`,
      `  for use  ${features.join(", ")}`,
    ];
    await terminal.print(`${lines.map(harmless).join("\n")}\n`);
  }
  return state === "valid" ? 0 : 1;
}

/** The licence goes to standard output; whose it is to be trusted is said beside it. */
async function issue({ terminal, currentFolder }: House, flags: Flags): Promise<number> {
  const now = new Date().toISOString();
  const seats = flags.integer("seats", 1, 1_000_000);
  const claims = {
    id: flags.text("id") ?? now,
    organization: required(flags, "organization"),
    features: (flags.texts("feature") ?? licensedFeatures).map(checkedFeature),
    issuedAt: now,
    expiresAt: endOf(required(flags, "expires")),
    ...(seats === undefined ? {} : { seats }),
  };
  const { license, maker } = issueLicense(
    claims,
    textOf(absolutePath(required(flags, "key"), currentFolder)),
  );
  terminal.say(
    `Counts where the build or "licenseMakers" of the configuration names the maker's key ${maker}\n`,
  );
  await terminal.print(`${license}\n`);
  return 0;
}

function checkedFeature(text: string): LicensedFeature {
  const found = licensedFeatures.find((each) => each === text);
  if (found !== undefined) return found;
  throw usage(`--feature takes ${licensedFeatures.join(", ")}, not "${text}".`);
}

function required(flags: Flags, name: string): string {
  const text = flags.text(name);
  if (text === undefined) throw usage(`license issue needs --${name}.`);
  return text;
}

/** A day counts to its end. */
function endOf(text: string): string {
  const time = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59Z` : text);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usage(`--expires takes a day such as 2027-12-31, not "${text}".`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw usage(`Cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
