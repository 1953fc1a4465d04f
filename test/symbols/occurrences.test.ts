import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "TypeScript",
  `
import { name as alias, other } from "./name"; // name
         >?
export function name(first: number): string {
                ^A
  return \`name \${name(first)} name\` + "name";
                 >A
}
class Box {
  name = 1;
  ^B
  read(name: string) { return this.name + name; }
       -a                          >B     >a
  plain() { return name(this.name); }
                   >A        >B
}
const use = { name, key: box.name };
              >A             >?
{
  const name = 2;
        -b
  name + 1;
  >b
  for (const { name } of list) name();
               -c              >c
}
function hoisted() { if (x) { var name = 1; } return name; }
                                  -d                 >d
const arrow = (name: number) => name * alias;
               -e               >e
type T<name> = name;
       -f      >f
/name/.test("x");
`,
);

checkOccurrences(
  "Python",
  `
"""name in a docstring"""
from other import name as alias, thing
                  >?
def name(first, *rest, name=None):
    ^A                 -a
    return name + first  # name
           >a
class Box:
    name = 1
    ^B
    def read(self):
        return self.name + name()
                    >B     >A
    def shadow(self):
        name = 2
        -b
        return [name for name in range(3)]
                >c       -c
def changes():
    global name
           >A
    name = 3
    >A
call(name=name, x=box.name, text=f"name {name}")
     >?   >A          >?                 >A
lambda name: name
       -d    >d
[name for name in name if name for other in name]
 >e       -e      >A      >e                >e
class Names:
    name = []
    ^C
    all = [each for each in name if name]
                            >C      >A
`,
);

checkOccurrences(
  "Go",
  `
package name // name
        ^A

import name2 "x/name"

func name(a int) int { return a }
     ^B

type box struct{ name int }
                 ^C

func (b *box) read(name int) int { return b.name + name }
                   -a                       >?     >a

func main() {
	x := name(1)
      >B
	name := name(x)
 -b      >B
	if name := 3; name > 2 {
    -c         >c
		_ = name
      >c
	}
	_ = box{name: name}
         >?    >b
	_ = "name" + \`name\`
	func() { _ = name }()
              >b
}
`,
);

checkOccurrences(
  "Java",
  `
class Box {
    private int name; // name
                ^A
    int name() { return name; }
        ^B              >A
    int read(int name) { return this.name + name; }
                 -a                  >A     >a
    int call(Box other) { return other.name() + name() + other.name; }
                                       >?       >B             >?
    void loop() { for (int name = 0; name < 1; name++) { print("name"); } name = 2; Runnable r = () -> use(name); }
                           -b        >b        >b                         >A                               >A
}
`,
);

checkOccurrences(
  "C",
  `
#include "name.h"
#define USE(x) (name + (x)) /* name */
                >A
int name = 1; // name
    ^A
struct box { int name; };
                 ^B
int read(struct box *b, int name) { return b->name + name; }
                            -a                >?     >a
int call(void) {
  int x = name;
          >A
  int name = 2;
      -b
  { char name; name = 'n'; }
         -c    >c
  goto name;
       >?
name:
>?
  return name + sizeof("name");
         >b
}
int prototype(int name);
                  -d
int after(void) { return name; }
                         >A
`,
);

checkOccurrences(
  "C++",
  `
namespace ns { int other(); }
class Box {
  int name_ = 0, name = 1;
                 ^A
  int read() { return name + this->name + ns::name(); }
                      >A           >A         >?
  int shadow(int name) { return name; }
                 -a             >a
};
auto f = [](auto name) { return name; };
                 -b             >b
template <typename name> name make();
                   -c    >c
int name = 3;
    ^B
int use() { for (auto name : list) { name++; } if (int name = 1) { return name; } return name; }
                      -d             >d                -e                 >e             >B
`,
);

checkOccurrences(
  "Rust",
  `
use other::name as alias;
           >?
fn name(first: u32) -> u32 { first }
   ^A
struct Boxed { name: u32 }
               ^B
impl Boxed {
    fn read(&self, name: u32) -> u32 { self.name + name }
                   -a                       >?     >a
    fn make() -> Self { let name = name(1); let name = name + 1; Boxed { name } }
                            -b     >A           -c     >b                >c
}
/// name
fn matches(x: Option<u32>) -> u32 {
    match x { Some(name) => name, None => name(2) }
                   -d       >d            >A
}
fn closure() { let f = |name: u32| name; println!("{}", name(3)); let s = "name"; }
                        -e         >e                   >A
`,
);

