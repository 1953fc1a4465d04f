import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "C#",
  `
using name = System.Text; // name
namespace N
{
    [Attr(name = 1)]
    class Box<T> : Base
    {
        int name;
        int Prop { get => name; set { name = value; } }
        int this[int name] => name;
        Box(int name, params string[] rest) : base(name) { this.name = name; }
        void Read(object o, out int other)
        {
            var x = name + o.name + o?.name + N.name;
            if (o is string name && name != "name") { }
            if (!int.TryParse(name, out var parsed)) return;
            Call(name: parsed, other: name);
            other = new Box { name = 1, Other = name }.other;
            goto name;
            name: return;
        }
        void Loop()
        {
            for (int name = 0; name < 1; name++) { }
            foreach (var name in name.All()) Use(name);
            foreach (var (name, _) in pairs) Use($"name {name}");
            try { } catch (Error name) when (name.Bad) { }
            using (var name = Open(name)) { }
            Use(name);
        }
        int Lambdas() => list.Select(name => name).Where((name, i) => name > i).Sum(delegate (int name) { return name; }) + name;
        int Local() { int name(int a) => a; return name(1); }
        object Query(object o) => from name in o.name join b in c on name equals b.name where name > 1 select new { name };
        object Match(object o) => o switch { int name when name > 1 => name, Point { name: var n } => n, _ => name };
        void Cases(object o) { switch (o) { case string name: Use(name); break; case int[] other: Use(name); break; } }
        enum Mode { name }
    }
    delegate int Handler(int name);
    record Pair(int name);
}
`,
  `
1:7 local of 1:7 local
4:11 reference
7:13 definition of 7:13
8:27 reference of 7:13
8:39 reference of 7:13
9:22 local of 9:22 local
9:31 reference of 9:22 local
10:17 local of 10:17 local
10:52 reference of 10:17 local
10:65 reference of 7:13
10:72 reference of 10:17 local
13:21 reference of 7:13
13:30 reference
13:40 reference
13:49 reference
14:29 local of 14:29 local
14:37 reference of 14:29 local
15:31 reference of 14:29 local
16:18 reference
16:39 reference of 14:29 local
17:31 reference
17:49 reference of 14:29 local
18:18 reference
19:13 reference
23:22 local of 23:22 local
23:32 reference of 23:22 local
23:42 reference of 23:22 local
24:26 local of 24:26 local
24:34 reference of 24:26 local
24:50 reference of 24:26 local
25:27 local of 25:27 local
25:58 reference of 25:27 local
26:34 local of 26:34 local
26:46 reference of 26:34 local
27:24 local of 27:24 local
27:36 reference of 27:24 local
28:17 reference of 7:13
30:38 local of 30:38 local
30:46 reference of 30:38 local
30:59 local of 30:59 local
30:71 reference of 30:59 local
30:99 local of 30:99 local
30:114 reference of 30:99 local
30:125 reference of 7:13
31:27 definition of 31:27 local
31:52 reference of 31:27 local
32:40 local of 32:40 local
32:50 reference
32:70 reference of 32:40 local
32:84 reference
32:95 reference of 32:40 local
32:117 reference of 32:40 local
33:50 local of 33:50 local
33:60 reference of 33:50 local
33:72 reference of 33:50 local
33:86 reference
33:111 reference of 7:13
34:57 local of 34:57 local
34:67 reference of 34:57 local
34:103 reference of 7:13
35:21 definition of 35:21
37:30 local of 37:30 local
38:21 definition of 38:21
`,
);

