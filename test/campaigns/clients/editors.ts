/** The clients that run the steps: the programs they need, and how they start with the documented configuration. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { projectRoot } from "#test/support/house";
import { documentedBlocks, type Home, type Programs, runProgram, webFile } from "./home";
import { runKakoune } from "./kakoune";
import { type ClientResults, steps } from "./steps";

export interface Client {
  readonly name: string;
  /** Required commands, by the name that `run` uses. */
  readonly needs: readonly string[];
  /** Throws if an installed program lacks a required feature. */
  readonly probe?: (programs: Programs) => void;
  readonly run: (home: Home, programs: Programs) => Promise<ClientResults>;
}

const folder = join(projectRoot(), "test/campaigns/clients");
/** Where `.ci/clients` installs. */
const installed = ["out/clients/venv/bin", "out/clients/cargo/bin"].map((path) => join(projectRoot(), path));

/** A Python that has lsprotocol, which checks the messages of every client. */
export const checker: Pick<Client, "needs" | "probe"> = {
  needs: ["python3"],
  probe: ({ python3 = "" }) => quietly(python3, ["-c", "import lsprotocol"]),
};

export const clients: readonly Client[] = [
  {
    name: "Neovim",
    needs: ["nvim"],
    probe: ({ nvim = "" }) => quietly(nvim, ["--clean", "--headless", "+lua assert(vim.lsp.enable)", "+q"]),
    run: (home, programs) => runNeovim(home, programs, documentedBlocks("Neovim", "lua").slice(0, 1)),
  },
  {
    name: "Neovim, trawl: buffers",
    needs: ["nvim"],
    run: (home, programs) => runNeovim(home, programs, documentedBlocks("Neovim", "lua")),
  },
  {
    name: "Emacs",
    needs: ["emacs"],
    probe: ({ emacs = "" }) => quietly(emacs, ["--batch", "--eval", "(require 'eglot)"]),
    async run(home, { emacs = "" }) {
      const configuration = join(home.path, "init.el");
      writeFileSync(configuration, documentedBlocks("Emacs", "elisp").join("\n"));
      const args = ["--batch", "--load", configuration, "--load", join(folder, "eglot.el")];
      return resultsOf(home, emacs, args);
    },
  },
  {
    name: "Kakoune",
    needs: ["kak", "kak-lsp"],
    run: runKakoune,
  },
  {
    name: "pytest-lsp",
    needs: ["python3"],
    probe: ({ python3 = "" }) => quietly(python3, ["-c", "import pytest_lsp"]),
    async run(home, { python3 = "" }) {
      const configuration = join(home.path, "options.json");
      writeFileSync(configuration, documentedBlocks("Any other editor", "json")[0] ?? "");
      const options = ["-p", "no:cacheprovider", "-o", "asyncio_default_fixture_loop_scope=function"];
      const args = ["-B", "-m", "pytest", "-q", ...options, join(folder, "pytest_client.py")];
      // Opens the parent folder of the repositories.
      const cwd = join(home.path, "src");
      return resultsOf(home, python3, args, { cwd, env: { CLIENT_CONFIGURATION: configuration } });
    },
  },
];

/** Returns the paths of all required programs, or a message about the first missing one. */
export function programsFor({ needs, probe }: Pick<Client, "needs" | "probe">): Programs | string {
  const programs: Record<string, string> = {};
  for (const name of needs) {
    const path = pathOf(name);
    if (path === undefined) return `${name} is not installed`;
    programs[name] = path;
  }
  try {
    probe?.(programs);
  } catch (error) {
    const said = (error as { readonly stderr?: string }).stderr ?? "";
    return `${needs.join(", ")}: ${said.trim().split("\n").at(-1)}`;
  }
  return programs;
}

function runNeovim(home: Home, { nvim = "" }: Programs, blocks: readonly string[]): Promise<ClientResults> {
  const configuration = join(home.path, "init.lua");
  writeFileSync(configuration, blocks.join("\n"));
  return resultsOf(home, nvim, [
    "--headless",
    ...["-u", configuration, "-i", "NONE", "-n"],
    ...["-c", `luafile ${join(folder, "neovim.lua")}`],
  ]);
}

/** Runs a client that reads the plan and writes its results to a file. */
async function resultsOf(
  home: Home,
  program: string,
  args: readonly string[],
  { cwd = home.folder, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<ClientResults> {
  const plan = join(home.path, "plan.json");
  const results = join(home.path, "results.json");
  writeFileSync(plan, JSON.stringify({ ...steps, file: join(home.path, webFile), results }));
  const { code, output } = await runProgram(program, args, {
    cwd,
    env: { ...home.env, ...env, CLIENT_PLAN: plan },
    timeLimitMs: 4 * steps.timeLimitMs,
  });
  try {
    return JSON.parse(readFileSync(results, "utf8")) as ClientResults;
  } catch {
    return { problem: `no results, exit code ${code}: ${output.slice(-2000)}` };
  }
}

function pathOf(name: string): string | undefined {
  const folders = [...installed, ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders.map((each) => join(each, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function quietly(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", timeout: 20_000 });
}
