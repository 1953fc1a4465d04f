import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionRows, documentParser } from "#test/support/symbols";

/** Like `definitions.test.ts`, for languages with less detail. Data languages have only an outline. */
function check(language: string, source: string, rows: string, imports: string): void {
  test(`${language}: definitions and imports`, async () => {
    const parser = await documentParser();
    const content = new TextEncoder().encode(source.slice(1));
    const symbols = parser.symbols(language, content);
    assert.equal(definitionRows(content, symbols).join("\n"), rows.trim());
    assert.equal(symbols.imports.join(" "), imports);
    for (const { name, nameStart, nameEnd, start, end } of symbols.definitions) {
      assert.equal(new TextDecoder().decode(content.subarray(nameStart, nameEnd)), name);
      assert.ok(start <= nameStart && nameEnd <= end, name);
    }
  });
}

check(
  "C#",
  `
using System;
using System.Collections.Generic;
namespace Shapes.Core
{
    public abstract class Shape<T> : Base, IArea
    {
        private const int Limit = 3;
        private readonly int _x, _y;
        public event EventHandler Changed;
        public string Name { get; set; }
        public Shape(int x) { var local = x; int Helper(int z) => z; }
        ~Shape() { }
        public abstract void Draw();
        public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a; public static implicit operator int(Shape<T> a) => 1;
        enum Mode { Fast, Slow = 2 }
        delegate void Handler(int code);
    }
    interface IArea { double Area { get; } void Scale(int by); }
    struct Point { public int X; }
    record Person(string First, string Last);
}
`,
  `
3 namespace Shapes.Core
5 class Shape in Shapes.Core
7 field Limit in Shape
8 field _x in Shape
8 field _y in Shape
9 event Changed in Shape
10 property Name in Shape
11 constructor Shape in Shape
11 function Helper in Shape local
12 method Shape in Shape
13 method Draw in Shape
14 operator + in Shape
14 operator implicit in Shape
15 enum Mode in Shape
15 enumMember Fast in Mode
15 enumMember Slow in Mode
16 type Handler in Shape
18 interface IArea in Shapes.Core
18 property Area in IArea
18 method Scale in IArea
19 struct Point in Shapes.Core
19 field X in Point
20 class Person in Shapes.Core
20 property First in Person
20 property Last in Person
`,
  "System System.Collections.Generic",
);

check(
  "Ruby",
  `
require "json"
require_relative "lib/shape"
module Shapes
  LIMIT = 3
  Point = Struct.new(:x, :y)
  class Shape < Base
    attr_accessor :width, :height
    def initialize(width)
      @width = width
      local = 1
    end
    def area? = true
    def self.build(x)
    end
    def value=(v)
    end
    class << self
      def hidden; end
    end
    alias size area?
    define_method(:dynamic) { 1 }
  end
end
class Shapes::Square; end
def top_level; end
$global = 1
`,
  `
3 module Shapes
4 constant LIMIT in Shapes
5 class Point in Shapes
6 class Shape in Shapes
7 property width in Shape
7 property height in Shape
8 constructor initialize in Shape
12 method area? in Shape
13 method build in Shape
15 method value= in Shape
18 method hidden in Shape
20 method size in Shape
21 method dynamic in Shape
24 class Square of Shapes
25 method top_level
26 variable $global
`,
  "json lib/shape",
);

check(
  "PHP",
  String.raw`
<?php
namespace App\Models;
use App\Contracts\Area;
use Illuminate\Support\{Str, Arr};
require_once 'bootstrap.php';
const LIMIT = 3;
define('OLD_LIMIT', 4);
abstract class Shape extends Base implements Area {
    const SIDES = 4, CORNERS = 5;
    private int $width, $height = 2;
    public function __construct(private string $name, int $plain) { $local = 1; }
    abstract public function draw(): void;
    public static function make() { return function () { function nested() {} }; }
}
interface Area { public function area(); }
trait Loud { public function shout() {} }
enum Colour: string { case Red = 'r'; case Green = 'g'; }
function helper($x) { return $x; }
`,
  `
2 namespace App\\Models
6 constant LIMIT
7 constant OLD_LIMIT
8 class Shape
9 constant SIDES in Shape
9 constant CORNERS in Shape
10 field width in Shape
10 field height in Shape
11 constructor __construct in Shape
11 field name in Shape
12 method draw in Shape
13 method make in Shape
13 function nested in make local
15 interface Area
15 method area in Area
16 trait Loud
16 method shout in Loud
17 enum Colour
17 enumMember Red in Colour
17 enumMember Green in Colour
18 function helper
`,
  "App\\Contracts\\Area Illuminate\\Support\\Str Illuminate\\Support\\Arr bootstrap.php",
);

