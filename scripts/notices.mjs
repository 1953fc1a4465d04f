/** Collects the licenses of the packages in the bundles, for the third-party notices. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages whose data or compiled output is in the bundles, but not their source. */
const derived = ["linguist-languages", "assemblyscript"];

/** `inputs` are the input files of the bundles. Throws if a package has no license. */
export function notices(root, inputs) {
  const names = new Set(derived);
  for (const input of inputs) {
    const found = [...input.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].at(-1);
    if (found !== undefined)
      names.add(
        input
          .slice(input.indexOf("node_modules/"), found.index + found[0].length - 1)
          .slice("node_modules/".length),
      );
  }
  const parts = [...names].sort().map((name) => noticeOf(root, name));
  return ["Trawl contains the following packages, with these licenses:\n", ...parts].join(
    `\n${"-".repeat(80)}\n\n`,
  );
}

function noticeOf(root, name) {
  const folder = join(root, "node_modules", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof manifest.license !== "string") throw new Error(`${name} has no license.`);
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice|third.?party.?notices?)\b/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const author = typeof manifest.author === "string" ? manifest.author : manifest.author?.name;
  return [
    `${manifest.name} ${manifest.version}`,
    `License: ${manifest.license}`,
    ...(texts.length > 0 ? ["", ...texts] : author === undefined ? [] : [`Author: ${author}`]),
    "",
  ].join("\n");
}
