/** Formats hovers. Their text comes from repositories, so it must not become markup. */
import { type MarkupContent, MarkupKind } from "vscode-languageserver/node";
import type { SymbolDescription } from "#contract/symbols";

type DescribedDefinition = NonNullable<SymbolDescription["definition"]>;

/** In UTF-16 code units. Longer documentation is truncated. */
const maxDocumentation = 2000;

export function formatHover(
  { signature, documentation, language, found, others }: DescribedDefinition,
  kind: MarkupKind,
): MarkupContent {
  const more = others === 0 ? "" : ` · ${others} more`;
  const location = `${found.repository} · ${found.fileName}:${found.range.start.lineNumber}${more}`;
  const texts = [documentation.slice(0, maxDocumentation), location];
  const parts =
    kind === MarkupKind.Markdown
      ? [fenceCode(signature, language), ...texts.map(escapeMarkdown)]
      : [signature, ...texts.map((text) => text.trim())];
  return { kind, value: parts.filter((part) => part.trim() !== "").join("\n\n") };
}

function fenceCode(code: string, language: string): string {
  const runs = code.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(3, ...runs.map(({ length }) => length + 1)));
  return `${fence}${fenceName(language)}\n${code}\n${fence}`;
}

/**
 * Escapes only what Markdown would treat as markup, because some editors show the backslashes. Preserves line breaks.
 */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(inlineMarkup, "\\$&")
    .replaceAll(/^( ?)([-+=#>|:])/gm, "$1\\$2")
    .replaceAll(/^( ?\d+)([.)])/gm, "$1\\$2")
    .replaceAll(/(?<!\n)\n(?!\n)/g, "  \n")
    .trim();
}

/**
 * Characters that are markup within a line, including those that would turn email addresses and URLs into links.
 * Underscores within words are plain text.
 */
const inlineMarkup =
  /[\\`*[\]<~]|(?<![A-Za-z\d])_|_(?![A-Za-z\d])|&(?=[#A-Za-z])|\$(?=\()|(?<=\S)@(?=\S)|\/(?=\/\S)|(?<=\bwww)\./gi;

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
