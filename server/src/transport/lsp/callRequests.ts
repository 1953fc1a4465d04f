/** Answers call hierarchy requests: an item is a definition, and its calls are in the text of the caller. */
import {
  type CallHierarchyIncomingCall,
  type CallHierarchyItem,
  type CallHierarchyOutgoingCall,
  SymbolKind,
} from "vscode-languageserver/node";
import type { CallDefinition, CallHierarchy } from "#contract/calls";
import type { RequestInput } from "#contract/service";
import type { LocationConverter, SendRequest } from "./locations";
import { toLspKind } from "./symbolKinds";

type Request = RequestInput<"findDefinitions">;

const maxDefinitions = 20;

export class CallRequests {
  readonly #locations: LocationConverter;

  constructor(locations: LocationConverter) {
    this.#locations = locations;
  }

  /** Returns the most likely definitions of a name. */
  async prepare(send: SendRequest, request: Request): Promise<CallHierarchyItem[] | null> {
    const { definitions } = await send("callHierarchy", { ...request, depth: 0 });
    const found = await this.#items(send, definitions.slice(0, maxDefinitions));
    const items = found.filter((item) => item !== undefined);
    return items.length === 0 ? null : items;
  }

  async incoming(send: SendRequest, request: Request): Promise<CallHierarchyIncomingCall[]> {
    const { sites, otherOf } = await this.#calls(send, { ...request, direction: "incoming" });
    return sites.flatMap(({ caller, fromRanges }) => {
      const from = otherOf.get(caller);
      return from === undefined ? [] : [{ from, fromRanges }];
    });
  }

  async outgoing(send: SendRequest, request: Request): Promise<CallHierarchyOutgoingCall[]> {
    const { sites, otherOf } = await this.#calls(send, { ...request, direction: "outgoing" });
    return sites.flatMap(({ callee, fromRanges }) => {
      const to = otherOf.get(callee);
      return to === undefined ? [] : [{ to, fromRanges }];
    });
  }

  /** Returns the calls that are more than the same name; if there are none, all. */
  async #calls(send: SendRequest, request: RequestInput<"callHierarchy">) {
    const { definitions, calls } = await send("callHierarchy", request);
    const likely = calls.filter(({ certainty }) => certainty !== "name");
    const shown = likely.length > 0 ? likely : calls;
    const items = await this.#items(send, definitions);
    const otherOf = new Map(
      items.flatMap((item, index) => (item === undefined ? [] : [[index, item] as const])),
    );
    const matches = shown.flatMap(({ caller, sites }) =>
      sites.flatMap((match) => {
        const file = definitions[caller];
        return file === undefined ? [] : [{ file, match }];
      }),
    );
    const found = await this.#locations.toLocations(send, matches);
    let at = 0;
    const withRanges = shown.map(({ caller, callee, sites }) => {
      const ranges = found.slice(at, at + sites.length);
      at += sites.length;
      return { caller, callee, fromRanges: ranges.flatMap((location) => location?.range ?? []) };
    });
    return { sites: withRanges, otherOf };
  }

  /** Returns an item for each definition; `undefined` if its file cannot be opened. */
  async #items(
    send: SendRequest,
    definitions: CallHierarchy["definitions"],
  ): Promise<(CallHierarchyItem | undefined)[]> {
    const names = definitions.map((definition) => ({ file: definition, match: definition }));
    const found = await this.#locations.toLocations(send, names);
    return definitions.map((definition, index) => {
      const location = found[index];
      if (location === undefined) return undefined;
      const { uri, range: selectionRange } = location;
      return {
        ...itemFields(definition),
        uri,
        selectionRange,
        range: toWholeLines(definition, selectionRange),
      };
    });
  }
}

function itemFields({ symbol, kind, parent, repository, fileName }: CallDefinition) {
  const detail = [parent.symbol, repository, fileName].filter((text) => text !== "").join(" · ");
  return { name: symbol, kind: kind === "file" ? SymbolKind.File : toLspKind(kind), detail };
}

/** Whole lines contain the name, whatever the unit of columns. */
function toWholeLines(
  { range, wholeRange = range }: CallDefinition,
  selection: CallHierarchyItem["selectionRange"],
): CallHierarchyItem["range"] {
  const first = Math.min(wholeRange.start.lineNumber - 1, selection.start.line);
  const last = Math.max(wholeRange.end.lineNumber - 1, selection.end.line);
  return { start: { line: first, character: 0 }, end: { line: last + 1, character: 0 } };
}
