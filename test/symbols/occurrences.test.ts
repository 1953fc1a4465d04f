import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "TypeScript",
  `
import { name as alias, other } from "./name"; // name
export function name(first: number): string {
  return \`name \${name(first)} name\` + "name";
}
class Box {
  name = 1;
  read(name: string) { return this.name + name; }
  plain() { return name(this.name); }
}
const use = { name, key: box.name };
{
  const name = 2;
  name + 1;
  for (const { name } of list) name();
}
function hoisted() { if (x) { var name = 1; } return name; }
const arrow = (name: number) => name * alias;
type T<name> = name;
/name/.test("x");
`,
  `
1:10 reference
2:17 definition of 2:17
3:18 reference of 2:17
6:3 definition of 6:3
7:8 local of 7:8 local
7:36 reference of 6:3
7:43 reference of 7:8 local
8:20 reference of 2:17
8:30 reference of 6:3
10:15 reference of 2:17
10:30 reference
12:9 local of 12:9 local
13:3 reference of 12:9 local
14:16 local of 14:16 local
14:32 reference of 14:16 local
16:35 local of 16:35 local
16:54 reference of 16:35 local
17:16 local of 17:16 local
17:33 reference of 17:16 local
18:8 local of 18:8 local
18:16 reference of 18:8 local
`,
);

checkOccurrences(
  "Python",
  `
"""name in a docstring"""
from other import name as alias, thing
def name(first, *rest, name=None):
    return name + first  # name
class Box:
    name = 1
    def read(self):
        return self.name + name()
    def shadow(self):
        name = 2
        return [name for name in range(3)]
def changes():
    global name
    name = 3
call(name=name, x=box.name, text=f"name {name}")
lambda name: name
[name for name in name if name for other in name]
class Names:
    name = []
    all = [each for each in name if name]
`,
  `
2:19 reference
3:5 definition of 3:5
3:24 local of 3:24 local
4:12 reference of 3:24 local
6:5 definition of 6:5
8:21 reference of 6:5
8:28 reference of 3:5
10:9 local of 10:9 local
11:17 reference of 11:26 local
11:26 local of 11:26 local
13:12 reference of 3:5
14:5 reference of 3:5
15:6 reference
15:11 reference of 3:5
15:23 reference
15:42 reference of 3:5
16:8 local of 16:8 local
16:14 reference of 16:8 local
17:2 reference of 17:11 local
17:11 local of 17:11 local
17:19 reference of 3:5
17:27 reference of 17:11 local
17:45 reference of 17:11 local
19:5 definition of 19:5
20:29 reference of 19:5
20:37 reference of 3:5
`,
);

checkOccurrences(
  "Go",
  `
package name // name

import name2 "x/name"

func name(a int) int { return a }

type box struct{ name int }

func (b *box) read(name int) int { return b.name + name }

func main() {
	x := name(1)
	name := name(x)
	if name := 3; name > 2 {
		_ = name
	}
	_ = box{name: name}
	_ = "name" + \`name\`
	func() { _ = name }()
}
`,
  `
1:9 definition of 1:9
5:6 definition of 5:6
7:18 definition of 7:18
9:20 local of 9:20 local
9:45 reference
9:52 reference of 9:20 local
12:7 reference of 5:6
13:2 local of 13:2 local
13:10 reference of 5:6
14:5 local of 14:5 local
14:16 reference of 14:5 local
15:7 reference of 14:5 local
17:10 reference
17:16 reference of 13:2 local
19:15 reference of 13:2 local
`,
);

checkOccurrences(
  "Java",
  `
class Box {
    private int name; // name
    int name() { return name; }
    int read(int name) { return this.name + name; }
    int call(Box other) { return other.name() + name() + other.name; }
    void loop() { for (int name = 0; name < 1; name++) { print("name"); } name = 2; Runnable r = () -> use(name); }
}
`,
  `
2:17 definition of 2:17
3:9 definition of 3:9
3:25 reference of 2:17
4:18 local of 4:18 local
4:38 reference of 2:17
4:45 reference of 4:18 local
5:40 reference
5:49 reference of 3:9
5:64 reference
6:28 local of 6:28 local
6:38 reference of 6:28 local
6:48 reference of 6:28 local
6:75 reference of 2:17
6:108 reference of 2:17
`,
);

