/** Parses captured imports. */

/** Limits the number of paths to which nested braces can expand. */
const maxPaths = 1000;
const maxPathLength = 1024;

/** Returns paths as written, without quotes. With `isPath`, `a::{b, c::d}` expands to `a::b` and `a::c::d`. */
export function importsIn(written: string, isPath: boolean): string[] {
  const plain = written
    .trim()
    .replace(/^(?:use|import)\s+(?:(?:function|const)\s+)?|;$/g, "")
    .replace(/^(["'`<])(.*)["'`>]$/s, "$2");
  const paths = isPath ? expandBraces(plain.replace(/\s+/g, " ")) : [plain];
  return paths.filter((path) => path !== "" && path.length <= maxPathLength && !/[\n\r\0]/.test(path));
}

/** Parses from left to right, with a stack of the prefixes of open braces. */
function expandBraces(text: string): string[] {
  const paths: string[] = [];
  const prefixes = [""];
  let path = "";
  const end = () => {
    const name = path.replace(/ (?:as|=>) .*$/, "").trim();
    if (name !== "") paths.push(((prefixes.at(-1) ?? "") + name).replace(/(::|\\|\.)(self|\*|_)$/, ""));
    path = "";
  };
  for (const character of text) {
    if (paths.length >= maxPaths) break;
    if (character === "{") {
      const prefix = (prefixes.at(-1) ?? "") + path.trim();
      prefixes.push(prefix.length > maxPathLength ? "" : prefix);
      path = "";
    } else if (character === "," || character === "}") {
      end();
      if (character === "}" && prefixes.length > 1) prefixes.pop();
    } else path += character;
  }
  end();
  return paths;
}