check(
  "Kotlin",
  `
package com.example.shapes
import kotlin.math.max
import java.util.*
const val LIMIT = 3
var counter = 0
abstract class Shape<T>(val name: String, private var size: Int, plain: Int) : Base(), Area {
    val area: Int get() = size
    lateinit var late: String
    constructor(x: Int) : this("", x, 1)
    abstract fun draw()
    fun <U> map(f: (T) -> U): U {
        val local = 1
        fun helper() {}
        return f(local)
    }
    companion object {
        fun make() = 1
    }
    companion object Named {
        const val DEEP = 1
    }
}
interface Area {
    fun area(): Int
}
enum class Colour(val code: Int) {
    RED(1), GREEN(2);
    fun paint() {}
}
object Single {
    val only = 1
}
data class Point(val x: Int, val y: Int)
typealias Alias = Map<String, Int>
fun String.shout() = uppercase()
`,
  `
1 package com.example.shapes
4 constant LIMIT
5 variable counter
6 class Shape
6 property name in Shape
6 property size in Shape
7 property area in Shape
8 property late in Shape
9 constructor constructor in Shape
10 method draw in Shape
11 method map in Shape
13 function helper in map local
17 method make in Shape
19 class Named in Shape
20 property DEEP in Named
23 interface Area
24 method area in Area
26 enum Colour
26 property code in Colour
27 enumMember RED in Colour
27 enumMember GREEN in Colour
28 method paint in Colour
30 class Single
31 property only in Single
33 class Point
33 property x in Point
33 property y in Point
34 type Alias
35 function shout
`,
  "kotlin.math.max java.util",
);

check(
  "Lua",
  `
local json = require("json")
local limit, other = 3, 4
counter = 0
local Shape = {}
function Shape.new(x) local inner = 1; return inner end
function Shape:draw() end
local function helper() end
function global() end
Shape.late = function() end
local arrow = function() end
return { exported = function() end, plain = 1 }
`,
  `
2 variable limit
2 variable other
3 variable counter
4 variable Shape
5 function new of Shape
6 method draw of Shape
7 function helper
8 function global
9 function late of Shape
10 function arrow
11 function exported
`,
  "json",
);

check(
  "Elixir",
  `
defmodule Shapes.Circle do
  alias Shapes.Point
  import Enum, only: [map: 2]
  use GenServer
  @limit 3
  @type t :: %__MODULE__{radius: integer}
  @callback draw(t) :: :ok
  defstruct [:radius, name: ""]
  def area(%{radius: r}), do: r
  def area(r, x) when r > 0 do
    inner = x
    inner
  end
  defp hidden, do: 1
  defmacro twice(x), do: x
  defguard is_small(x) when x < 3
end
defprotocol Draw do
  def draw(x)
end
defimpl Draw, for: Shapes.Circle do
  def draw(x), do: x
  def a + b, do: a
end
`,
  `
1 module Shapes.Circle
6 type t in Shapes.Circle
7 method draw in Shapes.Circle
8 field radius in Shapes.Circle
8 field name in Shapes.Circle
9 function area in Shapes.Circle
10 function area in Shapes.Circle
14 function hidden in Shapes.Circle
15 macro twice in Shapes.Circle
16 function is_small in Shapes.Circle
18 interface Draw
19 method draw in Draw
21 module Draw
22 function draw in Draw
23 function + in Draw
`,
  "Shapes.Point Enum GenServer",
);

check(
  "Zig",
  `
const std = @import("std");
const limit: u32 = 3;
var counter: u32 = 0;
pub const Point = struct {
    x: f32,
    y: f32 = 0,
    const Self = @This();
    pub fn add(self: Self) f32 { const local = 1; return local; }
};
const Colour = enum { red, green };
const Value = union(enum) { int: i32, none };
const Failure = error{ OutOfMemory, Other };
pub fn main() !void {}
test "adds" {}
pub fn List(comptime T: type) type {
    return struct {
        pub fn pop(self: *List(T)) void { const Inner = struct { fn run() void {} }; }
    };
}
`,
  `
2 constant limit
3 variable counter
4 struct Point
5 field x in Point
6 field y in Point
7 constant Self in Point
8 method add in Point
10 enum Colour
10 enumMember red in Colour
10 enumMember green in Colour
11 union Value
11 field int in Value
11 field none in Value
12 enum Failure
13 function main
14 function adds
15 function List
17 method pop of List
17 struct Inner in pop local
17 method run in Inner local
`,
  "std",
);

