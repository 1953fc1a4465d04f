/** The queries of each grammar, as text. */
import bash from "./queries/bash.scm";
import c from "./queries/c.scm";
import cSharp from "./queries/c_sharp.scm";
import cpp from "./queries/cpp.scm";
import css from "./queries/css.scm";
import dart from "./queries/dart.scm";
import ecmascript from "./queries/ecmascript.scm";
import elixir from "./queries/elixir.scm";
import go from "./queries/go.scm";
import haskell from "./queries/haskell.scm";
import hcl from "./queries/hcl.scm";
import html from "./queries/html.scm";
import java from "./queries/java.scm";
import javascript from "./queries/javascript.scm";
import json from "./queries/json.scm";
import julia from "./queries/julia.scm";
import kotlin from "./queries/kotlin.scm";
import lua from "./queries/lua.scm";
import objc from "./queries/objc.scm";
import ocaml from "./queries/ocaml.scm";
import php from "./queries/php.scm";
import powershell from "./queries/powershell.scm";
import python from "./queries/python.scm";
import r from "./queries/r.scm";
import ruby from "./queries/ruby.scm";
import rust from "./queries/rust.scm";
import scala from "./queries/scala.scm";
import solidity from "./queries/solidity.scm";
import swift from "./queries/swift.scm";
import toml from "./queries/toml.scm";
import typescript from "./queries/typescript.scm";
import yaml from "./queries/yaml.scm";
import zig from "./queries/zig.scm";
import bashScopes from "./scopes/bash.scm";
import cScopes from "./scopes/c.scm";
import cSharpScopes from "./scopes/c_sharp.scm";
import cppScopes from "./scopes/cpp.scm";
import dartScopes from "./scopes/dart.scm";
import ecmascriptScopes from "./scopes/ecmascript.scm";
import elixirScopes from "./scopes/elixir.scm";
import goScopes from "./scopes/go.scm";
import haskellScopes from "./scopes/haskell.scm";
import javaScopes from "./scopes/java.scm";
import javascriptScopes from "./scopes/javascript.scm";
import juliaScopes from "./scopes/julia.scm";
import kotlinScopes from "./scopes/kotlin.scm";
import luaScopes from "./scopes/lua.scm";
import objcScopes from "./scopes/objc.scm";
import ocamlScopes from "./scopes/ocaml.scm";
import phpScopes from "./scopes/php.scm";
import powershellScopes from "./scopes/powershell.scm";
import pythonScopes from "./scopes/python.scm";
import rScopes from "./scopes/r.scm";
import rubyScopes from "./scopes/ruby.scm";
import rustScopes from "./scopes/rust.scm";
import scalaScopes from "./scopes/scala.scm";
import solidityScopes from "./scopes/solidity.scm";
import swiftScopes from "./scopes/swift.scm";
import typescriptScopes from "./scopes/typescript.scm";
import zigScopes from "./scopes/zig.scm";

/** By grammar: what of its trees is a definition or an import (`definitions.ts`). */
export const definitionQueries: Readonly<Record<string, string>> = {
  bash,
  c,
  c_sharp: cSharp,
  cpp: c + cpp,
  css,
  dart,
  elixir,
  go,
  haskell,
  hcl,
  html,
  java,
  javascript: ecmascript + javascript,
  json,
  julia,
  kotlin,
  lua,
  objc: c + objc,
  ocaml,
  php,
  powershell,
  python,
  r,
  ruby,
  rust,
  scala,
  solidity,
  swift,
  toml,
  tsx: ecmascript + typescript,
  typescript: ecmascript + typescript,
  yaml,
  zig,
};

/** By grammar: where names of locals count (`declarations.ts`). Others have none: every name may be anybody's. */
export const scopeQueries: Readonly<Record<string, string>> = {
  bash: bashScopes,
  c: cScopes,
  c_sharp: cSharpScopes,
  cpp: cScopes + cppScopes,
  dart: dartScopes,
  elixir: elixirScopes,
  go: goScopes,
  haskell: haskellScopes,
  java: javaScopes,
  javascript: ecmascriptScopes + javascriptScopes,
  julia: juliaScopes,
  kotlin: kotlinScopes,
  lua: luaScopes,
  objc: cScopes + objcScopes,
  ocaml: ocamlScopes,
  php: phpScopes,
  powershell: powershellScopes,
  python: pythonScopes,
  r: rScopes,
  ruby: rubyScopes,
  rust: rustScopes,
  scala: scalaScopes,
  solidity: solidityScopes,
  swift: swiftScopes,
  tsx: ecmascriptScopes + typescriptScopes,
  typescript: ecmascriptScopes + typescriptScopes,
  zig: zigScopes,
};
