import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Uint32List } from "#base/uint32List";

test("a list has the values of an array, and 0 where none is set", () => {
  const actions = fc.array(
    fc.record({
      kind: fc.constantFrom("set" as const, "push" as const, "truncate" as const),
      index: fc.nat({ max: 100 }),
      value: fc.nat(),
    }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(actions, (all) => {
      const list = new Uint32List();
      const expected: number[] = [];
      for (const { kind, index, value } of all) {
        if (kind === "push") {
          list.push(value);
          expected.push(value);
        } else if (kind === "set") {
          list.set(index, value);
          while (expected.length < index) expected.push(0);
          expected[index] = value;
        } else {
          list.truncate(index);
          expected.splice(index);
        }
        assert.deepEqual(
          Array.from({ length: list.length }, (_, at) => list.at(at)),
          expected,
        );
        assert.equal(list.at(expected.length), 0);
      }
    }),
  );
});
