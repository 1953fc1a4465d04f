/** An extension host that is killed between two tests that pass: it must be red. */
describe("an extension host", () => {
  it("that runs", () => {});
  it("that is killed", () => process.kill(process.pid, "SIGKILL"));
});
