import { ServiceError } from "#base/error";
import type {
  CountRequest,
  DocumentCounts,
  DocumentRequest,
  Engine,
  EngineResult,
  IndexedDocument,
  SymbolsResult,
} from "./engine";

/** The engine of a process that has none: searches say so, and completions are empty. */
export class MissingEngine implements Engine {
  async search(): Promise<EngineResult> {
    throw noEngine();
  }

  async findSymbols(): Promise<SymbolsResult> {
    throw noEngine();
  }

  async count(_request: CountRequest): Promise<DocumentCounts> {
    return { counts: new Map(), isComplete: false };
  }

  async readDocuments(
    requests: readonly DocumentRequest[],
  ): Promise<readonly (IndexedDocument | undefined)[]> {
    return requests.map(() => undefined);
  }

  async close(): Promise<void> {}
}

function noEngine(): ServiceError {
  return new ServiceError(
    "ENGINE_UNAVAILABLE",
    'This server has no search engine, because "engine.zoekt" in its configuration names no nodes. Files and history are available.',
  );
}