check(
  "Shell",
  `
#!/bin/bash
source ./lib.sh
. /etc/profile
LIMIT=3
readonly FIXED=4
export PATH_X=5
greet() { local inner=1; other=2; }
function shout { echo "$1"; }
alias ll='ls -l'
`,
  `
4 variable LIMIT
5 constant FIXED
6 variable PATH_X
7 function greet
8 function shout
`,
  "./lib.sh /etc/profile",
);

check(
  "PowerShell",
  `
function Get-Shape { param($x) $local = 1 }
class Shape : Base {
    [int] $Width
    hidden [string] $Name = "x"
    Shape([int] $w) { $this.Width = $w }
    [int] Area() { return 1 }
}
enum Colour { Red; Green = 2 }
filter Keep-Odd { $_ }
`,
  `
1 function Get-Shape
2 class Shape
3 property Width in Shape
4 property Name in Shape
5 method Shape in Shape
6 method Area in Shape
8 enum Colour
8 enumMember Red in Colour
8 enumMember Green in Colour
9 function Keep-Odd
`,
  "",
);

check(
  "R",
  `
library(dplyr)
source("helpers.R")
limit <- 3
area = function(x) { inner <- 1; helper <- function() 1; inner }
"quoted name" <- function() 2
Shape <- R6Class("Shape")
setClass("Point", representation(x = "numeric"))
setGeneric("draw", function(x) standardGeneric("draw"))
`,
  `
3 variable limit
4 function area
4 function helper in area local
5 function quoted name
6 class Shape
7 class Point
8 method draw
`,
  "dplyr helpers.R",
);

check(
  "Solidity",
  `
pragma solidity ^0.8.0;
import "./Base.sol";
uint constant LIMIT = 3;
type Price is uint256;
struct Point { uint x; uint y; }
enum Colour { Red, Green }
error Broken(uint code);
interface IArea { function area() external view returns (uint); }
library Maths { function add(uint a) internal pure returns (uint) { uint local = a; return local; } }
abstract contract Shape is Base, IArea {
    uint public width;
    mapping(address => uint) balances;
    event Moved(uint x);
    modifier onlyOwner() { _; }
    constructor(uint w) { width = w; }
    function draw() public virtual;
}
`,
  `
3 constant LIMIT
4 type Price
5 struct Point
5 field x in Point
5 field y in Point
6 enum Colour
6 enumMember Red in Colour
6 enumMember Green in Colour
7 event Broken
8 interface IArea
8 method area in IArea
9 module Maths
9 function add in Maths
10 class Shape
11 field width in Shape
12 field balances in Shape
13 event Moved in Shape
14 method onlyOwner in Shape
15 constructor constructor in Shape
16 method draw in Shape
`,
  "./Base.sol",
);

check(
  "Dart",
  `
import 'dart:io';
import 'package:a/b.dart' as b;
const limit = 3;
var counter = 0;
abstract class Shape extends Base with Loud implements Area {
  static const sides = 4;
  final int width;
  late String name, other;
  Shape(this.width);
  Shape.named(int x) : width = x;
  factory Shape.make() => Square();
  int get area => width;
  set area(int v) {}
  void draw() { var local = 1; void helper() {} }
  Shape operator +(Shape o) => this;
}
mixin Loud { void shout() {} }
extension Extra on String { int twice() => 2; }
enum Colour { red, green }
typedef Callback = void Function(int);
int topLevel(int a) => a;
extension type Id(int id) { int operator [](int at) => id; }
`,
  `
3 constant limit
4 variable counter
5 class Shape
6 field sides in Shape
7 field width in Shape
8 field name in Shape
8 field other in Shape
9 constructor Shape in Shape
10 constructor named in Shape
11 constructor make in Shape
12 property area in Shape
13 property area in Shape
14 method draw in Shape
14 function helper in Shape local
15 operator + in Shape
17 class Loud
17 method shout in Loud
18 class Extra
18 method twice in Extra
19 enum Colour
19 enumMember red in Colour
19 enumMember green in Colour
20 type Callback
21 function topLevel
22 class Id
22 field id in Id
22 operator [] in Id
`,
  "dart:io package:a/b.dart",
);