checkOccurrences(
  "Kotlin",
  `
package a

import b.name as other
import c.name

@Ann(name = 1)
class Box<T>(name: Int, val size: Int = name) : Base(name) {
  val name = name.trim() // name
  val lazily by lazy { name }
  fun plain() = name + this.name + super.name
  fun tag(name: Any?): Box = name(1, name)
  fun call(name: (Int) -> Unit) { name(1) }
  fun body(first: Int) {
    val x = name
    val name = name.other
    val (a, b) = name to a.name
    for (name in name) { name.toString() }
    try { f(name = name) } catch (name: Exception) { throw name }
    list.map { name -> name.name }.filter { (name, _) -> name }.forEach { "name $name \${name}" }
    when (val name = other) { is Int -> name; else -> a name b }
    fun inner(name: Int): Int { return name }
    val last = { name: Int -> return@name name }
    val get = fun(name: Int): Int { return name }
  }
  var counted: Int = 0
    set(name) { field = name }
}
fun <name> top(block: (name: name) -> Unit) = name
`,
  `
3:10 reference
4:10 reference
6:6 reference
7:14 local of 7:14 local
7:41 definition of 7:41
7:54 reference of 7:14 local
8:7 definition of 8:7
8:14 reference of 7:14 local
9:24 reference of 7:14 local
10:17 reference of 7:41
10:29 reference of 7:41
10:42 reference
11:11 local of 11:11 local
11:30 reference of 8:7
11:38 reference of 11:11 local
12:12 local of 12:12 local
12:35 reference of 12:12 local
14:13 reference of 7:41
15:9 local of 15:9 local
15:16 reference of 7:41
16:18 reference of 15:9 local
16:28 reference
17:10 local of 17:10 local
17:18 reference of 15:9 local
17:26 reference of 17:10 local
18:13 reference
18:20 reference of 15:9 local
18:35 local of 18:35 local
18:60 reference of 18:35 local
19:16 local of 19:16 local
19:24 reference of 19:16 local
19:29 reference
19:46 local of 19:46 local
19:58 reference of 19:46 local
19:82 reference of 15:9 local
19:89 reference of 15:9 local
20:15 local of 20:15 local
20:41 reference of 20:15 local
20:57 reference of 7:41
21:15 local of 21:15 local
21:40 reference of 21:15 local
22:18 local of 22:18 local
22:38 reference
22:43 reference of 22:18 local
23:19 local of 23:19 local
23:44 reference of 23:19 local
26:9 local of 26:9 local
26:25 reference of 26:9 local
28:6 local of 28:6 local
28:24 local of 28:24 local
28:30 reference of 28:24 local
28:47 reference of 28:6 local
`,
);

checkOccurrences(
  "Scala",
  `
package a
import b.{name => other}
class Box[T](name: Int, val size: Int = name) extends Base(name) { // name
  val first = name + this.name + other.name
  def read(name: Int)(f: Int => Int = name => name + 1): Int = f(name)
  def body(list: List[Int]): Int = {
    val x = name
    val name = name + 1
    val (a, Some(name2)) = x
    for (name <- name.all; y <- name; (_, name) <- y) yield name
    try f(name = name) catch { case name: Error => throw name }
    list.map { name => name }.filter((name, _) => name).collect { case (name, _) => name }
    x match {
      case Some(name) if name > 1 => name
      case \`name\` => name
      case name @ Pair(_, _) => name
      case head :: name => name
      case name => s"name $name \${name + 1}"
    }
    def local(name: Int) = name
    a name b
    new Other { def call(name: Int) = name }
    name
  }
  def name(other: Int) = other
}
object Box { def make(x: Int) = { val name = x; () => name } }
trait Named { def read(name: Int): Int }
`,
  `
2:11 reference
3:14 definition of 3:14
3:41 reference of 3:14
3:60 reference of 3:14
4:15 reference of 3:14
4:27 reference of 3:14
4:40 reference
5:12 local of 5:12 local
5:39 local of 5:39 local
5:47 reference of 5:39 local
5:66 reference of 5:12 local
7:13 reference of 3:14
8:9 local of 8:9 local
8:16 reference of 8:9 local
10:10 local of 10:10 local
10:18 reference of 8:9 local
10:33 reference of 10:10 local
10:43 local of 10:10 local
10:61 reference of 10:10 local
11:11 reference
11:18 reference of 8:9 local
11:37 local of 11:37 local
11:58 reference of 11:37 local
12:16 local of 12:16 local
12:24 reference of 12:16 local
12:39 local of 12:39 local
12:51 reference of 12:39 local
12:73 local of 12:73 local
12:85 reference of 12:73 local
14:17 local of 14:17 local
14:26 reference of 14:17 local
14:38 reference of 14:17 local
15:22 reference of 8:9 local
16:12 local of 16:12 local
16:33 reference of 16:12 local
17:20 local of 17:20 local
17:28 reference of 17:20 local
18:12 local of 18:12 local
18:28 reference of 18:12 local
18:35 reference of 18:12 local
20:15 local of 20:15 local
20:28 reference of 20:15 local
21:7 reference
22:26 local of 22:26 local
22:39 reference of 22:26 local
23:5 reference of 8:9 local
25:7 definition of 25:7
27:39 local of 27:39 local
27:55 reference of 27:39 local
28:24 local of 28:24 local
`,
);

