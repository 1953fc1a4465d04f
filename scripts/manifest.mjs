/**
 * `npm run manifest`: writes `contributes` in `package.json`, and `package.nls.json`, from the declarations in
 * `client/src/manifest.ts` and the tools for agents in `server/src/agents/tools.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { re2jsInternals } from "./re2jsInternals.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { manifestFiles } = await load("client/src/manifest.ts");
const { toolDefinitions } = await load("server/src/agents/toolDefinitions.ts");
const { contributes, texts } = manifestFiles(toolDefinitions());
const path = join(root, "package.json");
write(path, { ...JSON.parse(readFileSync(path, "utf8")), contributes });
write(join(root, "package.nls.json"), texts);

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Bundles a module in memory and imports it. */
async function load(entryPoint) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    platform: "node",
    format: "esm",
    plugins: [re2jsInternals],
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
