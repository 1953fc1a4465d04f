/**
 * `npm run manifest`: writes `contributes` in `package.json`, and `package.nls.json`, from the declarations in
 * `client/src/manifest.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["client/src/manifest.ts"],
  bundle: true,
  format: "esm",
  write: false,
});
const { manifestFiles } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);
const { contributes, texts } = manifestFiles();
const path = join(root, "package.json");
write(path, { ...JSON.parse(readFileSync(path, "utf8")), contributes });
write(join(root, "package.nls.json"), texts);

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