checkOccurrences(
  "Swift",
  `
import name // name
class Box<T>: Base {
  var name: Int = 1
  init(name: Int, name other: Int) { self.name = name; super.init(name: name) }
  subscript(name: Int) -> Int { return name }
  var count: Int { get { name } set(name) { other = name } }
  var watched: Int = 1 { willSet(name) { use(name) } didSet { use(name) } }
  func read(_ name: Int, f: (_ name: Int) -> Int) -> Int { name + other.name }
  func conditions(other: Int?) {
    use(name)
    if let name = name, let next = name.next, name > next { use(name) } else { use(name) }
    if let name { use(name) }
    if case let .some(name, .none) = other { use(name, .name) }
    while let name = other.next() { use(name) }
    guard let name = name, name > 1 else { return }
    use(name)
  }
  func patterns(other: Any) {
    switch other {
    case let .first(name, _): use(name)
    case .second(let name) where name > 1: use(name)
    case let name as String: use(name)
    case (let name, _): use(name)
    case .third(name): use(name)
    default: use(name)
    }
    do { try f(name: name) } catch let name as Failure { use(name) }
    for name in name.all { use(name) }
    for (name, _) in pairs where name > 1 { use(name) }
    for case let .some(name) in list { use(name) }
  }
  func closures(list: [Int]) {
    let x = name, name = x
    list.map { name in name }.filter { (name: Int, _) -> Bool in name > 1 }.forEach { "name \\(name)" }
    list.map { [weak self, name] in name }
    list.map { [name = self.name] in name }
    func local(name: Int) -> Int { name }
    let (first, (name2, _)) = name
  }
}
enum Mode { case name(name: Int) }
protocol Named { func read(name: Int) }
func top(name: Int) -> Int { if x { let name = 2 }; return name }
`,
  `
1:8 reference
3:7 definition of 3:7
4:8 local of 4:8 local
4:19 reference
4:43 reference of 3:7
4:50 reference of 4:8 local
4:67 reference
4:73 reference of 4:8 local
5:13 local of 5:13 local
5:40 reference of 5:13 local
6:26 reference of 3:7
6:37 local of 6:37 local
6:53 reference of 6:37 local
7:34 local of 7:34 local
7:46 reference of 7:34 local
7:67 reference of 3:7
8:15 local of 8:15 local
8:32 reference
8:60 reference of 8:15 local
8:73 reference
10:9 reference of 3:7
11:12 local of 11:12 local
11:19 reference of 3:7
11:36 reference of 11:12 local
11:47 reference of 11:12 local
11:65 reference of 11:12 local
11:84 reference of 3:7
12:12 local of 12:12 local
12:23 reference of 12:12 local
13:23 local of 13:23 local
13:50 reference of 13:23 local
13:57 reference
14:15 local of 14:15 local
14:41 reference of 14:15 local
15:15 local of 15:15 local
15:22 reference of 3:7
15:28 reference of 15:15 local
16:9 reference of 15:15 local
20:21 local of 20:21 local
20:35 reference of 20:21 local
21:22 local of 21:22 local
21:34 reference of 21:22 local
21:48 reference of 21:22 local
22:14 local of 22:14 local
22:34 reference of 22:14 local
23:15 local of 23:15 local
23:29 reference of 23:15 local
24:17 reference of 3:7
24:28 reference of 3:7
25:18 reference of 3:7
27:16 reference
27:22 reference of 3:7
27:40 local of 27:40 local
27:62 reference of 27:40 local
28:9 local of 28:9 local
28:17 reference of 3:7
28:32 reference of 28:9 local
29:10 local of 29:10 local
29:34 reference of 29:10 local
29:49 reference of 29:10 local
30:24 local of 30:24 local
30:44 reference of 30:24 local
33:13 reference of 3:7
33:19 local of 33:19 local
34:16 local of 34:16 local
34:24 reference of 34:16 local
34:41 local of 34:41 local
34:66 reference of 34:41 local
34:95 reference of 33:19 local
35:28 reference of 33:19 local
35:37 reference of 33:19 local
36:17 local of 36:17 local
36:29 reference of 3:7
36:38 reference of 36:17 local
37:16 local of 37:16 local
37:36 reference of 37:16 local
38:31 reference of 33:19 local
41:18 definition of 41:18
41:23 reference
42:28 local of 42:28 local
43:10 local of 43:10 local
43:41 local of 43:41 local
43:60 reference of 43:10 local
`,
);

