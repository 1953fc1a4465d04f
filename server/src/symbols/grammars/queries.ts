/** The tree-sitter queries of each grammar. */
import bashCalls from "./calls/bash.scm";
import cCalls from "./calls/c.scm";
import cSharpCalls from "./calls/c_sharp.scm";
import cppCalls from "./calls/cpp.scm";
import dartCalls from "./calls/dart.scm";
import ecmascriptCalls from "./calls/ecmascript.scm";
import elixirCalls from "./calls/elixir.scm";
import goCalls from "./calls/go.scm";
import haskellCalls from "./calls/haskell.scm";
import javaCalls from "./calls/java.scm";
import jsxCalls from "./calls/jsx.scm";
import juliaCalls from "./calls/julia.scm";
import kotlinCalls from "./calls/kotlin.scm";
import luaCalls from "./calls/lua.scm";
import objcCalls from "./calls/objc.scm";
import ocamlCalls from "./calls/ocaml.scm";
import phpCalls from "./calls/php.scm";
import powershellCalls from "./calls/powershell.scm";
import pythonCalls from "./calls/python.scm";
import rCalls from "./calls/r.scm";
import rubyCalls from "./calls/ruby.scm";
import rustCalls from "./calls/rust.scm";
import scalaCalls from "./calls/scala.scm";
import solidityCalls from "./calls/solidity.scm";
import swiftCalls from "./calls/swift.scm";
import typescriptCalls from "./calls/typescript.scm";
import zigCalls from "./calls/zig.scm";
import bash from "./definitions/bash.scm";
import c from "./definitions/c.scm";
import cSharp from "./definitions/c_sharp.scm";
import cpp from "./definitions/cpp.scm";
import css from "./definitions/css.scm";
import dart from "./definitions/dart.scm";
import ecmascript from "./definitions/ecmascript.scm";
import elixir from "./definitions/elixir.scm";
import go from "./definitions/go.scm";
import haskell from "./definitions/haskell.scm";
import hcl from "./definitions/hcl.scm";
import html from "./definitions/html.scm";
import java from "./definitions/java.scm";
import javascript from "./definitions/javascript.scm";
import json from "./definitions/json.scm";
import julia from "./definitions/julia.scm";
import kotlin from "./definitions/kotlin.scm";
import lua from "./definitions/lua.scm";
import objc from "./definitions/objc.scm";
import ocaml from "./definitions/ocaml.scm";
import php from "./definitions/php.scm";
import powershell from "./definitions/powershell.scm";
import python from "./definitions/python.scm";
import r from "./definitions/r.scm";
import ruby from "./definitions/ruby.scm";
import rust from "./definitions/rust.scm";
import scala from "./definitions/scala.scm";
import solidity from "./definitions/solidity.scm";
import swift from "./definitions/swift.scm";
import toml from "./definitions/toml.scm";
import typescript from "./definitions/typescript.scm";
import yaml from "./definitions/yaml.scm";
import zig from "./definitions/zig.scm";
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

/** By grammar: definitions and imports (`definitions/definitions.ts` explains the captures). */
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

/** By grammar: scopes and locals (`scopes/declarations.ts` explains the captures). Other grammars resolve no locals. */
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

/** By grammar: the names of callees, `@call`. In other languages, no calls are found. */
export const callQueries: Readonly<Record<string, string>> = {
  bash: bashCalls,
  c: cCalls,
  c_sharp: cSharpCalls,
  cpp: cCalls + cppCalls,
  dart: dartCalls,
  elixir: elixirCalls,
  go: goCalls,
  haskell: haskellCalls,
  java: javaCalls,
  javascript: ecmascriptCalls + jsxCalls,
  julia: juliaCalls,
  kotlin: kotlinCalls,
  lua: luaCalls,
  objc: cCalls + objcCalls,
  ocaml: ocamlCalls,
  php: phpCalls,
  powershell: powershellCalls,
  python: pythonCalls,
  r: rCalls,
  ruby: rubyCalls,
  rust: rustCalls,
  scala: scalaCalls,
  solidity: solidityCalls,
  swift: swiftCalls,
  tsx: ecmascriptCalls + typescriptCalls + jsxCalls,
  typescript: ecmascriptCalls + typescriptCalls,
  zig: zigCalls,
};
