/** What the tests need of the system: a browser with letters to draw, and compilers for a few addons. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Any of the programs will do; the package brings the first. */
const needed: readonly { readonly programs: readonly string[]; readonly packages: readonly string[] }[] = [
  { programs: ["chromium", "chromium-browser"], packages: ["chromium", "fonts-dejavu-core"] },
  { programs: ["python3"], packages: ["python3"] },
  { programs: ["make"], packages: ["make"] },
  { programs: ["g++"], packages: ["g++"] },
  { programs: ["git"], packages: ["git"] },
];

/** Installs with apt what is missing, with sudo where this is not root; throws where that cannot be. */
export function installSystemPackages(): void {
  const missing = needed.filter(({ programs }) => programs.every((name) => pathOf(name) === undefined));
  if (missing.length === 0) return;
  const packages = missing.flatMap((each) => each.packages);
  process.stdout.write(`Installing ${packages.join(", ")} ...\n`);
  const install = ["install", "-y", "-qq", "--no-install-recommends", ...packages];
  for (const words of [["update", "-qq"], install]) {
    const command = ["apt-get", ...words];
    if (process.getuid?.() !== 0) command.unshift("sudo", "-n", "--preserve-env=DEBIAN_FRONTEND");
    const [program = "", ...rest] = command;
    const { status, error } = spawnSync(program, rest, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (status === 0) continue;
    throw new Error(`${command.join(" ")} failed. Install these by hand: ${packages.join(", ")}.`, {
      cause: error,
    });
  }
}

/** `CHROMIUM` in the environment, or what is installed. */
export function chromiumPath(): string {
  const path = process.env["CHROMIUM"] ?? pathOf("chromium") ?? pathOf("chromium-browser");
  if (path === undefined) throw new Error("There is no Chromium; CHROMIUM may say where one is.");
  return path;
}

function pathOf(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}