checkOccurrences(
  "Objective-C",
  `
#import "name.h"
static int name = 1; // name
@interface Box : Base
@property (nonatomic, getter=name) int size;
- (void)read:(int)name with:(void (^)(int name))block;
@end
@implementation Box
- (void)read:(int)name with:(void (^)(int name))block {
  int x = name;
  [self name:name other:[name name]];
  self.name = self->name = name;
  list = @[name, @"name", @{ @"name": name }];
}
- (int)loops {
  for (NSString *name in [name all]) { [name read]; }
  for (id name in list) use(name);
  for (int name = 0; name < 1; name++) { }
  @try { use(name); } @catch (Failure *name) { [name name]; }
  [list each:^(id name, BOOL *stop) { use(name); }];
  int (^block)(int) = ^int(int name) { return name; };
  use(@selector(name), ^{ use(name); });
  @synchronized (name) { Box *name = [Box new]; use(name); }
  return name;
}
@end
`,
  `
2:12 definition of 2:12
4:30 reference
5:19 local of 5:19 local
5:43 local of 5:43 local
8:19 local of 8:19 local
8:43 local of 8:43 local
9:11 reference of 8:19 local
10:9 reference
10:14 reference of 8:19 local
10:26 reference of 8:19 local
10:31 reference
11:8 reference
11:21 reference
11:28 reference of 8:19 local
12:12 reference of 8:19 local
12:39 reference of 8:19 local
15:18 local of 15:18 local
15:27 reference of 15:18 local
15:41 reference of 15:18 local
16:11 local of 16:11 local
16:29 reference of 16:11 local
17:12 local of 17:12 local
17:22 reference of 17:12 local
17:32 reference of 17:12 local
18:14 reference of 2:12
18:40 local of 18:40 local
18:49 reference of 18:40 local
18:54 reference
19:19 local of 19:19 local
19:43 reference of 19:19 local
20:32 local of 20:32 local
20:47 reference of 20:32 local
21:17 reference
21:31 reference of 2:12
22:18 reference of 2:12
22:31 local of 22:31 local
22:53 reference of 22:31 local
23:10 reference of 2:12
`,
);

checkOccurrences(
  "Dart",
  `
import 'name.dart' as other; // name
class Box<T> extends Base {
  final int name;
  Box(this.name, int first) : size = name, super(name: name);
  Box.named(int name) : size = name { this.name = name; }
  factory Box.make(int name) => Box(name);
  int get plain => name + this.name + other.name;
  set size(int name) { other..name = name; }
  int read(int name, {int? rest = name}) async { return name; }
  abstract(int name);
  void body(list) {
    print(name);
    for (var name = 0; name < 1; name++) {}
    for (final name in name.all) use(name);
    try { use(name); } on Error catch (name, trace) { use(name); } catch (other) { use(name); }
    list.map((name) => name).where((int name, _) { return name; });
    int local(int name) => name;
    f(name: name, other: '$name \${name} name');
    var (name2, b) = name;
    switch (other) { case Pair(name: var x) when x > name: use(x); case [var name, _]: use(name); default: use(name); }
    if (other case String name) use(name);
    [for (final name in list) name, if (name) name];
    final name = list, last = name;
    name.name();
  }
  void after() { void name() {} name(); }
}
void top(int name) { print(name); }
extension Named on Box { int call(int name) => name; }
int name2() => name;
`,
  `
3:13 definition of 3:13
4:12 reference of 3:13
4:38 reference of 3:13
4:50 reference
4:56 reference of 3:13
5:17 local of 5:17 local
5:32 reference of 5:17 local
5:44 reference of 3:13
5:51 reference of 5:17 local
6:24 local of 6:24 local
6:37 reference of 6:24 local
7:20 reference of 3:13
7:32 reference of 3:13
7:45 reference
8:16 local of 8:16 local
8:31 reference
8:38 reference of 8:16 local
9:16 local of 9:16 local
9:35 reference of 9:16 local
9:57 reference of 9:16 local
10:16 local of 10:16 local
12:11 reference of 3:13
13:14 local of 13:14 local
13:24 reference of 13:14 local
13:34 reference of 13:14 local
14:16 local of 14:16 local
14:24 reference of 3:13
14:38 reference of 14:16 local
15:15 reference of 3:13
15:40 local of 15:40 local
15:59 reference of 15:40 local
15:88 reference of 3:13
16:15 local of 16:15 local
16:24 reference of 16:15 local
16:41 local of 16:41 local
16:59 reference of 16:41 local
17:19 local of 17:19 local
17:28 reference of 17:19 local
18:7 reference
18:13 reference of 3:13
18:28 reference of 3:13
18:35 reference of 3:13
19:22 reference of 3:13
20:32 reference
20:54 reference of 3:13
20:78 local of 20:78 local
20:92 reference of 20:78 local
20:112 reference of 3:13
21:27 local of 21:27 local
21:37 reference of 21:27 local
22:17 local of 22:17 local
22:31 reference of 22:17 local
22:41 reference of 3:13
22:47 reference of 3:13
23:11 local of 23:11 local
23:31 reference of 23:11 local
24:5 reference of 23:11 local
24:10 reference
26:23 definition of 26:23 local
26:33 reference of 26:23 local
28:14 local of 28:14 local
28:28 reference of 28:14 local
29:39 local of 29:39 local
29:48 reference of 29:39 local
30:16 reference
`,
);

