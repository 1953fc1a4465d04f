import assert from "node:assert/strict";
import { test } from "node:test";
import { licenseText } from "#client/organization/licenseText";
import type { License } from "#contract/organization";
import { english } from "#test/support/english";

const message = "As the server says it.";
const full = { message, id: "L-1", organization: "Acme", expiresAt: "2027-03-01T00:00:00.000Z" };

test("each license state is described", () => {
  const rows: readonly (readonly [License, string])[] = [
    [{ ...full, state: "valid" }, "Licensed to Acme until 2027-03-01."],
    [{ ...full, state: "expired" }, "The license expired on 2027-03-01."],
    [{ message, state: "missing" }, "No license is installed."],
    [{ message, state: "tampered" }, message],
    [{ ...full, state: "seatsExceeded" }, message],
    [{ ...full, state: "clockSetBack" }, message],
  ];
  for (const [license, text] of rows) {
    assert.equal(
      licenseText(license, (moment) => moment.slice(0, 10), english),
      text,
      license.state,
    );
  }
});
