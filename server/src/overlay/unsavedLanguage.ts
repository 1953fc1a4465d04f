import { attributesOnDisk } from "#git/attributesFiles";
import { bytePathOfText } from "#git/bytePath";
import { WorkingFiles } from "#git/workingFile";
import { linguistAttributes } from "#languages/attributes";
import { detectLanguage } from "#languages/detect";

/** Languages are told by the first bytes of a text. */
const headCharacters = 16 * 1024;

/** The language of a text that is in an editor only; `path` is relative to `root`, a working tree or a folder. */
export function unsavedLanguage(root: string, path: string, text: string): string {
  const files = attributesOnDisk(new WorkingFiles(root), [bytePathOfText(path)]);
  const { language } = linguistAttributes(files)(path);
  return language ?? detectLanguage(path, Buffer.from(text.slice(0, headCharacters)));
}
