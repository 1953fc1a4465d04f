import { bytePathFromText } from "#git/bytePath";
import { attributesOnDisk } from "#git/workTree/attributesFiles";
import { WorkingFiles } from "#git/workTree/workingFile";
import { linguistAttributes } from "#languages/attributes";
import { detectLanguage } from "#languages/detect";

/** A language is detected from at most this many UTF-16 code units at the beginning of a text. */
const headCharacters = 16 * 1024;

/**
 * Returns Linguist's name for the language of an unsaved document, or what `.gitattributes` files on disk set instead.
 * `path` is relative to `root`, a working tree or a folder.
 */
export function unsavedLanguage(root: string, path: string, text: string): string {
  const files = attributesOnDisk(new WorkingFiles(root), [bytePathFromText(path)]);
  const { language } = linguistAttributes(files)(path);
  return language ?? detectLanguage(path, Buffer.from(text.slice(0, headCharacters)));
}