checkOccurrences(
  "Java",
  `
class name extends Base {
      ^A
    name(int a) { super(a); }
    ^B
    static name of(name other) { name b = new name(1); return name.of(b); }
           >A      >A            >A           >A              >A
    class In { In() { name.of(null); } In copy() { return new In(); } }
                      >A
}
`,
);

checkOccurrences(
  "C#",
  `
namespace N {
    class name : Base {
          ^A
        public name(int a) : base(a) {}
               ^B
        ~name() {}
         ^C
        public new static name Parse(name other) { return new name(1); }
                          >A         >A                       >A
    }
}
`,
);

checkOccurrences(
  "C++",
  `
class name {
      ^A
 public:
  name(int a) : x(a) {}
  ^B
  name(const name& other);
  >A         >A
  static name make(name* b) { name c = name(1); return *new name(2); }
         >A        >A         >A       >A                   >A
  int x;
};
name::name(const name& other) : x(other.x) {}
>A    ^C         >A
`,
);

checkOccurrences(
  "TypeScript",
  `
interface $name extends name {}
                        >?
const a$name = $name$ + name, $$name = \`\${name} $name\`;
                        >?                >?
`,
);

checkOccurrences(
  "Vue",
  `
<template><p>{{ name }} {{ $name }}</p></template>
                >A
<script setup>
const name = 1; use(name);
      ^A            >A
</script>
<style>.name { color: red }</style>
        >?
`,
);

checkOccurrences(
  "Svelte",
  `
<p>{name} {$name}</p>
    >A      >A
<script>
let name = 1; use($name);
    ^A             >A
</script>
`,
);

checkOccurrences(
  "Dart",
  `
String name(int first) => "name $name \${name} \\$name" + _$name + r'$name';
       ^A                        >A     >A
`,
);

checkOccurrences(
  "Kotlin",
  `
val name = "name $name \${name} \\$name"
    ^A            >A     >A
val other = """$name \${'$'}name""" + "$" + "name"
                >A
`,
);

checkOccurrences(
  "C#",
  `
class Box {
  int name = 1;
      ^A
  int Read(Box other) { return this.name + name + other.name + other?.name + Is.name + Box.name + F().name; }
                                    >A     >A           >?            >?        >?         >A         >?
}
enum Color { name }
             ^B
`,
);

checkOccurrences(
  "Elixir",
  `
defmodule Box do
  def name(x), do: x
      ^A
  def read(x), do: Mix.Task.name(x) + name(x) + Box.name(x) + x.name
                            >?        >A            >A          >?
end
`,
);

checkOccurrences(
  "Haskell",
  `
module Box where
name x = x
^A
use = Map.name (f.name) . name
          >?      >?      >A
`,
);

checkOccurrences(
  "Java",
  `
class Box {
    String name() { return super.name(); }
           ^A                    >?
    X make() {
        X x = new X() {
            String name() { return name(); }
                   ^a              >a
        };
        return name() + x.name();
               >A         >?
    }
}
`,
);

checkOccurrences(
  "Kotlin",
  `
class Box {
    fun make(): X {
        val x = object : X {
            override fun name(): Int {
                         ^a
                return name()
                       >a
            }
        }
        fun inner() { name() }
                      >?
        return delegate
            .name()
             >?
    }
}
`,
);

checkOccurrences(
  "PHP",
  `
<?php
class Box {
    function make() {
        $x = new class { function name() { return name(); } };
                                  ^a              >A
        return name() . (new X($c))->name([]) . X::name();
               >A                    >?            >?
    }
}
function name() {}
         ^A
`,
);

checkOccurrences(
  "TypeScript",
  `
enum Color { name }
             ^A
function make() {
  const x = { name() { return name(); } };
              ^a              >?
  return name() + Color.name + x.name();
         >?             >A       >?
}
`,
);

checkOccurrences(
  "Python",
  `
class Box:
    def name(self):
        ^A
        pass
def read(name):
         -a
    # A sentence.
    name()
    >a
    self . name
           >?
    return Box.name
               >A
`,
);