check(
  "Swift",
  `
import Foundation
let limit = 3
class Shape<T>: Base, Area {
  static let sides = 4
  var width: Int = 1, height = 2
  init(width: Int) { self.width = width; let local = 1 }
  deinit {}
  func draw() { func helper() {} }
  subscript(i: Int) -> Int { return i }
}
struct Point { var x: Int; var area: Int { return x } }
enum Colour { case red, green(Int) }
protocol Area { var area: Int { get }; func scale(by: Int); associatedtype Item }
extension Point { func move() {} }
actor Bank { func pay() {} }
typealias Alias = [String: Int]
func topLevel(_ x: Int) -> Int { return x }
func == (left: Point, right: Point) -> Bool { return true }
`,
  `
2 variable limit
3 class Shape
4 field sides in Shape
5 field width in Shape
5 field height in Shape
6 constructor init in Shape
7 method deinit in Shape
8 method draw in Shape
8 function helper in draw local
9 method subscript in Shape
11 struct Point
11 field x in Point
11 field area in Point
12 enum Colour
12 enumMember red in Colour
12 enumMember green in Colour
13 interface Area
13 property area in Area
13 method scale in Area
13 type Item in Area
14 method move of Point
15 class Bank
15 method pay in Bank
16 type Alias
17 function topLevel
18 function ==
`,
  "Foundation",
);

check(
  "Scala",
  `
package com.example.shapes
import scala.collection.mutable
import a.b.{C, D => E}
abstract class Shape[T](val name: String, size: Int) extends Base with Area {
  val area = 1
  var late: String = _
  type Item = Int
  def draw(): Unit
  def map[U](f: T => U): U = { val local = 1; def helper() = 2; f(local) }
}
object Shape { def apply(x: Int) = 1 }
trait Area { def area: Int }
case class Point(x: Int, y: Int)
enum Colour { case Red, Green; case Mixed(r: Int) }
given ordering: Ordering[Int] = null
`,
  `
1 package com.example.shapes
4 class Shape
4 field name in Shape
4 field size in Shape
5 constant area in Shape
6 field late in Shape
7 type Item in Shape
8 method draw in Shape
9 method map in Shape
9 function helper in map local
11 class Shape
11 method apply in Shape
12 trait Area
12 method area in Area
13 class Point
13 field x in Point
13 field y in Point
14 enum Colour
14 enumMember Red in Colour
14 enumMember Green in Colour
14 enumMember Mixed in Colour
14 field r in Mixed
15 constant ordering
`,
  "scala.collection.mutable a.b.C a.b.D",
);

check(
  "Haskell",
  `
module Shapes.Circle (area) where
import qualified Data.Map as Map
import Data.List (sort)
data Shape = Circle { radius :: Double } | Square Double
newtype Id = Id { unId :: Int }
type Alias = [Int]
class Area a where
  area :: a -> Double
  area _ = 0
instance Area Shape where
  area (Circle r) = r
limit :: Int
limit = 3
add :: Int -> Int -> Int
add x y = go x where go z = z + y
add 0 y = y
first = 1
add = first
(.:) :: Int -> Int -> Int
a .: b = a
data Tree a where
  Leaf, Empty :: Tree Int
  Node :: Int -> Tree Int
pattern Zero :: Int
pattern Zero = 0
foreign import ccall "sin" c_sin :: Double -> Double
type family Key a
`,
  `
1 module Shapes.Circle
4 type Shape
4 enumMember Circle in Shape
4 field radius in Circle
4 enumMember Square in Shape
5 type Id
5 enumMember Id in Id
5 field unId in Id
6 type Alias
7 interface Area
8 method area in Area
12 function limit
14 function add
17 function first
18 function add
19 function .:
21 type Tree
22 enumMember Leaf in Tree
22 enumMember Empty in Tree
23 enumMember Node in Tree
24 function Zero
26 function c_sin
27 type Key
`,
  "Data.Map Data.List",
);

check(
  "OCaml",
  `
open Printf
module Shapes = struct
  type t = Circle of float | Square
  type point = { x : int; mutable y : int }
  exception Broken of string
  let limit = 3
  let add a b = let inner = a in inner + b
  let lambda = fun x -> x
end
module type AREA = sig val area : int -> int end
class shape = object method draw = 1 end
external now : unit -> int = "now"
let ( >>= ) a b = b a
`,
  `
2 module Shapes
3 type t in Shapes
3 enumMember Circle in t
3 enumMember Square in t
4 type point in Shapes
4 field x in point
4 field y in point
5 class Broken in Shapes
6 constant limit in Shapes
7 function add in Shapes
8 function lambda in Shapes
10 interface AREA
11 class shape
11 method draw in shape
12 function now
13 function >>=
`,
  "Printf",
);

