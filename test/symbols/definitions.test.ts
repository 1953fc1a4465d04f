import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionRows, documentParser } from "#test/support/symbols";

/** Rows are `line kind name in parent of owner local`, written by hand from the source above them. */
function check(
  language: string,
  source: string,
  rows: string,
  imports: string,
  what = "definitions and imports",
): void {
  test(`${language}: ${what}`, async () => {
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
  "TypeScript",
  `
import { a as b } from "./one";
import * as path from "node:path";
import legacy = require("legacy");
export * from "./two";
const fs = require("fs"); // brings a name in
export const limit = 5, other = 6;
let counter = 0;
export const { x, y: renamed } = point;
export function overload(value: string): string;
export function overload(value: unknown) {
  const inner = 1;
  function nested() {}
  return inner;
}
export const arrow = async (a: number) => a;
const Named = class {};
export default class Shape<T> extends Base implements Area {
  static count = 0;
  #secret = 1;
  handler = () => 1;
  constructor(private readonly width: number, plain: string) { super(); }
  get area(): number { return this.width; }
  static of(): Shape<number> { return new Shape(1, ""); }
  [Symbol.iterator]() {}
}
abstract class Base { abstract run(): void; }
interface Area { area: number; scale(by: number): void; "quoted-name": string }
type Point = { x: number; move(): void };
enum Colour { Red, Green = 2 }
namespace Deep { export const inside = 1; export function call() {} }
declare module "virtual" { export const value: string; }
declare function ambient(): void;
object.method = function () {};
Shape.prototype.late = function () {};
const table = { key: () => 1, plain: 1, shorthand() {} };
[1].map((item) => { const local = item; function inCallback() {} });
export { limit as most, counter, other as default };
export const [first, second = 1] = pair;
export const { deep: { inner, far: near }, ...rest } = point;
declare global { var shared: number; }
`,
  `
6 constant limit
6 constant other
7 variable counter
8 constant x
8 constant renamed
9 function overload
10 function overload
12 function nested in overload local
15 function arrow
16 class Named
17 class Shape
18 field count in Shape
19 field secret in Shape
20 method handler in Shape
21 constructor constructor in Shape
21 field width in Shape
22 method area in Shape
23 method of in Shape
26 class Base
26 method run in Base
27 interface Area
27 property area in Area
27 method scale in Area
27 property quoted-name in Area
28 type Point
28 property x in Point
28 method move in Point
29 enum Colour
29 enumMember Red in Colour
29 enumMember Green in Colour
30 namespace Deep
30 constant inside in Deep
30 function call in Deep
31 module virtual
31 constant value in virtual
32 function ambient
33 function method
34 method late of Shape
35 constant table
35 method key in table
35 method shorthand in table
36 function inCallback local
37 constant most
38 constant first
38 constant second
39 constant inner
39 constant near
39 constant rest
40 variable shared
`,
  "./one node:path legacy ./two fs",
);

check(
  "TSX",
  `
import React from "react";
type Props = { title: string };
export const Card = ({ title }: Props) => <div className="card">{title}</div>;
export function App() { return <Card title="x" />; }
`,
  `
2 type Props
2 property title in Props
3 function Card
4 function App
`,
  "react",
);

check(
  "JavaScript",
  `
"use strict";
const fs = require("fs");
const { join } = require("path");
import("./lazy.js");
var old = 1;
function first() { var local = 2; }
function* generate() {}
class Animal {
  legs = 4;
  #hidden;
  static make = () => new Animal();
  constructor(name) { this.name = name; }
  speak() {}
}
exports.helper = function () {};
module.exports.Kind = class {};
Animal.prototype.walk = function () {};
const api = { start() {}, stop: () => {}, "quoted": function () {} };
(function () { function hidden() {} })();
$("x"); const $dollar = () => {};
module.exports.most = 1;
exports.animal = { legs: 4 };
exports.Animal = Animal;
`,
  `
5 variable old
6 function first
7 function generate
8 class Animal
9 field legs in Animal
10 field hidden in Animal
11 method make in Animal
12 constructor constructor in Animal
12 field name in Animal
13 method speak in Animal
15 function helper
16 class Kind
17 method walk of Animal
18 constant api
18 method start in api
18 method stop in api
18 method quoted in api
19 function hidden local
20 function $dollar
21 constant most
22 constant animal
`,
  "fs path ./lazy.js",
);

check(
  "Python",
  `
import os.path, sys
import numpy as np
from . import sibling
from ..pkg.mod import thing as other
LIMIT = 3
a, b = 1, 2
x: int = 5
typed: str
try:
    import json
    fallback = json
except ImportError:
    fallback = None
type Alias = list[int]
@decorator
class Shape(Base):
    """A shape."""
    kind: str = "shape"
    one, two = 1, 2
    def __init__(self, width):
        self.width = width
        self.area, self.depth = width * 2, 1
        temporary = 1
    @property
    def size(self):
        return self.width
    async def draw(self):
        def helper():
            pass
        for item in []:
            pass
    class Nested:
        pass
def outer():
    local = 1
    class Local:
        field = 1
square = lambda n: n * n
`,
  `
5 variable LIMIT
6 variable a
6 variable b
7 variable x
8 variable typed
11 variable fallback
13 variable fallback
14 type Alias
16 class Shape
18 field kind in Shape
19 field one in Shape
19 field two in Shape
20 method __init__ in Shape
21 field width in Shape
22 field area in Shape
22 field depth in Shape
25 method size in Shape
27 method draw in Shape
28 function helper in draw local
32 class Nested in Shape
34 function outer
36 class Local in outer local
37 field field in Local local
38 variable square
`,
  "os.path sys numpy . ..pkg.mod json",
);

check(
  "Go",
  `
// Package shapes draws.
package shapes

import (
	"fmt"
	web "net/http"
)

const A, B = 1, 2
const (
	C = iota
	D
)
var v, w int
var (
	table = map[string]int{}
)

type Shape struct {
	Width, height int
	*Base
	http.Client
	inner struct{ deep int }
}
type Drawer interface {
	Draw(to io.Writer) error
	fmt.Stringer
}
type Pair[K comparable, V any] struct{ key K }
type Celsius float64
type Alias = Shape

func New() *Shape { local := 1; type secret struct{ x int }; return nil }
func (s *Shape) Draw(to io.Writer) error { return nil }
func (p Pair[K, V]) Key() K { return p.key }
func generic[T any](x T) {}
`,
  `
2 package shapes
9 constant A
9 constant B
11 constant C
12 constant D
14 variable v
14 variable w
16 variable table
19 struct Shape
20 field Width in Shape
20 field height in Shape
21 field Base in Shape
22 field Client in Shape
23 field inner in Shape
23 field deep in inner
25 interface Drawer
26 method Draw in Drawer
29 struct Pair
29 field key in Pair
30 type Celsius
31 type Alias
33 function New
33 struct secret in New local
33 field x in secret local
34 method Draw of Shape
35 method Key of Pair
36 function generic
`,
  "fmt net/http",
);

check(
  "Java",
  `
package com.example.shapes;
import java.util.List;
import static java.lang.Math.max;
import java.io.*;
/** A shape. */
@Deprecated
public abstract class Shape<T> extends Base implements Area {
    private static final int LIMIT = 3, OTHER = 4;
    protected T value;
    static { int ignored = 1; }
    public Shape(T value) { this.value = value; int local = 1; }
    abstract void draw();
    <U> U map(java.util.function.Function<T, U> f) { Runnable r = new Runnable() { public void run() {} }; return null; }
    interface Inner { int CONSTANT = 1; default void hello() {} }
    enum Colour { RED, GREEN { void paint() {} }; int code; }
}
record Point(int x, int y) { Point { } static Point origin() { return null; } }
@interface Marker { String value() default ""; }
`,
  `
1 package com.example.shapes
7 class Shape
8 field LIMIT in Shape
8 field OTHER in Shape
9 field value in Shape
11 constructor Shape in Shape
12 method draw in Shape
13 method map in Shape
13 method run in map local
14 interface Inner in Shape
14 constant CONSTANT in Inner
14 method hello in Inner
15 enum Colour in Shape
15 enumMember RED in Colour
15 enumMember GREEN in Colour
15 method paint in GREEN
15 field code in Colour
17 class Point
17 field x in Point
17 field y in Point
17 constructor Point in Point
17 method origin in Point
18 interface Marker
18 method value in Marker
`,
  "java.util.List java.lang.Math.max java.io",
);

check(
  "C",
  `
#include <stdio.h>
#include "local.h"
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned int u32;
typedef int (*callback)(int, void *);
typedef struct { int x, *y; } Point;
struct node { struct node *next; char name[16]; int (*run)(void); unsigned flag : 1; };
union value { int i; float f; };
enum colour { RED, GREEN = 2 };
typedef enum { ON, OFF } Switch;
static int counter = 0, *pointer, array[4];
extern int elsewhere;
int prototype(int a);
static inline int add(int a, int b) { int local = a; struct inner { int q; }; return local + b; }
char *name_of(struct node *n) { return n->name; }
int (*choose(int which))(void) { return 0; }
static int __init start_up(void) { return 0; }
API_EXPORT void exported(void) { }
static struct ops table __read_mostly = { .run = 0 };
#ifdef X
int conditional;
#endif
struct outer { struct deep { int z; } i; } declared, *with;
`,
  `
3 macro LIMIT
4 macro MAX
5 type u32
6 type callback
7 field x of Point
7 field y of Point
7 type Point
8 struct node
8 field next in node
8 field name in node
8 field run in node
8 field flag in node
9 union value
9 field i in value
9 field f in value
10 enum colour
10 enumMember RED in colour
10 enumMember GREEN in colour
11 enumMember ON of Switch
11 enumMember OFF of Switch
11 type Switch
12 variable counter
12 variable pointer
12 variable array
13 variable elsewhere
15 function add
15 struct inner in add local
15 field q in inner local
16 function name_of
17 function choose
18 function start_up
19 function exported
20 variable table
22 variable conditional
24 struct outer
24 struct deep in outer
24 field z in deep
24 field i in outer
24 variable declared
24 variable with
`,
  "stdio.h local.h",
);

check(
  "C",
  `
typedef voidpf (*alloc_func) OF((voidpf opaque, uInt items));
ZEXTERN int ZEXPORT deflateEnd OF((z_streamp strm));
extern int inflateBack OF((int strm,
                           int (*out)(void *a), void FAR *out_desc));
extern ZPOS64_T ZEXPORT unztell64 (unzFile file)
{
  if (file) Trace((stderr, "x"));
  return 1;
}
LIB_STATIC void __compress(const list *all,
                           node *one) { }
unsigned long __hash(void) { return 0; }
unsigned int aligned_number __aligned(8);
#define inline __inline
#ifdef X
int opened(void) { if (a) { b(); }
#endif
else if (c) { d(); }
}
`,
  `
1 type alloc_func
5 function unztell64
10 function __compress
12 function __hash
13 variable aligned_number
14 macro inline
16 function opened
`,
  "",
  "macros and reserved words",
);

check(
  "C++",
  `
#include <vector>
#include "shape.h"
namespace geo {
namespace a::b { int deep; }
template <typename T> class Box : public Base {
 public:
  Box() = default;
  explicit Box(T v) : value_(v) {}
  ~Box() {}
  T get() const { return value_; }
  virtual void draw() = 0;
  void declared();
  Box& operator=(const Box& other) { return *this; }
  bool operator==(const Box&) const { return true; }
  operator bool() const { return true; }
  static int count;
  enum class Mode { Fast, Slow };
 private:
  T value_;
};
struct Point { int x, y; };
union Bits { int i; float f; };
class API_EXPORT Exported final { void hidden() {} };
using Size = unsigned long;
typedef int Index;
template <class T> concept Small = sizeof(T) < 8;
constexpr int kLimit = 3;
void Box<int>::declared() {}
int& ref() { static int x; return x; }
Point operator+(Point a, Point b) { auto f = [](int z) { int inner = z; return inner; }; return a; }
}
extern "C" { int c_linkage(void) { return 0; } }
void geo::free_function() {}
void geo::prototype(int);
class Friendly { friend void geo::prototype(int); void geo::qualified(int); int bits : 3; };
`,
  `
3 namespace geo
4 namespace b in geo
4 variable deep in b
5 class Box in geo
7 constructor Box in Box
8 constructor Box in Box
9 method ~Box in Box
10 method get in Box
11 method draw in Box
13 operator operator= in Box
14 operator operator== in Box
15 operator operator bool in Box
16 field count in Box
17 enum Mode in Box
17 enumMember Fast in Mode
17 enumMember Slow in Mode
19 field value_ in Box
21 struct Point in geo
21 field x in Point
21 field y in Point
22 union Bits in geo
22 field i in Bits
22 field f in Bits
23 class Exported in geo
23 method hidden in Exported
24 type Size in geo
25 type Index in geo
26 type Small in geo
27 variable kLimit in geo
28 method declared in geo of Box
29 function ref in geo
30 operator operator+ in geo
32 function c_linkage
33 method free_function of geo
35 class Friendly
35 field bits in Friendly
`,
  "vector shape.h",
);

check(
  "C++",
  `
#ifndef LINES_H
#define LINES_H
namespace absl {
// What ends with a stop.
ABSL_NAMESPACE_BEGIN
// Says more.
LIB_EXPORT_BEGIN
namespace base_internal {
class ErrnoSaver { public: ErrnoSaver() : saved(0) {} int saved; };
}  // namespace base_internal
ABSL_MUST_USE_RESULT bool SimpleAtof(absl::string_view str, float* out);
class string_view { int size; };
ABSL_NAMESPACE_END
}  // namespace absl
LIB_BEGIN(detail)
LIB_EXPORT
template <class T> struct Made {};
LIB_EXPORT
enum class Colour : int { Red };
BEGIN_NS namespace q { int inside; }
LIB_DEPRECATED using Size = int;
LIB_TYPE
typed(void) { struct Local {}; }
enum Last { LAST_ONE
};
LIB_END_NAMESPACE
#endif
void LIB_INLINE pool::post(int a) { }
void LIB_INLINE after(int a) { }
template <typename R, typename... Args>
class OnceAction<R(Args...)> final { int once; };
`,
  `
2 macro LINES_H
3 namespace absl
8 namespace base_internal in absl
9 class ErrnoSaver in base_internal
9 constructor ErrnoSaver in ErrnoSaver
9 field saved in ErrnoSaver
12 class string_view in absl
12 field size in string_view
17 struct Made
19 enum Colour
19 enumMember Red in Colour
20 namespace q
20 variable inside in q
21 type Size
23 function typed
23 struct Local in typed local
24 enum Last
24 enumMember LAST_ONE in Last
28 method post of pool
29 function after
31 class OnceAction
31 field once in OnceAction
`,
  "",
  "macros before declarations",
);

check(
  "C++",
  `
#define TEST(a, b) void a##b()
namespace n {
TEST(Suite, Works) { struct Local {}; }
TYPED_TEST_P(Constructed, CountsBuckets) { }
LIB_DEFINE(thing) { struct Inner {}; }
class URL { URL(int a) {} URL() {} template <class T> URL(T a) {} };
}
URL::URL(char c) { }
int MAIN(int a) { return 0; }
TEST_CASE("name", "[tag]") { int x; }
`,
  `
1 macro TEST
2 namespace n
3 function Works in n of Suite
3 struct Local in Works local
4 function CountsBuckets in n of Constructed
5 struct Inner in n local
6 class URL in n
6 constructor URL in URL
6 constructor URL in URL
6 constructor URL in URL
8 constructor URL of URL
9 function MAIN
`,
  "",
  "macros that are called like functions",
);

check(
  "Rust",
  `
use std::collections::{HashMap, hash_map::Entry as E};
use crate::shape::*;
extern crate serde;
mod inner { pub fn deep() {} }
pub const LIMIT: u32 = 3;
static mut COUNTER: u32 = 0;
pub struct Point<T> { pub x: T, y: T }
struct Unit;
struct Tuple(u32, u32);
union Bits { i: u32, f: f32 }
enum Shape { Circle { radius: f64 }, Square(f64), None }
trait Draw { const ID: u32; type Out; fn draw(&self); fn twice(&self) { self.draw() } }
impl<T> Point<T> { pub const ORIGIN: u32 = 0; pub fn new(x: T) -> Self { let local = 1; fn helper() {} todo!() } }
impl Draw for Shape { type Out = u32; const ID: u32 = 1; fn draw(&self) {} }
type Alias = Point<u32>;
macro_rules! square { ($x:expr) => { $x * $x }; }
async unsafe fn r#match() { const INSIDE: u32 = 1; let f = |z: u32| { z }; }
extern "C" { fn foreign(x: i32); }
cfg_net! { pub struct Listener { io: u32 } pub(crate) fn listen(x: *const u8) -> *const u8 { fn deep() {} } }
lazy_static! { static ref PATTERN: Regex = Regex::new("fn no() {}").unwrap(); }
bitflags! { impl Flags: u32 { const NONE = 0; } impl Flags { pub async fn all() {} } }
fn uses() { quote! { struct Quoted; } }
`,
  `
4 module inner
4 function deep in inner
5 constant LIMIT
6 variable COUNTER
7 struct Point
7 field x in Point
7 field y in Point
8 struct Unit
9 struct Tuple
10 union Bits
10 field i in Bits
10 field f in Bits
11 enum Shape
11 enumMember Circle in Shape
11 field radius in Circle
11 enumMember Square in Shape
11 enumMember None in Shape
12 trait Draw
12 constant ID in Draw
12 type Out in Draw
12 method draw in Draw
12 method twice in Draw
13 constant ORIGIN of Point
13 method new of Point
13 function helper in new local
14 type Out of Shape
14 constant ID of Shape
14 method draw of Shape
15 type Alias
16 macro square
17 function match
18 function foreign
19 struct Listener
19 function listen
20 variable PATTERN
21 function all
22 function uses
22 struct Quoted in uses local
`,
  "std::collections::HashMap std::collections::hash_map::Entry crate::shape serde",
);
