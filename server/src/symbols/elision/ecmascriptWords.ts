/** Keywords of TypeScript and JavaScript that decide the meaning of following brackets and slashes. */
import { Keywords } from "./words";

/** Keywords by class. */
const wordsBefore = {
  condition: ["if", "for", "while", "switch", "with"],
  handler: ["catch"],
  block: ["else", "try", "finally", "do"],
  value: ["return", "typeof", "case", "in", "of", "delete", "throw", "instanceof", "yield", "await"],
  construct: ["new"],
  module: ["require", "import"],
  members: ["class", "interface", "enum", "namespace", "module", "global"],
  type: ["extends", "implements", "keyof", "readonly"],
  names: ["const", "let", "var", "export"],
  alias: ["type"],
  function: ["function"],
  async: ["async"],
  this: ["this"],
} as const;
export type WordClass = keyof typeof wordsBefore;

const wordClasses = Object.keys(wordsBefore) as WordClass[];
const words = new Keywords(Object.values(wordsBefore).flat());
/** The class of each keyword, by number. */
const classOf: readonly (WordClass | undefined)[] = [
  undefined,
  ...wordClasses.flatMap((wordClass) => wordsBefore[wordClass].map(() => wordClass)),
];

/** Returns the class of the word from `start` to `end`. */
export function wordClassAt(content: Uint8Array, start: number, end: number): WordClass | undefined {
  return classOf[words.find(content, start, end)];
}
