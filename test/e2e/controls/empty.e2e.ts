/** A suite without tests: it must be red. */
describe("nothing", () => {});