checkOccurrences(
  "Solidity",
  `
import {name as other} from "./name.sol"; // name
contract Box is Base {
  uint public name;
  struct Pair { uint name; }
  event Sent(uint indexed name);
  modifier over(uint name) { require(name > 1, "name"); _; }
  mapping(address name => uint) sizes;
  constructor(uint name) Base(name) over(name) { size = name; }
  function read(uint name) public over(name) returns (uint) { return name + other.name; }
  function named() public view returns (uint name) { name = 1; }
  function body() public {
    uint x = name;
    { uint name = x; name++; }
    for (uint name = 0; name < 1; name++) { }
    (uint name, bool ok) = pair();
    call({name: name, other: Pair({name: 1})});
    other.call{value: name}(name);
    emit Sent(name);
  }
  function calls() public {
    try this.read(name) returns (uint name) { name; } catch Error(string memory name) { name; }
    unchecked { uint name = 1; name++; }
    assembly { let name := 1 function f(name) -> out { out := name } out := add(name, name.slot) }
    name = this.name();
  }
  enum Mode { name }
}
function free(uint name) pure returns (uint) { return name; }
`,
  `
1:9 reference
3:15 definition of 3:15
4:22 definition of 4:22
5:27 local of 5:27 local
6:22 local of 6:22 local
6:38 reference of 6:22 local
7:19 local of 7:19 local
8:20 local of 8:20 local
8:31 reference of 8:20 local
8:42 reference of 8:20 local
8:57 reference of 8:20 local
9:22 local of 9:22 local
9:40 reference of 9:22 local
9:70 reference of 9:22 local
9:83 reference
10:46 local of 10:46 local
10:54 reference of 10:46 local
12:14 reference of 3:15
13:12 local of 13:12 local
13:22 reference of 13:12 local
14:15 local of 14:15 local
14:25 reference of 14:15 local
14:35 reference of 14:15 local
15:11 local of 15:11 local
16:11 reference
16:17 reference of 15:11 local
16:36 reference
17:23 reference of 15:11 local
17:29 reference of 15:11 local
18:15 reference of 15:11 local
21:19 reference of 3:15
21:39 local of 21:39 local
21:47 reference of 21:39 local
21:81 local of 21:81 local
21:89 reference of 21:81 local
22:22 local of 22:22 local
22:32 reference of 22:22 local
23:20 local of 23:20 local
23:41 local of 23:41 local
23:63 reference of 23:41 local
23:81 reference of 23:20 local
23:87 reference of 23:20 local
24:5 reference of 3:15
24:17 reference of 3:15
26:15 definition of 26:15
28:20 local of 28:20 local
28:55 reference of 28:20 local
`,
);

