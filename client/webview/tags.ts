/** Creates elements without HTML markup, so that text from repositories cannot become markup. */

type Child = Node | string;

interface Properties {
  readonly class?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly onClick?: (event: MouseEvent) => void;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  { class: names, attributes = {}, onClick }: Properties,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (names !== undefined) made.className = names;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (onClick !== undefined) made.addEventListener("click", onClick as EventListener);
  made.append(...children);
  return made;
}

/** Creates a button of type "button", which does not submit forms. */
export function button(properties: Properties, ...children: readonly Child[]): HTMLButtonElement {
  const attributes = { type: "button", ...properties.attributes };
  return element("button", { ...properties, attributes }, ...children);
}

/** SVG paths in a 16×16 view box. */
const iconPaths = {
  close: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.5 14.5 13.5H1.5ZM8 6.5v3.5M8 11.4v.6",
  error: "M8 1.8a6.2 6.2 0 1 0 .01 0ZM5.7 5.7l4.6 4.6M10.3 5.7l-4.6 4.6",
  info: "M8 1.8a6.2 6.2 0 1 0 .01 0ZM8 7.2v4.2M8 4.6v.6",
  hint: "M6 13.5h4M8 2.2a4 4 0 0 0-2.3 7.3c.5.5.8 1 .8 1.7h3c0-.7.3-1.2.8-1.7A4 4 0 0 0 8 2.2Z",
};
export type Icon = keyof typeof iconPaths;

export function icon(name: Icon): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", iconPaths[name]);
  svg.append(path);
  return svg;
}

/** Returns an element of the page; throws if it does not exist. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element "${id}".`);
  return found as Type;
}
