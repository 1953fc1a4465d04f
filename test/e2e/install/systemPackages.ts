/** Installs what the tests need from the system: git, a browser with fonts, and compilers for native addons. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Any one of `programs` is enough; `packages` provide the first. */
const needed: readonly { readonly programs: readonly string[]; readonly packages: readonly string[] }[] = [
  { programs: ["chromium", "chromium-browser"], packages: ["chromium", "fonts-dejavu-core"] },
  { programs: ["python3"], packages: ["python3"] },
  { programs: ["make"], packages: ["make"] },
  { programs: ["g++"], packages: ["g++"] },
  { programs: ["git"], packages: ["git"] },
];

/** Installs missing packages with apt, with sudo unless run as root. Throws if that fails. */
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

/** Returns the path in the environment variable `CHROMIUM`, or that of an installed Chromium. */
export function chromiumPath(): string {
  const path = process.env["CHROMIUM"] ?? pathOf("chromium") ?? pathOf("chromium-browser");
  if (path === undefined) throw new Error("Chromium was not found. Set CHROMIUM to its path.");
  return path;
}

function pathOf(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}