checkOccurrences(
  "PHP",
  `
<?php // name
namespace A\\B;
use C\\D as name;
$name = 1;
function name(int $name, &...$rest) {
    $x = "name $name {$name}" . name(1, name: $name) . name::NAME . self::$name;
    $o->name = $o->name($name) . $o::name;
    return fn($y) => $y + $name;
}
function other() {
    preg_match($pattern, $text, $name);
    foreach ($list as $key => [$name]) { $name++; }
    return $name['name'] . name(2);
}
function outer() {
    global $name;
    $f = function ($name) { return $name; };
    $g = function () use ($name, &$y) { $name = $y; };
    return $name;
}
function closed() {
    $name = 1;
    $f = function () { return $name; };
    try { } catch (E $name) { }
}
class Box {
    private static $name = 1;
    const name = 2;
    function __construct(private int $other, $name) { $this->name = $name; static::$name = self::name; }
    function plain() { return $this->name() . $_GET['name'] . $this->other; }
    function name() { list('name' => $name) = f(); return $name; }
}
`,
  `
3:12 reference of 5:10
4:2 reference of 4:2
5:10 definition of 5:10
5:20 local of 5:20 local
6:17 reference of 5:20 local
6:24 reference of 5:20 local
6:33 reference of 5:10
6:41 reference
6:48 reference of 5:20 local
6:56 reference of 5:10
6:76 reference
7:9 reference
7:20 reference
7:26 reference of 5:20 local
7:38 reference
8:28 reference of 5:20 local
11:34 local of 11:34 local
12:33 reference of 11:34 local
12:43 reference of 11:34 local
13:13 reference of 11:34 local
13:28 reference of 5:10
16:13 reference of 4:2
17:21 local of 17:21 local
17:37 reference of 17:21 local
18:28 reference of 4:2
18:42 reference of 4:2
19:13 reference of 4:2
22:6 local of 22:6 local
23:32 local of 23:32 local
24:23 reference of 22:6 local
27:21 definition of 27:21
28:11 definition of 28:11
29:47 local of 29:47 local
29:62 reference of 27:21
29:70 reference of 29:47 local
29:85 reference
29:98 reference of 27:21
30:38 reference of 31:14
31:14 definition of 31:14
31:39 local of 31:39 local
31:60 reference of 31:39 local
`,
);

checkOccurrences(
  "Ruby",
  `
# name
name = 1
def name(first)
  first
end
def read(name, rest = name, key: name)
  x = name + obj.name + self.name
  @name = name(1) + :name.size
  call(name: name) { name }
  "name #{name}"
end
def assigned(list)
  first = name
  name = name
  list.each { |x| name = x }
  list.map { |name| name }
  list.map do |(name, _), *rest| name end
  -> (name) { name }
  other = 1
end
def blocks(list)
  list.each { name = 1; name }
  name
end
def patterns(value)
  first, (name, *rest) = value
  begin
    name
  rescue Foo => name
    name
  end
  for name in list do name end
end
def matches(value)
  case value
  in { other: String => name } then name
  in [Integer, *name] then name
  end
end
def keys(value)
  value => { name: }
  name
end
class Box
  attr_reader :name
  def closed
    [1].each { |x| name }
  end
  define_method(:other) { |name| name }
  def opassign; name ||= 1; name; end
end
describe do
  name = 2
  it { name }
  def inner; name; end
end
`,
  `
2:1 reference of 3:5
3:5 definition of 3:5
6:10 local of 6:10 local
6:23 reference of 6:10 local
6:34 reference of 6:10 local
7:7 reference of 6:10 local
7:18 reference
7:30 reference
8:4 reference
8:11 reference of 3:5
8:22 reference
9:8 reference
9:14 reference of 6:10 local
9:22 reference of 6:10 local
10:11 reference of 6:10 local
13:11 reference of 3:5
14:3 local of 14:3 local
14:10 reference of 14:3 local
15:19 reference of 14:3 local
16:15 local of 16:15 local
16:21 reference of 16:15 local
17:17 local of 17:17 local
17:34 reference of 17:17 local
18:7 local of 18:7 local
18:15 reference of 18:7 local
22:15 local of 22:15 local
22:25 reference of 22:15 local
23:3 reference of 3:5
26:11 local of 26:11 local
28:5 reference of 26:11 local
29:17 reference of 26:11 local
30:5 reference of 26:11 local
32:7 reference of 26:11 local
32:23 reference of 26:11 local
36:25 local of 36:25 local
36:37 reference of 36:25 local
37:17 reference of 36:25 local
37:28 reference of 36:25 local
41:14 reference
42:3 reference of 41:14 local
45:16 definition of 45:16
47:20 reference of 45:16
49:28 local of 49:28 local
49:34 reference of 49:28 local
50:17 local of 50:17 local
50:29 reference of 50:17 local
53:3 reference of 3:5
54:8 reference of 3:5
55:14 reference of 3:5
`,
);
