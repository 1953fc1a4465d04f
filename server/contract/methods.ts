import type { OperationName } from "./operations";

/** Returns the LSP method of an operation. This file imports no schema, so that clients bundle none. */
export function methodOf<Name extends OperationName>(name: Name): `trawl/${Name}` {
  return `trawl/${name}`;
}
