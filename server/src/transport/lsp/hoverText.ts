/** What is shown where the mouse rests on a name. It is text of a repository: nothing in it may become markup. */
import type { Description } from "#contract/symbols";

type Described = NonNullable<Description["definition"]>;

/** More is read in the file itself. */
const maxDocumentation = 2000;

/** As Markdown. */
export function hoverText({ signature, documentation, language, found, others }: Described): string {
  const runs = signature.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  const more = others === 0 ? "" : ` · ${others} more`;
  const parts = [
    `${fence}${fenceName(language)}\n${signature}\n${fence}`,
    plain(documentation.slice(0, maxDocumentation)),
    plain(`${found.repository} · ${found.fileName}:${found.range.start.lineNumber}${more}`),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/** Every sign that could mean something stands for itself; lines stay lines. */
function plain(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]()#+\-.!<>|~&$:@/]/g, "\\$&")
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/\n(?!\n)/g, "  \n")
    .trim();
}

const fenceNames: Readonly<Record<string, string>> = {
  "C++": "cpp",
  "C#": "csharp",
  TSX: "typescriptreact",
  Shell: "shellscript",
  "Objective-C": "objective-c",
};

function fenceName(language: string): string {
  const name = Object.hasOwn(fenceNames, language) ? fenceNames[language] : language;
  return (name ?? "").toLowerCase().replaceAll(/[^\w+#-]/g, "");
}
