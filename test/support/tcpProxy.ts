/** A TCP proxy before one server, which can misbehave as a network does. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `delay`: bytes arrive 2 seconds later. `drop`: connections break, and new ones too. `halfOpen`: connections stay, but
 * nothing passes any more. `reset`: each connection is reset after the first 100 bytes of a response.
 */
export const networkFaults = ["delay", "drop", "halfOpen", "reset"] as const;
export type NetworkFault = (typeof networkFaults)[number];

export interface TcpProxy {
  readonly url: string;
  /** What is wrong with the network. Connections that exist break when it begins to drop them, and when it works again. */
  fault: NetworkFault | undefined;
  stop(): Promise<void>;
}

const delayMs = 2000;
const resetAfterBytes = 100;

export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let fault: NetworkFault | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let received = 0;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.on("data", (bytes: Buffer) => {
        if (fault === "halfOpen") return;
        if (fault === "delay") return void setTimeout(() => other.write(bytes), delayMs);
        if (fault !== "reset" || socket === client) return void other.write(bytes);
        other.write(bytes.subarray(0, Math.max(0, resetAfterBytes - received)));
        received += bytes.length;
        if (received > resetAfterBytes) other.resetAndDestroy();
      });
    }
    if (fault === "drop") client.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get fault() {
      return fault;
    },
    set fault(value) {
      fault = value;
      if (value === "drop" || value === undefined) breakAll();
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      breakAll();
      await closed;
    },
  };
}
