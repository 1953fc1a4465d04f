/** Waits while the server is killed: it must be red. */
describe("a server", () => {
  it("that ends meanwhile", async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });
});
