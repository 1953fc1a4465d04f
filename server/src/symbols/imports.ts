/** What a captured import names. */

/** Hostile braces could name any number of paths. */
const maxPaths = 1000;
const maxPathLength = 1024;

/** Paths as written, without quotes; `isPath`: `a::{b, c::d}` stands for `a::b` and `a::c::d`. */
export function importsIn(written: string, isPath: boolean): string[] {
  const plain = written
    .trim()
    .replace(/^(?:use|import)\s+(?:(?:function|const)\s+)?|;$/g, "")
    .replace(/^(["'`<])(.*)["'`>]$/s, "$2");
  const paths = isPath ? expanded(plain.replace(/\s+/g, " ")) : [plain];
  return paths.filter((path) => path !== "" && path.length <= maxPathLength && !/[\n\r\0]/.test(path));
}

/** Reads from left to right with a stack of what stands before each open brace. */
function expanded(text: string): string[] {
  const paths: string[] = [];
  const before = [""];
  let path = "";
  const end = () => {
    const name = path.replace(/ (?:as|=>) .*$/, "").trim();
    if (name !== "") paths.push(((before.at(-1) ?? "") + name).replace(/(::|\\|\.)(self|\*|_)$/, ""));
    path = "";
  };
  for (const character of text) {
    if (paths.length >= maxPaths) break;
    if (character === "{") {
      const prefix = (before.at(-1) ?? "") + path.trim();
      before.push(prefix.length > maxPathLength ? "" : prefix);
      path = "";
    } else if (character === "," || character === "}") {
      end();
      if (character === "}" && before.length > 1) before.pop();
    } else path += character;
  }
  end();
  return paths;
}
