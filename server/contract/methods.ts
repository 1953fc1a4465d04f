import type { OperationName } from "./operations";

/** The LSP method that carries a call of `name`. A client bundles this line and no schema. */
export function methodOf<Name extends OperationName>(name: Name): `trawl/${Name}` {
  return `trawl/${name}`;
}