checkOccurrences(
  "C",
  `
#include "name.h"
#define USE(x) (name + (x)) /* name */
int name = 1; // name
struct box { int name; };
int read(struct box *b, int name) { return b->name + name; }
int call(void) {
  int x = name;
  int name = 2;
  { char name; name = 'n'; }
  goto name;
name:
  return name + sizeof("name");
}
int prototype(int name);
int after(void) { return name; }
`,
  `
2:17 reference of 3:5
3:5 definition of 3:5
4:18 definition of 4:18
5:29 local of 5:29 local
5:47 reference
5:54 reference of 5:29 local
7:11 reference of 3:5
8:7 local of 8:7 local
9:10 local of 9:10 local
9:16 reference of 9:10 local
10:8 reference
11:1 reference
12:10 reference of 8:7 local
14:19 local of 14:19 local
15:26 reference of 3:5
`,
);

checkOccurrences(
  "C++",
  `
namespace ns { int other(); }
class Box {
  int name_ = 0, name = 1;
  int read() { return name + this->name + ns::name(); }
  int shadow(int name) { return name; }
};
auto f = [](auto name) { return name; };
template <typename name> name make();
int name = 3;
int use() { for (auto name : list) { name++; } if (int name = 1) { return name; } return name; }
`,
  `
3:18 definition of 3:18
4:23 reference of 3:18
4:36 reference of 3:18
4:47 reference
5:18 local of 5:18 local
5:33 reference of 5:18 local
7:18 local of 7:18 local
7:33 reference of 7:18 local
8:20 local of 8:20 local
8:26 reference of 8:20 local
9:5 definition of 9:5
10:23 local of 10:23 local
10:38 reference of 10:23 local
10:56 local of 10:56 local
10:75 reference of 10:56 local
10:90 reference of 9:5
`,
);

checkOccurrences(
  "Rust",
  `
use other::name as alias;
fn name(first: u32) -> u32 { first }
struct Boxed { name: u32 }
impl Boxed {
    fn read(&self, name: u32) -> u32 { self.name + name }
    fn make() -> Self { let name = name(1); let name = name + 1; Boxed { name } }
}
/// name
fn matches(x: Option<u32>) -> u32 {
    match x { Some(name) => name, None => name(2) }
}
fn closure() { let f = |name: u32| name; println!("{}", name(3)); let s = "name"; }
`,
  `
1:12 reference
2:4 definition of 2:4
3:16 definition of 3:16
5:20 local of 5:20 local
5:45 reference
5:52 reference of 5:20 local
6:29 local of 6:29 local
6:36 reference of 2:4
6:49 local of 6:49 local
6:56 reference of 6:29 local
6:74 reference of 6:49 local
10:20 local of 10:20 local
10:29 reference of 10:20 local
10:43 reference of 2:4
12:25 local of 12:25 local
12:36 reference of 12:25 local
12:57 reference of 2:4
`,
);

checkOccurrences(
  "Java",
  `
class name extends Base {
    name(int a) { super(a); }
    static name of(name other) { name b = new name(1); return name.of(b); }
    class In { In() { name.of(null); } In copy() { return new In(); } }
}
`,
  `
1:7 definition of 1:7
2:5 definition of 2:5
3:12 reference of 1:7
3:20 reference of 1:7
3:34 reference of 1:7
3:47 reference of 1:7
3:63 reference of 1:7
4:23 reference of 1:7
`,
);

checkOccurrences(
  "C#",
  `
namespace N {
    class name : Base {
        public name(int a) : base(a) {}
        ~name() {}
        public new static name Parse(name other) { return new name(1); }
    }
}
`,
  `
2:11 definition of 2:11
3:16 definition of 3:16
4:10 definition of 4:10
5:27 reference of 2:11
5:38 reference of 2:11
5:63 reference of 2:11
`,
);

checkOccurrences(
  "C++",
  `
class name {
 public:
  name(int a) : x(a) {}
  name(const name& other);
  static name make(name* b) { name c = name(1); return *new name(2); }
  int x;
};
name::name(const name& other) : x(other.x) {}
`,
  `
1:7 definition of 1:7
3:3 definition of 3:3
4:3 reference of 1:7
4:14 reference of 1:7
5:10 reference of 1:7
5:20 reference of 1:7
5:31 reference of 1:7
5:40 reference of 1:7
5:61 reference of 1:7
8:1 reference of 1:7
8:7 definition of 8:7
8:18 reference of 1:7
`,
);

