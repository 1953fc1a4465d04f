/** The queries of each grammar, as text. */
import c from "./queries/c.scm";
import cpp from "./queries/cpp.scm";
import ecmascript from "./queries/ecmascript.scm";
import go from "./queries/go.scm";
import java from "./queries/java.scm";
import javascript from "./queries/javascript.scm";
import python from "./queries/python.scm";
import rust from "./queries/rust.scm";
import typescript from "./queries/typescript.scm";
import cScopes from "./scopes/c.scm";
import cppScopes from "./scopes/cpp.scm";
import ecmascriptScopes from "./scopes/ecmascript.scm";
import goScopes from "./scopes/go.scm";
import javaScopes from "./scopes/java.scm";
import javascriptScopes from "./scopes/javascript.scm";
import pythonScopes from "./scopes/python.scm";
import rustScopes from "./scopes/rust.scm";
import typescriptScopes from "./scopes/typescript.scm";

/** By grammar: what of its trees is a definition or an import (`definitions.ts`). */
export const definitionQueries: Readonly<Record<string, string>> = {
  c,
  cpp: c + cpp,
  go,
  java,
  javascript: ecmascript + javascript,
  python,
  rust,
  tsx: ecmascript + typescript,
  typescript: ecmascript + typescript,
};

/** By grammar: where names of locals count (`resolve.ts`). Others have none: every name may be anybody's. */
export const scopeQueries: Readonly<Record<string, string>> = {
  c: cScopes,
  cpp: cScopes + cppScopes,
  go: goScopes,
  java: javaScopes,
  javascript: ecmascriptScopes + javascriptScopes,
  python: pythonScopes,
  rust: rustScopes,
  tsx: ecmascriptScopes + typescriptScopes,
  typescript: ecmascriptScopes + typescriptScopes,
};
