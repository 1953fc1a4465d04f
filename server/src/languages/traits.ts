import type { DocumentCategory } from "#model/document";
import type { LinguistAttributes } from "./attributes";
import { categorize } from "./categorize";
import { detectLanguage } from "./detect";

/** Determines language and category of a document. `.gitattributes` takes precedence over path and text. */
export function traitsOf(
  path: string,
  attributes: LinguistAttributes,
  text?: Uint8Array,
): { readonly language: string; readonly category: DocumentCategory } {
  return {
    language: attributes.language ?? detectLanguage(path, text),
    category: categorize(path, attributes),
  };
}
