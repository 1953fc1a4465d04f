import assert from "node:assert/strict";
import { test } from "node:test";
import { detectLanguage } from "#languages/detect";
import { heuristics } from "#languages/heuristics";
import { tables } from "#languages/languages";

/** Rows are a path, text with `|` for newlines, and the language. */
function check(rows: readonly (readonly [path: string, text: string, language: string])[]): void {
  for (const [path, text, language] of rows) {
    test(`${path}  ${text}`, () => {
      assert.equal(detectLanguage(path, new TextEncoder().encode(text.replaceAll("|", "\n"))), language);
    });
  }
}

// By modeline, name or interpreter.
check([
  ["a.txt", "-*- mode: c++; coding: utf-8 -*-", "C++"],
  ["a.txt", "# -*- Python -*-", "Python"],
  ["a.txt", "# -*- coding: utf-8 -*-", "Text"],
  ["a", "x|y|# vim: set ft=ruby ts=2:", "Ruby"],
  ["a", "/* vim: ft=unknownthing */", ""],
  ["doc/x.txt", "x||vim:tw=78:ft=help:", "Vim Help File"],
  ["src/Makefile", "", "Makefile"],
  ["Dockerfile", "", "Dockerfile"],
  ["CMakeLists.txt", "", "CMake"],
  ["a/go.mod", "", "Go Module"],
  ["Gemfile", "", "Ruby"],
  [".gitignore", "", "Ignore List"],
  ["x.py/README", "", ""],
  ["run", "#!/usr/bin/env python3|", "Python"],
  ["run", "#!/usr/bin/env -S FOO=1 node --x|", "JavaScript"],
  ["run", "#!/bin/bash -e|", "Shell"],
  ["run", "#! /usr/bin/perl5.30 -w|", "Perl"],
  ["run", '#!/bin/sh|exec ruby -x "$0" "$@"|', "Shell"],
  ["run", "no interpreter", ""],
  ["run.ts", "#!/usr/bin/env node|", "TypeScript"],
  ["constructor", "", ""],
  ["a.constructor", "", ""],
]);

test("a modeline counts in the first and last five lines only", () => {
  const languageOf = (before: number, after: number) => {
    const lines = (count: number) => "int x;\n".repeat(count);
    return detectLanguage("a.h", Buffer.from(`${lines(before)}// vim: ft=cpp\n${lines(after)}`));
  };
  for (const [before, after] of [
    [4, 300],
    [300, 4],
    [5, 4],
  ] as const)
    assert.equal(languageOf(before, after), "C++", `${before}, ${after}`);
  for (const [before, after] of [
    [5, 5],
    [5, 300],
    [300, 5],
    [150, 150],
  ] as const)
    assert.equal(languageOf(before, after), "C", `${before}, ${after}`);
});

// By extension, XML declaration or manual page.
check([
  ["a.ts", "", "TypeScript"],
  ["a.d.ts", "", "TypeScript"],
  ["A.CPP", "", "C++"],
  ["a.go", "", "Go"],
  ["a.blade.php", "", "Blade"],
  ["a.tar.gz", "", ""],
  ["a.rs", "", "Rust"],
  ["x.unknown", '<?xml version="1.0"?>|<a/>', "XML"],
  ["ls.1", '.\\" page|.TH LS 1|', "Roff Manpage"],
  ["app.log.1", "started|stopped|", ""],
  ["a.sol", "pragma solidity ^0.8.0;", "Solidity"],
]);

