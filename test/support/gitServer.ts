/** The git server of a code host: serves bare repositories with `git http-backend`, and fails as tests request. */
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { repo, type TestRepository, temporaryFolder } from "#test/support/repo";

export type GitServerMode =
  | { readonly kind: "open" }
  | { readonly kind: "basic"; readonly user: string; readonly password: string }
  | { readonly kind: "redirect"; readonly origin: string }
  /** Redirects one repository to another one. */
  | { readonly kind: "renamed"; readonly from: string; readonly to: string }
  | { readonly kind: "status"; readonly status: number }
  /** Sends nothing of a pack until the mode changes. */
  | { readonly kind: "stalled" }
  /** Sends the first half of a pack, and nothing more until the mode changes. */
  | { readonly kind: "half" }
  /** Ends the connection in the middle of a pack. */
  | { readonly kind: "cut" }
  /** Fails with each request after the next pack. */
  | { readonly kind: "onePack" };

export interface GitServer {
  readonly origin: string;
  mode: GitServerMode;
  /** Credentials that are required, in every mode. */
  credentials: { readonly user: string; readonly password: string } | undefined;
  /** The `Authorization` header of each request, `""` without one. */
  readonly authorizations: string[];
  /** Paths of the requests. */
  readonly paths: string[];
  /** Other files that it serves, by path. */
  readonly files: Map<string, string>;
  /** Whether a pack is being held back. */
  readonly isStalling: boolean;
  /** Creates a bare repository, which is served at `/<path>.git`. */
  create(path: string, text?: string): TestRepository;
  /** The folder of a repository. */
  folderOf(path: string): string;
}

const unauthorized = { "WWW-Authenticate": 'Basic realm="git"' };

export async function gitServer(t: Pick<TestContext, "after">): Promise<GitServer> {
  const root = temporaryFolder();
  const held = new Set<() => void>();
  let mode: GitServerMode = { kind: "open" };
  const listener = createServer((request, response) => {
    const target = request.url ?? "/";
    server.paths.push(target);
    const authorization = request.headers.authorization ?? "";
    server.authorizations.push(authorization);
    const { credentials } = server;
    if (mode.kind === "redirect") {
      response.writeHead(301, { Location: mode.origin + target }).end();
    } else if (mode.kind === "renamed" && target.startsWith(`/${mode.from}.git/`)) {
      response.writeHead(301, { Location: target.replace(mode.from, mode.to) }).end();
    } else if (mode.kind === "status") {
      response.writeHead(mode.status, mode.status === 401 ? unauthorized : {}).end();
    } else if (credentials !== undefined && authorization !== basic(credentials)) {
      response.writeHead(401, unauthorized).end();
    } else if (server.files.has(target)) {
      response.end(server.files.get(target));
    } else {
      serve(root, request, response, target, async () => {
        const { kind } = mode;
        const released = () => new Promise<void>((resolve) => held.add(resolve));
        if (kind === "onePack") mode = { kind: "status", status: 503 };
        if (kind === "stalled") await released();
        if (kind === "cut") return "end";
        return kind === "half" ? released : undefined;
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const server: GitServer = {
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      for (const release of held) release();
      held.clear();
    },
    credentials: undefined,
    authorizations: [],
    paths: [],
    files: new Map(),
    get isStalling() {
      return held.size > 0;
    },
    create: (path, text = "= main: One\nREADME.md\n| one") =>
      repo(text, { bare: true, path: join(root, `${path}.git`) }),
    folderOf: (path) => join(root, `${path}.git`),
  };
  t.after(() => {
    server.mode = { kind: "open" };
    listener.closeAllConnections();
    listener.close();
  });
  return server;
}

export function basic({ user, password }: { readonly user: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** What happens in the middle of a pack: `end` ends the connection there, and else the rest waits. */
type Interruption = "end" | (() => Promise<void>) | undefined;

/** Runs `git http-backend` for one request. */
function serve(
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  beforePack: () => Promise<Interruption>,
): void {
  const { pathname, searchParams } = new URL(target, "http://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  response.on("close", () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    if (end < 0) return void response.writeHead(500).end();
    const headers = Object.fromEntries(
      output
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n")
        .map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? []),
    );
    const { Status: status = "200", ...rest } = headers;
    const body = output.subarray(end + 4);
    void send(response, Number.parseInt(status, 10), rest, body, pathname, beforePack);
  });
}

async function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
  pathname: string,
  beforePack: () => Promise<Interruption>,
): Promise<void> {
  const isPack = pathname.endsWith("/git-upload-pack") && body.includes("PACK");
  const interruption = isPack ? await beforePack() : undefined;
  if (response.destroyed) return;
  response.writeHead(status, headers);
  if (interruption === undefined) response.end(body);
  else if (interruption === "end")
    response.write(body.subarray(0, body.indexOf("PACK") + 20), () => response.destroy());
  else {
    const half = body.length >> 1;
    response.write(body.subarray(0, half));
    await interruption();
    response.end(body.subarray(half));
  }
}
