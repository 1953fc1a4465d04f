/** The licences of the packages that bundles contain, as each of them asks to be told. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages of which something other than their source is in the bundles: tables, compiled code. */
const worked = ["linguist-languages", "assemblyscript"];

/** `inputs` are the files that went into bundles. Throws where a package does not say its licence. */
export function notices(root, inputs) {
  const names = new Set(worked);
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
  return ["Trawl contains the packages below. Their licences, word for word:\n", ...parts].join(
    `\n${"-".repeat(80)}\n\n`,
  );
}

function noticeOf(root, name) {
  const folder = join(root, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof about.license !== "string") throw new Error(`${name} does not say its licence.`);
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice|third.?party.?notices?)\b/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  const author = typeof about.author === "string" ? about.author : about.author?.name;
  return [
    `${about.name} ${about.version}`,
    `Licence: ${about.license}`,
    ...(texts.length > 0 ? ["", ...texts] : author === undefined ? [] : [`Author: ${author}`]),
    "",
  ].join("\n");
}
