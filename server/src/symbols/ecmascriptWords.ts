/** Words of TypeScript and JavaScript that tell what brackets and slashes behind them mean. */
import { Words } from "./words";

/** By what they say of what follows. */
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
const words = new Words(Object.values(wordsBefore).flat());
/** By number of the word; any other word has none. */
const classOf: readonly (WordClass | undefined)[] = [
  undefined,
  ...wordClasses.flatMap((wordClass) => wordsBefore[wordClass].map(() => wordClass)),
];

/** Of the word between two places. */
export function wordClassAt(content: Uint8Array, start: number, end: number): WordClass | undefined {
  return classOf[words.find(content, start, end)];
}
