/** A browser without scripts: it keeps cookies and follows redirects. `fetch` could not: it names itself as a script. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface VisitOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class TestBrowser {
  /** Cookies by name. Ports of a host share them, as in real browsers. */
  readonly cookies = new Map<string, string>();
  readonly #userAgent: string;

  constructor(userAgent = "TestBrowser/1.0") {
    this.#userAgent = userAgent;
  }

  /** Sends one request, as for a link that the user follows. */
  async request(url: string, { method = "GET", headers = {}, body = "" }: VisitOptions = {}): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = request(url, {
      method,
      agent: false,
      headers: {
        accept: "text/html,*/*;q=0.8",
        "user-agent": this.#userAgent,
        ...(cookie === "" ? {} : { cookie }),
        ...headers,
      },
    });
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headersDistinct))
      for (const value of values ?? []) received.append(name, value);
    for (const header of received.getSetCookie()) this.#store(header);
    return { url, status: response.statusCode ?? 0, headers: received, text: await text(response) };
  }

  /** Opens a page, following redirects until `stop` matches one of their targets. */
  async open(url: string, stop = /$^/): Promise<Visit> {
    let address = url;
    for (let count = 0; count < 20; count++) {
      const visit = await this.request(address);
      const location = visit.headers.get("location");
      if (location === null) return visit;
      address = new URL(location, address).href;
      if (stop.test(address)) return { ...visit, url: address };
    }
    throw new Error(`${url} redirects for ever.`);
  }

  #store(header: string): void {
    const [pair = "", ...attributes] = header.split(/;\s*/);
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const isExpired = attributes.some(
      (each) =>
        /^max-age=0$/i.test(each) || (/^expires=/i.test(each) && Date.parse(each.slice(8)) < Date.now()),
    );
    if (isExpired || value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
