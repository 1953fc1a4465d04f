/**
 * Runs one scripted session of the Model Context Protocol with independent clients, over standard input and output and
 * over HTTP. Each must receive what the official client of the protocol's TypeScript SDK receives. Then runs the
 * protocol's conformance suite.
 *
 * Clients that are not installed are treated as in the campaign `clients`.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type AgentServer, startAgentServer } from "#test/support/agentServer";
import { projectRoot } from "#test/support/house";
import { trawlBundle } from "#test/support/trawl";
import type { Campaign, CampaignResult } from "./campaign";
import { isRequired, isWanted } from "./clients";
import { runProgram } from "./clients/home";

/** Packages for Python, which `.ci/clients` installs. */
const libraries = ["mcp", "fastmcp"];
/** The protocol's conformance suite, which it installs, too. */
const conformance = "conformance";

const script = {
  calls: [
    { name: "grep", arguments: { pattern: "cart.total", context: 1 } },
    { name: "uses", arguments: { symbol: "Cart" } },
    { name: "read", arguments: { files: [{ repo: "acme/shop", path: "docs/hostile.txt" }] } },
    { name: "grep", arguments: { patern: "a name that is wrong" } },
  ],
  resource: "trawl://github.com/acme/money@main/round.ts",
  prompt: { name: "who_uses", arguments: { symbol: "Cart" } },
};

/** What a client received. */
interface Session {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly templates: readonly string[];
  readonly calls: readonly { readonly isError: boolean; readonly text: string }[];
  readonly resource: string;
  readonly prompt: string;
}

export const mcpClients: Campaign = {
  summary: "sessions of each client of MCP and each transport, compared with the official client",
  fullCount: 20,
  shortCount: 1,
  async run({ count, scratch }): Promise<CampaignResult> {
    const figures: (readonly [string, string])[] = [];
    const failures: string[] = [];
    const server = await startAgentServer();
    try {
      const expected = await officialSession(server);
      for (const library of libraries.filter(isWanted)) {
        const python = join(projectRoot(), "out/clients/venv/bin/python3");
        if (!existsSync(python)) {
          figures.push([library, "NOT RUN: there is no out/clients/venv"]);
          if (isRequired(library)) failures.push(`${library} was not run.`);
          continue;
        }
        for (const [transport, target] of Object.entries(targetsOf(server))) {
          const plan = join(scratch, `${library}-${transport}.json`);
          writeFileSync(plan, JSON.stringify({ ...script, ...target }));
          const problems: string[] = [];
          for (let session = 0; session < count; session++)
            problems.push(...differences(await pythonSession(python, library, plan), expected));
          failures.push(...problems.map((each) => `${library} over ${transport}: ${each}`));
          figures.push([`${library} over ${transport}`, problems.length === 0 ? "as expected" : "DIFFERS"]);
        }
      }
      if (isWanted(conformance)) {
        const found = await runConformance(server);
        figures.push([conformance, found.summary]);
        failures.push(...found.failures);
      }
    } finally {
      await server.close();
    }
    return { figures, failures };
  },
};

interface Conformance {
  readonly summary: string;
  readonly failures: readonly string[];
}

async function runConformance({ served }: AgentServer): Promise<Conformance> {
  const modules = join(projectRoot(), "out/clients/npm/node_modules");
  const suite = join(modules, "@modelcontextprotocol/conformance/dist/index.js");
  if (!existsSync(suite)) {
    const failures = isRequired(conformance) ? [`${conformance} was not run.`] : [];
    return { summary: "NOT RUN: there is no out/clients/npm", failures };
  }
  const expected = join(projectRoot(), "test/campaigns/clients/conformance.yml");
  const args = [suite, "server", "--url", `${served.url}/mcp`, "--expected-failures", expected];
  const node = join(modules, `node-linux-${process.arch}/bin/node`);
  const { code, output } = await runProgram(node, args, {
    cwd: projectRoot(),
    env: process.env,
    timeLimitMs: 120_000,
  });
  const passed = output.match(/^✓ \S+: [1-9]\d* passed, 0 failed$/gm)?.length ?? 0;
  const isExpected = code === 0 && passed > 0;
  return {
    summary: isExpected ? `as expected, ${passed} scenarios passed` : "DIFFERS",
    failures: isExpected ? [] : [`${conformance}: ${output.slice(-2000)}`],
  };
}

function targetsOf({ dataDir, served }: AgentServer): Readonly<Record<string, object>> {
  return {
    stdio: { command: process.execPath, args: [trawlBundle, "mcp", "--data-dir", dataDir] },
    HTTP: { url: `${served.url}/mcp` },
  };
}

async function officialSession({ served }: AgentServer): Promise<Session> {
  const client = new Client({ name: "campaign", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
  try {
    const calls = [];
    for (const each of script.calls) {
      const { content, isError = false } = await client.callTool(each);
      const [first] = content;
      calls.push({ isError, text: first?.type === "text" ? first.text : "" });
    }
    const [resource] = (await client.readResource({ uri: script.resource })).contents;
    const [message] = (await client.getPrompt(script.prompt)).messages;
    return {
      tools: (await client.listTools()).tools.map(({ name }) => name),
      prompts: (await client.listPrompts()).prompts.map(({ name }) => name),
      templates: (await client.listResourceTemplates()).resourceTemplates.map((each) => each.uriTemplate),
      calls,
      resource: resource !== undefined && "text" in resource ? resource.text : "",
      prompt: message?.content.type === "text" ? message.content.text : "",
    };
  } finally {
    await client.close();
  }
}

/** Returns the session, or what the client printed instead. */
async function pythonSession(python: string, library: string, plan: string): Promise<Session | string> {
  const session = join(projectRoot(), "test/campaigns/clients/mcp_session.py");
  const { code, output } = await runProgram(python, [session, library, plan], {
    cwd: projectRoot(),
    env: process.env,
    timeLimitMs: 60_000,
  });
  const last = output.trim().split("\n").at(-1) ?? "";
  return code === 0 ? (JSON.parse(last) as Session) : output.slice(-2000);
}

function differences(found: Session | string, expected: Session): string[] {
  if (typeof found === "string") return [found];
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(found[name as keyof Session], value))
    .map(
      ([name, value]) =>
        `${name}: ${JSON.stringify(found[name as keyof Session])} instead of ${JSON.stringify(value)}`,
    );
}
