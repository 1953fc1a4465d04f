/** The open brackets around the current position of a scanner. */
import type { Cuts } from "./cuts";

export class Bracket {
  /** The byte that opened it; 0 for the top level. */
  readonly opener: number;
  /** The offset after it. */
  readonly start: number;
  /** Whether its contents may be elided, unless they must be kept. */
  readonly isElidable: boolean;
  /** Undefined for the top level. */
  readonly outer: Bracket | undefined;
  /** Whether it may contain a definition. */
  defines = false;
  /** Whether it contains imports, which apply to the whole text. */
  mustBeKept = false;
  /** The number of cuts before it. */
  readonly #cutsBefore: number;

  constructor(opener: number, start: number, isElidable: boolean, cuts: Cuts, outer: Bracket | undefined) {
    this.opener = opener;
    this.start = start;
    this.isElidable = isElidable;
    this.outer = outer;
    this.#cutsBefore = cuts.count;
  }

  /** Adds the contents to `cuts` if they may be elided. `offset` is that of the closing byte. */
  close(offset: number, cuts: Cuts): void {
    const { outer } = this;
    if (outer !== undefined) {
      outer.defines ||= this.defines;
      outer.mustBeKept ||= this.mustBeKept;
    }
    if (this.isElidable && !this.mustBeKept && !cuts.mustKeep(this.start, offset, this.defines))
      cuts.add(this.start, offset, this.#cutsBefore);
  }
}