// By content.
check([
  ["a.h", "#include <stdio.h>|int f(void);", "C"],
  ["a.h", "#pragma once|#include <vector>|", "C++"],
  ["a.h", "class Foo {|public:|  Foo();|};", "C++"],
  ["a.h", "#import <Foundation/Foundation.h>|@interface A : NSObject|@end", "Objective-C"],
  ["a.m", '#import "A.h"|@implementation A|', "Objective-C"],
  ["a.m", "function y = f(x)|% doubles|y = 2 * x;|end", "MATLAB"],
  ["a.m", ":- module hello.|:- interface.|", "Mercury"],
  ["a.m", "(* math *)|f[x_] := x^2", "Wolfram Language"],
  ["a.pl", "use strict;|my $x = 1;", "Perl"],
  ["a.pl", ":- use_module(library(lists)).|foo(X) :- bar(X).", "Prolog"],
  ["a.pl", "#!/usr/bin/perl|foo(X) :- bar(X).", "Perl"],
  ["a.pm", "unit module A;", "Raku"],
  ["a.t", "use Test::More;|use strict;|", "Perl"],
  ["tr.ts", '<?xml version="1.0"?>|<!DOCTYPE TS>|<TS version="2.1">', "XML"],
  ["a.ts", "export const a = 1;", "TypeScript"],
  ["map.tsx", '<?xml version="1.0"?>|<tileset name="a">', "XML"],
  ["a.tsx", "export const A = () => <a/>;", "TSX"],
  ["a.md", "# Title", "Markdown"],
  ["i386.md", '(define_insn "addsi3"|', "GCC Machine Description"],
  ["a.sql", "select 1;", "SQL"],
  ["a.sql", "create function f() returns int as $$ begin end; $$ language plpgsql;", "PLpgSQL"],
  ["a.sql", "SET NOCOUNT ON|GO|", "TSQL"],
  ["a.sql", "create or replace package body p as||begin null; end;|/|", "PLSQL"],
  ["a.cs", "namespace A { class B {} }", "C#"],
  ["a.fs", "module A|let x = 1", "F#"],
  ["a.fs", ": square dup * ;", "Forth"],
  ["a.fs", "#version 330|void main() {}", "GLSL"],
  ["a.r", "x <- c(1, 2)", "R"],
  ["a.r", "REBOL [title: {x}]", "Rebol"],
  ["a.v", "module top(input clk);|endmodule", "Verilog"],
  ["a.v", "Theorem t : True.|Proof. trivial. Qed.", "Rocq Prover"],
  ["a.v", "module main||fn main() {|}", "V"],
  ["a.rs", "#pragma version(1)|#pragma rs java_package_name(a)", "RenderScript"],
  ["a.pp", "class foo {|  package { 'x': ensure => present }|}", "Puppet"],
  ["a.pp", "unit A;|interface|uses B;", "Pascal"],
  ["a.inc", "<?php echo 1;", "PHP"],
  ["a.inc", "#pragma semicolon 1|", "SourcePawn"],
  ["a.cls", "public class A { }", "Apex"],
  ["a.cls", "\\NeedsTeXFormat{LaTeX2e}", "TeX"],
  ["a.cls", "VERSION 1.0 CLASS", "Visual Basic 6.0"],
  ["a.gd", "extends Node|func _ready():", "GDScript"],
  ["a.php", "<?php", "PHP"],
  ["a.php", "<?hh // strict", "Hack"],
  ["a.asm", "mov eax, 1", "Assembly"],
  ["a.s", ".text|.globl main|main:", "Unix Assembly"],
  ["a.d", "module a;|import std.stdio;|", "D"],
  ["a.d", "foo.o: foo.c foo.h \\||", "Makefile"],
  ["a.d", "BEGIN|{|trace(1);|}", "DTrace"],
  ["a.ms", ".TH A|.SH NAME", "Roff"],
  ["a.yy", "%{|#include <x>|%}", "Yacc"],
  ["a.yy", '{ "resourceType": "GMRoom" }', "JSON"],
  ["a.for", "      PROGRAM A|      END", "Fortran"],
  ["a.es", "-module(a).|", "Erlang"],
  ["a.es", "'use strict';", "JavaScript"],
  ["a.f", "      SUBROUTINE A(X)", "Fortran"],
  ["a.l", "%{|int x;|%}", "Lex"],
  ["a.l", "(defun f (x) x)", "Common Lisp"],
  ["a.lisp", "(in-package :a)", "Common Lisp"],
  ["a.mod", "MODULE A;|END A.", "Modula-2"],
  ["a.n", ".TH x n|", "Roff"],
  ["a.pro", "TEMPLATE = app|QT += core", "QMake"],
  ["a.pro", "-keep class a.B|", "Proguard"],
  ["a.pro", "foo(X) :- bar(X).", "Prolog"],
  ["a.toc", "## Interface: 100|", "World of Warcraft Addon Data"],
  ["a.toc", "\\contentsline {chapter}", "TeX"],
  ["a.ecl", ":- lib(ic).", "ECLiPSe"],
  ["a.cl", "__kernel void f(__global int *x) {}", "OpenCL"],
  ["a.cl", "(defun f ())", "Common Lisp"],
  ["a.bb", 'SUMMARY = "x"|inherit autotools', "BitBake"],
  ["a.ch", "#xcommand A => B", "xBase"],
  ["a.gs", "function onOpen() {}", "JavaScript"],
  ["a.hh", "<?hh", "Hack"],
  ["a.hh", "namespace a {}", "C++"],
  ["a.html", "<p>", "HTML"],
  ["a.json", "{}", "JSON"],
  ["a.json", '{ "openapi": "3.0.0" }', "OASv3-json"],
  ["a.yml", "a: 1", "YAML"],
  ["a.nu", "def f [] { ls }", "Nushell"],
  ["a.tl", "local x: number = 1", "Teal"],
  ["a.lean", "import Mathlib", "Lean 4"],
]);

test("every language that a rule names exists", () => {
  const named = Object.values(heuristics).flatMap((each) =>
    typeof each === "string" ? [each] : each.map((rule) => (typeof rule === "string" ? rule : rule[1])),
  );
  assert.deepEqual(
    named.filter((name) => name !== "" && !tables.names.includes(name)),
    [],
  );
});

test("a rule names only languages of its extension, and every ambiguous extension has one", () => {
  const strangers: string[] = [];
  for (const [extension, each] of Object.entries(heuristics)) {
    const own = (tables.extensions[extension] ?? []).map((index) => tables.names[index] ?? "");
    const named =
      typeof each === "string" ? [each] : each.map((rule) => (typeof rule === "string" ? rule : rule[1]));
    strangers.push(
      ...named.filter((name) => name !== "" && !own.includes(name)).map((name) => extension + " " + name),
    );
  }
  const ambiguous = Object.entries(tables.extensions).filter(([, indexes]) => indexes.length > 1);
  const missing = ambiguous
    .map(([extension]) => extension)
    .filter((extension) => !Object.hasOwn(heuristics, extension));
  assert.deepEqual(
    { strangers, missing: missing.filter((extension) => !/^\.(?:\d|man|mdoc)/.test(extension)) },
    { strangers: [], missing: [] },
  );
});

// A pattern that is not linear would time out here.
test("detects hostile text in time", { timeout: 20_000 }, () => {
  const texts = [
    " ",
    "\t",
    "\n",
    "a",
    "=",
    "<a ",
    "((((",
    "'a'",
    "class ",
    "a(",
    "\\",
    '"',
    ": ",
    "--",
    "class\n",
    "global\n",
  ];
  for (const extension of Object.keys(tables.extensions)) {
    if (!Object.hasOwn(heuristics, extension)) continue;
    for (const text of texts)
      detectLanguage(`a${extension}`, new TextEncoder().encode(text.repeat(16384 / text.length)));
  }
});