check(
  "Objective-C",
  `
#import <Foundation/Foundation.h>
#import "Base.h"
#define LIMIT 3
typedef struct { int x; } Point;
@protocol Area <NSObject>
- (double)area;
@end
@interface Shape : NSObject <Area>
@property (nonatomic, strong) NSString *name;
@property int width;
+ (instancetype)make;
- (void)moveTo:(int)x by:(int)y;
@end
@implementation Shape
- (double)area { int local = 1; return local; }
- (void)moveTo:(int)x by:(int)y { }
@end
static int helper(void) { return 1; }
`,
  `
3 macro LIMIT
4 field x of Point
4 type Point
5 interface Area
6 method area in Area
8 class Shape
9 property name in Shape
10 property width in Shape
11 method make in Shape
12 method moveTo in Shape
14 class Shape
15 method area in Shape
16 method moveTo in Shape
18 function helper
`,
  "Foundation/Foundation.h Base.h",
);

check(
  "Julia",
  `
module Shapes
using LinearAlgebra
import Base
const limit = 3
abstract type Shape end
struct Circle{T} <: Shape
    radius::T
    plain
end
mutable struct Square
    side::Int
end
area(c::Circle) = c.radius
function draw(x)
    inner = 1
    helper(y) = y
end
function typed(x::T)::Int where T
end
function Base.show(io, c::Circle) end
macro twice(x) end
Base.length(x::Circle) = 1
@enum Colour red green = 2
top = 1
end
`,
  `
1 module Shapes
4 constant limit in Shapes
5 type Shape in Shapes
6 struct Circle in Shapes
7 field radius in Circle
8 field plain in Circle
10 struct Square in Shapes
11 field side in Square
13 function area in Shapes
14 function draw in Shapes
16 function helper in draw local
18 function typed in Shapes
20 function show in Shapes of Base
21 macro twice in Shapes
22 function length in Shapes of Base
23 enum Colour in Shapes
23 enumMember red in Colour
23 enumMember green in Colour
24 variable top in Shapes
`,
  "LinearAlgebra Base",
);

check(
  "Vue",
  `
<template><p id="x">{{ count }}</p></template>
<script setup lang="ts">
import { ref } from "vue";
const count = ref(0);
function add(): void { count.value++; }
</script>
<style>.x { color: red; }</style>
`,
  `
4 constant count
5 function add
`,
  "vue",
);

check(
  "Svelte",
  `
<script context="module">
  export const shared = 1;
</script>
<script>
  import Child from "./Child.svelte";
  export let name;
  function greet() {}
</script>
<h1 on:click={greet}>{name}</h1>
`,
  `
2 constant shared
6 variable name
7 function greet
`,
  "./Child.svelte",
);

check(
  "HCL",
  `
terraform { required_version = "1.0" }
variable "region" { default = "eu" }
resource "aws_instance" "web" {
  ami = "x"
}
module "network" { source = "./net" }
locals { prefix = "a" }
top = 1
`,
  `
1 namespace terraform
2 class region
3 class web
6 class network
7 namespace locals
7 variable prefix in locals
8 variable top
`,
  "",
);

check(
  "CSS",
  `
@import "base.css";
:root { --accent: red; }
.card, #main .title:hover { color: var(--accent); }
@keyframes fade { from { opacity: 0 } }
`,
  `
2 variable --accent
3 class card
3 constant main
3 class title
4 function fade
`,
  "base.css",
);

check(
  "HTML",
  `
<!-- id="no" --><div id="app" class="x"><p id='second'>text</p></div>
`,
  `
1 constant app
1 constant second
`,
  "",
);

check(
  "JSON",
  `
{ "name": "x", "scripts": { "build": "tsc" }, "list": [ { "deep": 1 } ] }
`,
  `
1 property name
1 property scripts
1 property build in scripts
1 property list
1 property deep in list
`,
  "",
);

check(
  "YAML",
  `
name: x
on:
  push:
    branches: [main]
"quoted": 1
jobs:
  - step: one
`,
  `
1 property name
2 property on
3 property push in on
4 property branches in push
5 property quoted
6 property jobs
7 property step in jobs
`,
  "",
);

check(
  "TOML",
  `
title = "x"
[package]
name = "y"
"quoted key" = 1
[a.b.c]
deep = 1
[[bin]]
path = "z"
`,
  `
1 property title
2 module package
3 property name in package
4 property quoted key in package
5 module a.b.c
6 property deep in a.b.c
7 module bin
8 property path in bin
`,
  "",
);
