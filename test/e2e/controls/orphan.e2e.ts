/** Starts a process that does not end with the extension host: it must be red. */
import { spawn } from "node:child_process";

describe("a process", () => {
  it("that stays", () => spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref());
});
