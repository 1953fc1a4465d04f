/** `x.wasm` is compiled from the AssemblyScript file `x.ts` when a bundle is built. */
declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}

/** The used part of the WebAssembly API, which TypeScript's ES libraries do not declare. */
declare namespace WebAssembly {
  class Memory {
    constructor(limits: { readonly initial: number; readonly maximum?: number });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
