import type { Clock } from "#platform/clock";

/** A clock that stands still until it is set. */
export interface SetClock extends Clock {
  time: number;
}

export function setClock(time: number): SetClock {
  return {
    time,
    now() {
      return this.time;
    },
    after: () => () => {},
  };
}
