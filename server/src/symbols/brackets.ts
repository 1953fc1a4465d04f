/** Brackets that are open where a text is looked through. */
import type { Cuts } from "./cuts";

export class Bracket {
  /** The byte that opened it; 0 for what is around everything. */
  readonly sign: number;
  /** Behind it. */
  readonly start: number;
  /** What is in it can be left out, unless it is wanted. */
  readonly canGo: boolean;
  /** Undefined for what is around everything. */
  readonly outer: Bracket | undefined;
  /** Whether something in it may be a definition. */
  defines = false;
  /** Whether something in it tells what all of the text means: what it imports. */
  stays = false;
  /** How many parts had been left out before. */
  readonly #cutsBefore: number;

  constructor(sign: number, start: number, canGo: boolean, cuts: Cuts, outer: Bracket | undefined) {
    this.sign = sign;
    this.start = start;
    this.canGo = canGo;
    this.outer = outer;
    this.#cutsBefore = cuts.count;
  }

  /** `at`: where the byte stands that closes it. */
  close(at: number, cuts: Cuts): void {
    const { outer } = this;
    if (outer !== undefined) {
      outer.defines ||= this.defines;
      outer.stays ||= this.stays;
    }
    if (this.canGo && !this.stays && !cuts.isWanted(this.start, at, this.defines))
      cuts.add(this.start, at, this.#cutsBefore);
  }
}
