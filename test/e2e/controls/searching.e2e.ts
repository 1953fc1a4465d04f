/** Searches; without a server of Trawl it must be red. */
import { firstResult } from "#e2e/host/actions";

describe("a search", () => {
  it("finds something", () => firstResult("chargeCard", (location) => location !== "", 10_000));
});
