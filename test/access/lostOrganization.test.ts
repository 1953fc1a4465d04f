import assert from "node:assert/strict";
import { test } from "node:test";
import { createOrganization } from "#access/organization";
import { ServiceError } from "#base/error";
import { OrganizationLost } from "#store/lostOrganization";
import { eventually } from "#test/support/eventually";

test("a lost organization is detected after the database was unavailable at first", async () => {
  let isDown = true;
  const organization = createOrganization({
    open: async () => {
      if (isDown) throw new ServiceError("ENGINE_UNAVAILABLE", "The database does not respond.");
      throw new OrganizationLost("empty", "the database", "the database");
    },
    memory: {
      read: () => ({ uuid: "one", database: "the database", hasKeys: true }),
      write: () => undefined,
    },
    person: async () => ({ name: "Ada", email: "ada@example.com" }),
  });
  await organization.checkNotLost();
  isDown = false;
  await eventually(() =>
    organization.checkNotLost().then(
      () => false,
      (error: unknown) => error instanceof OrganizationLost,
    ),
  );
});

test("once nothing is remembered of the lost organization, the database is opened at once", async () => {
  let remembered: { uuid: string; database: string; hasKeys: boolean } | undefined = {
    uuid: "one",
    database: "the database",
    hasKeys: true,
  };
  const unavailable = new ServiceError("ENGINE_UNAVAILABLE", "The database does not respond.");
  const organization = createOrganization({
    open: async (expected) => {
      throw expected === undefined
        ? unavailable
        : new OrganizationLost("empty", "the database", "the database");
    },
    memory: { read: () => remembered, write: () => undefined },
    person: async () => ({ name: "Ada", email: "ada@example.com" }),
  });
  await assert.rejects(organization.checkNotLost(), OrganizationLost);
  await assert.rejects(organization.store(), OrganizationLost);
  remembered = undefined;
  await organization.checkNotLost();
  await assert.rejects(organization.store(), unavailable);
});
