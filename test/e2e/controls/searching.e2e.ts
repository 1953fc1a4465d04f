/** Searches; without a server of Trawl it must be red. */
import { firstResult } from "#e2e/host/searching";

describe("a search", () => {
  it("finds something", () => firstResult("chargeCard", (place) => place !== "", 10_000));
});
