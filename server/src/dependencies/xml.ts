/** A minimal XML parser for build files: elements and their text, without attributes and entities. */

export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Text directly inside of the element. */
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

const maxDepth = 100;

/** Returns the root, which contains the document element. Runs in linear time. Throws a SyntaxError. */
export function parseXml(text: string): XmlElement {
  const root: OpenElement = { name: "", children: [], text: "" };
  const open = [root];
  for (let at = 0; ; ) {
    const inner = open.at(-1) ?? root;
    const start = text.indexOf("<", at);
    if (start < 0) break;
    inner.text += text.slice(at, start);
    if (text.startsWith("<!--", start)) at = after(text, "-->", start);
    else if (text.startsWith("<![CDATA[", start)) at = after(text, "]]>", start);
    else if (/[?!]/.test(text[start + 1] ?? "")) at = after(text, ">", start);
    else {
      at = after(text, ">", start);
      const tag = text.slice(start + 1, at - 1);
      if (tag.startsWith("/")) {
        if (open.length === 1 || tag.slice(1).trim() !== inner.name)
          throw new SyntaxError("Unexpected end tag");
        open.pop();
        continue;
      }
      const name = /^[\w.:-]+/.exec(tag)?.[0] ?? "";
      const element: OpenElement = { name, children: [], text: "" };
      inner.children.push(element);
      if (!tag.endsWith("/")) open.push(element);
      if (open.length > maxDepth) throw new SyntaxError("Too deep");
    }
  }
  if (open.length > 1) throw new SyntaxError("Missing end tag");
  return root;
}

function after(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  if (at < 0) throw new SyntaxError(`Missing ${part}`);
  return at + part.length;
}

/** Returns the elements that this path of names leads to. */
export function elementsAt(element: XmlElement, ...names: readonly string[]): readonly XmlElement[] {
  let found: readonly XmlElement[] = [element];
  for (const name of names)
    found = found.flatMap(({ children }) => children.filter((each) => each.name === name));
  return found;
}

/** Returns the text of the first child of this name, or `""`. */
export function childText(element: XmlElement, name: string): string {
  return element.children.find((each) => each.name === name)?.text.trim() ?? "";
}