checkOccurrences(
  "TypeScript",
  `
interface $name extends name {}
const a$name = $name$ + name, $$name = \`\${name} $name\`;
`,
  `
1:25 reference
2:25 reference
2:43 reference
`,
);

checkOccurrences(
  "Vue",
  `
<template><p>{{ name }} {{ $name }}</p></template>
<script setup>
const name = 1; use(name);
</script>
<style>.name { color: red }</style>
`,
  `
1:17 reference of 3:7
3:7 definition of 3:7
3:21 reference of 3:7
5:9 reference
`,
);

checkOccurrences(
  "Svelte",
  `
<p>{name} {$name}</p>
<script>
let name = 1; use($name);
</script>
`,
  `
1:5 reference of 3:5
1:13 reference of 3:5
3:5 definition of 3:5
3:20 reference of 3:5
`,
);

checkOccurrences(
  "Dart",
  `
String name(int first) => "name $name \${name} \\$name" + _$name + r'$name';
`,
  `
1:8 definition of 1:8
1:34 reference of 1:8
1:41 reference of 1:8
`,
);

checkOccurrences(
  "Kotlin",
  `
val name = "name $name \${name} \\$name"
val other = """$name \${'$'}name""" + "$" + "name"
`,
  `
1:5 definition of 1:5
1:19 reference of 1:5
1:26 reference of 1:5
2:17 reference of 1:5
`,
);

checkOccurrences(
  "C#",
  `
class Box {
  int name = 1;
  int Read(Box other) { return this.name + name + other.name + other?.name + Is.name + Box.name + F().name; }
}
enum Color { name }
`,
  `
2:7 definition of 2:7
3:37 reference of 2:7
3:44 reference of 2:7
3:57 reference
3:71 reference
3:81 reference
3:92 reference of 2:7
3:103 reference
5:14 definition of 5:14
`,
);

checkOccurrences(
  "Elixir",
  `
defmodule Box do
  def name(x), do: x
  def read(x), do: Mix.Task.name(x) + name(x) + Box.name(x) + x.name
end
`,
  `
2:7 definition of 2:7
3:29 reference
3:39 reference of 2:7
3:53 reference of 2:7
3:65 reference
`,
);

checkOccurrences(
  "Haskell",
  `
module Box where
name x = x
use = Map.name (f.name) . name
`,
  `
2:1 definition of 2:1
3:11 reference
3:19 reference
3:27 reference of 2:1
`,
);

checkOccurrences(
  "Java",
  `
class Box {
    String name() { return super.name(); }
    X make() {
        X x = new X() {
            String name() { return name(); }
        };
        return name() + x.name();
    }
}
`,
  `
2:12 definition of 2:12
2:34 reference
5:20 definition of 5:20 local
5:36 reference of 5:20 local
7:16 reference of 2:12
7:27 reference
`,
);

checkOccurrences(
  "Kotlin",
  `
class Box {
    fun make(): X {
        val x = object : X {
            override fun name(): Int {
                return name()
            }
        }
        fun inner() { name() }
        return delegate
            .name()
    }
}
`,
  `
4:26 definition of 4:26 local
5:24 reference of 4:26 local
8:23 reference
10:14 reference
`,
);

checkOccurrences(
  "PHP",
  `
<?php
class Box {
    function make() {
        $x = new class { function name() { return name(); } };
        return name() . (new X($c))->name([]) . X::name();
    }
}
function name() {}
`,
  `
4:35 definition of 4:35 local
4:51 reference of 8:10
5:16 reference of 8:10
5:38 reference
5:52 reference
8:10 definition of 8:10
`,
);

checkOccurrences(
  "TypeScript",
  `
enum Color { name }
function make() {
  const x = { name() { return name(); } };
  return name() + Color.name + x.name();
}
`,
  `
1:14 definition of 1:14
3:15 definition of 3:15 local
3:31 reference
4:10 reference
4:25 reference of 1:14
4:34 reference
`,
);

checkOccurrences(
  "Python",
  `
class Box:
    def name(self):
        pass
def read(name):
    # A sentence.
    name()
    self . name
    return Box.name
`,
  `
2:9 definition of 2:9
4:10 local of 4:10 local
6:5 reference of 4:10 local
7:12 reference
8:16 reference of 2:9
`,
);
