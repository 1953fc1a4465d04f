/**
 * esbuild plugin: exports the parser of re2js, which its package does not, because `#query/regexp/re2` needs the syntax
 * tree.
 *
 * The names are internals of one release, so any other release fails the build. Before you change the version here,
 * check `re2.ts` against the new release. The plugin also includes re2js in bundles that exclude other packages.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "node_modules/re2js");
const release = "2.10.0";
const names = ["CharClass", "Parser", "Regexp", "RE2Flags", "RE2", "Unicode"];

export const re2jsInternals = {
  name: "re2jsInternals",
  setup(build) {
    build.onResolve({ filter: /^re2js$/ }, () => ({
      path: join(folder, "build/index.js"),
      namespace: "re2js",
    }));
    build.onLoad({ filter: /.*/, namespace: "re2js" }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (version !== release)
        throw new Error(`re2js has version ${version}, but this plugin supports only ${release}.`);
      const source = readFileSync(path, "utf8");
      const missing = names.filter((name) => !source.includes(`\nvar ${name} = class `));
      if (missing.length > 0) throw new Error(`re2js ${version} has no ${missing.join(", ")}.`);
      const internals = names.map((name) => `${name} as __${name}`).join(", ");
      return { contents: `${source}\nexport { ${internals} };\n`, loader: "js", resolveDir: dirname(path) };
    });
  },
};
