/** Ports for servers that cannot choose one themselves. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems choose, so that nothing else takes one even while its server is restarted. */
const [firstPort, endPort] = [20_000, 32_768];

/** Returns a port of the loopback interface on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
