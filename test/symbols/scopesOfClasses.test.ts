import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "C#",
  `
using name = System.Text; // name
      -a
namespace N
{
    [Attr(name = 1)]
          >?
    class Box<T> : Base
    {
        int name;
            ^A
        int Prop { get => name; set { name = value; } }
                          >A          >A
        int this[int name] => name;
                     -b       >b
        Box(int name, params string[] rest) : base(name) { this.name = name; }
                -c                                 >c           >A     >c
        void Read(object o, out int other)
        {
            var x = name + o.name + o?.name + N.name;
                    >A       >?        >?       >?
            if (o is string name && name != "name") { }
                            -d      >d
            if (!int.TryParse(name, out var parsed)) return;
                              >d
            Call(name: parsed, other: name);
                 >?                   >d
            other = new Box { name = 1, Other = name }.other;
                              >?                >d
            goto name;
                 >?
            name: return;
            >?
        }
        void Loop()
        {
            for (int name = 0; name < 1; name++) { }
                     -e        >e        >e
            foreach (var name in name.All()) Use(name);
                         -f      >f              >f
            foreach (var (name, _) in pairs) Use($"name {name}");
                          -g                             >g
            try { } catch (Error name) when (name.Bad) { }
                                 -h          >h
            using (var name = Open(name)) { }
                       -i          >i
            Use(name);
                >A
        }
        int Lambdas() => list.Select(name => name).Where((name, i) => name > i).Sum(delegate (int name) { return name; }) + name;
                                     -j      >j           -k          >k                          -l             >l         >A
        int Local() { int name(int a) => a; return name(1); }
                          ^m                       >m
        object Query(object o) => from name in o.name join b in c on name equals b.name where name > 1 select new { name };
                                       -n        >?                  >n            >?         >n                    >n
        object Match(object o) => o switch { int name when name > 1 => name, Point { name: var n } => n, _ => name };
                                                 -o        >o          >o            >?                       >A
        void Cases(object o) { switch (o) { case string name: Use(name); break; case int[] other: Use(name); break; } }
                                                        -p        >p                                  >A
        enum Mode { name }
                    ^B
    }
    delegate int Handler(int name);
                             -q
    record Pair(int name);
                    ^C
}
`,
);

checkOccurrences(
  "Kotlin",
  `
package a

import b.name as other
         >?
import c.name
         >?

@Ann(name = 1)
     >?
class Box<T>(name: Int, val size: Int = name) : Base(name) {
             -a                         ^A           >a
  val name = name.trim() // name
      ^B     >a
  val lazily by lazy { name }
                       >a
  fun plain() = name + this.name + super.name
                >A          >A           >?
  fun tag(name: Any?): Box = name(1, name)
          -b                 >B      >b
  fun call(name: (Int) -> Unit) { name(1) }
           -c                     >c
  fun body(first: Int) {
    val x = name
            >A
    val name = name.other
        -d     >A
    val (a, b) = name to a.name
                 >d        >?
    for (name in name) { name.toString() }
         -e      >d      >e
    try { f(name = name) } catch (name: Exception) { throw name }
            >?     >d             -f                       >f
    list.map { name -> name.name }.filter { (name, _) -> name }.forEach { "name $name \${name}" }
               -g      >g   >?               -h          >h                      >d     >d
    when (val name = other) { is Int -> name; else -> a name b }
              -i                        >i              >A
    fun inner(name: Int): Int { return name }
              -j                       >j
    val last = { name: Int -> return@name name }
                 -k                  >?   >k
    val get = fun(name: Int): Int { return name }
                  -l                       >l
  }
  var counted: Int = 0
    set(name) { field = name }
        -m              >m
}
fun <name> top(block: (name: name) -> Unit) = name
     -n                -o    >o               >n
`,
);

checkOccurrences(
  "Scala",
  `
package a
import b.{name => other}
          >?
class Box[T](name: Int, val size: Int = name) extends Base(name) { // name
             ^A                         >A                 >A
  val first = name + this.name + other.name
              >A          >A           >?
  def read(name: Int)(f: Int => Int = name => name + 1): Int = f(name)
           -a                         -b      >b                 >a
  def body(list: List[Int]): Int = {
    val x = name
            >A
    val name = name + 1
        -c     >c
    val (a, Some(name2)) = x
    for (name <- name.all; y <- name; (_, name) <- y) yield name
         -d      >c             >d        -d                >d
    try f(name = name) catch { case name: Error => throw name }
          >?     >c                 -e                   >e
    list.map { name => name }.filter((name, _) => name).collect { case (name, _) => name }
               -f      >f             -g          >g                    -h          >h
    x match {
      case Some(name) if name > 1 => name
                -i       >i          >i
      case \`name\` => name
                     >c
      case name @ Pair(_, _) => name
           -j                   >j
      case head :: name => name
                   -k      >k
      case name => s"name $name \${name + 1}"
           -l              >l     >l
    }
    def local(name: Int) = name
              -m           >m
    a name b
      >?
    new Other { def call(name: Int) = name }
                         -n           >n
    name
    >c
  }
  def name(other: Int) = other
      ^B
}
object Box { def make(x: Int) = { val name = x; () => name } }
                                      -o              >o
trait Named { def read(name: Int): Int }
                       -p
`,
);

checkOccurrences(
  "Swift",
  `
import name // name
       >?
class Box<T>: Base {
  var name: Int = 1
      ^A
  init(name: Int, name other: Int) { self.name = name; super.init(name: name) }
       -a         >?                      >A     >a               >?    >a
  subscript(name: Int) -> Int { return name }
            -b                         >b
  var count: Int { get { name } set(name) { other = name } }
                         >A         -c              >c
  var watched: Int = 1 { willSet(name) { use(name) } didSet { use(name) } }
                                 -d          >d                   >A
  func read(_ name: Int, f: (_ name: Int) -> Int) -> Int { name + other.name }
              -e               >?                          >e           >?
  func conditions(other: Int?) {
    use(name)
        >A
    if let name = name, let next = name.next, name > next { use(name) } else { use(name) }
           -f     >A               >f         >f                >f                 >A
    if let name { use(name) }
           -g         >g
    if case let .some(name, .none) = other { use(name, .name) }
                      -h                         >h     >?
    while let name = other.next() { use(name) }
              -i                        >i
    guard let name = name, name > 1 else { return }
              -j     >A    >j
    use(name)
        >j
  }
  func patterns(other: Any) {
    switch other {
    case let .first(name, _): use(name)
                    -k            >k
    case .second(let name) where name > 1: use(name)
                     -l          >l            >l
    case let name as String: use(name)
             -m                  >m
    case (let name, _): use(name)
              -n            >n
    case .third(name): use(name)
                >A         >A
    default: use(name)
                 >A
    }
    do { try f(name: name) } catch let name as Failure { use(name) }
               >?    >A                -o                    >o
    for name in name.all { use(name) }
        -p      >A             >p
    for (name, _) in pairs where name > 1 { use(name) }
         -q                      >q             >q
    for case let .some(name) in list { use(name) }
                       -r                  >r
  }
  func closures(list: [Int]) {
    let x = name, name = x
            >A    -s
    list.map { name in name }.filter { (name: Int, _) -> Bool in name > 1 }.forEach { "name \\(name)" }
               -t      >t               -u                       >u                           >s
    list.map { [weak self, name] in name }
                           >s       >s
    list.map { [name = self.name] in name }
                -v          >A       >v
    func local(name: Int) -> Int { name }
               -w                  >w
    let (first, (name2, _)) = name
                              >s
  }
}
enum Mode { case name(name: Int) }
                 ^B   >?
protocol Named { func read(name: Int) }
                           -x
func top(name: Int) -> Int { if x { let name = 2 }; return name }
         -y                             -z                 >y
`,
);

checkOccurrences(
  "Objective-C",
  `
#import "name.h"
static int name = 1; // name
           ^A
@interface Box : Base
@property (nonatomic, getter=name) int size;
                             >?
- (void)read:(int)name with:(void (^)(int name))block;
                  -a                      -b
@end
@implementation Box
- (void)read:(int)name with:(void (^)(int name))block {
                  -c                      -d
  int x = name;
          >c
  [self name:name other:[name name]];
        >?   >c          >c   >?
  self.name = self->name = name;
       >?           >?     >c
  list = @[name, @"name", @{ @"name": name }];
           >c                         >c
}
- (int)loops {
  for (NSString *name in [name all]) { [name read]; }
                 -e       >e            >e
  for (id name in list) use(name);
          -f                >f
  for (int name = 0; name < 1; name++) { }
           -g        >g        >g
  @try { use(name); } @catch (Failure *name) { [name name]; }
             >A                        -h       >h   >?
  [list each:^(id name, BOOL *stop) { use(name); }];
                  -i                      >i
  int (^block)(int) = ^int(int name) { return name; };
                               -j             >j
  use(@selector(name), ^{ use(name); });
                >?            >A
  @synchronized (name) { Box *name = [Box new]; use(name); }
                 >A           -k                    >k
  return name;
         >A
}
@end
`,
);

checkOccurrences(
  "Dart",
  `
import 'name.dart' as other; // name
class Box<T> extends Base {
  final int name;
            ^A
  Box(this.name, int first) : size = name, super(name: name);
           >A                        >A          >?    >A
  Box.named(int name) : size = name { this.name = name; }
                -a             >a          >A     >a
  factory Box.make(int name) => Box(name);
                       -b           >b
  int get plain => name + this.name + other.name;
                   >A          >A           >?
  set size(int name) { other..name = name; }
               -c             >?     >c
  int read(int name, {int? rest = name}) async { return name; }
               -d                 >d                    >d
  abstract(int name);
               -e
  void body(list) {
    print(name);
          >A
    for (var name = 0; name < 1; name++) {}
             -f        >f        >f
    for (final name in name.all) use(name);
               -g      >A            >g
    try { use(name); } on Error catch (name, trace) { use(name); } catch (other) { use(name); }
              >A                       -h                 >h                           >A
    list.map((name) => name).where((int name, _) { return name; });
              -i       >i               -j                >j
    int local(int name) => name;
                  -k       >k
    f(name: name, other: '$name \${name} name');
      >?    >A             >A     >A
    var (name2, b) = name;
                     >A
    switch (other) { case Pair(name: var x) when x > name: use(x); case [var name, _]: use(name); default: use(name); }
                               >?                    >A                      -l            >l                  >A
    if (other case String name) use(name);
                          -m        >m
    [for (final name in list) name, if (name) name];
                -n            >n        >A    >A
    final name = list, last = name;
          -o                  >o
    name.name();
    >o   >?
  }
  void after() { void name() {} name(); }
                      ^p        >p
}
void top(int name) { print(name); }
             -q            >q
extension Named on Box { int call(int name) => name; }
                                      -r       >r
int name2() => name;
               >?
`,
);

checkOccurrences(
  "Solidity",
  `
import {name as other} from "./name.sol"; // name
        >?
contract Box is Base {
  uint public name;
              ^A
  struct Pair { uint name; }
                     ^B
  event Sent(uint indexed name);
                          -a
  modifier over(uint name) { require(name > 1, "name"); _; }
                     -b              >b
  mapping(address name => uint) sizes;
                  -c
  constructor(uint name) Base(name) over(name) { size = name; }
                   -d         >d         >d             >d
  function read(uint name) public over(name) returns (uint) { return name + other.name; }
                     -e                >e                            >e           >?
  function named() public view returns (uint name) { name = 1; }
                                             -f      >f
  function body() public {
    uint x = name;
             >A
    { uint name = x; name++; }
           -g        >g
    for (uint name = 0; name < 1; name++) { }
              -h        >h        >h
    (uint name, bool ok) = pair();
          -i
    call({name: name, other: Pair({name: 1})});
          >?    >i                 >?
    other.call{value: name}(name);
                      >i    >i
    emit Sent(name);
              >i
  }
  function calls() public {
    try this.read(name) returns (uint name) { name; } catch Error(string memory name) { name; }
                  >A                  -j      >j                                -k      >k
    unchecked { uint name = 1; name++; }
                     -l        >l
    assembly { let name := 1 function f(name) -> out { out := name } out := add(name, name.slot) }
                   -m                   -n                    >n                >m    >m
    name = this.name();
    >A          >A
  }
  enum Mode { name }
              ^C
}
function free(uint name) pure returns (uint) { return name; }
                   -o                                 >o
`,
);

checkOccurrences(
  "PHP",
  `
<?php // name
namespace A\\B;
use C\\D as name;
           >A
$name = 1;
 >B
function name(int $name, &...$rest) {
         ^A        -a
    $x = "name $name {$name}" . name(1, name: $name) . name::NAME . self::$name;
                >a     >a       >A      >?     >a      >A                  >?
    $o->name = $o->name($name) . $o::name;
        >?         >?    >a          >?
    return fn($y) => $y + $name;
                           >a
}
function other() {
    preg_match($pattern, $text, $name);
                                 -b
    foreach ($list as $key => [$name]) { $name++; }
                                >b        >b
    return $name['name'] . name(2);
            >b             >A
}
function outer() {
    global $name;
            >B
    $f = function ($name) { return $name; };
                    -c              >c
    $g = function () use ($name, &$y) { $name = $y; };
                           >B            >B
    return $name;
            >B
}
function closed() {
    $name = 1;
     -d
    $f = function () { return $name; };
                               -e
    try { } catch (E $name) { }
                      >d
}
class Box {
    private static $name = 1;
                    ^C
    const name = 2;
          ^D
    function __construct(private int $other, $name) { $this->name = $name; static::$name = self::name; }
                                              -f             >C      >f             >?           >C
    function plain() { return $this->name() . $_GET['name'] . $this->other; }
                                     >E
    function name() { list('name' => $name) = f(); return $name; }
             ^E                       -g                   >g
}
`,
);

checkOccurrences(
  "Ruby",
  `
# name
name = 1
>A
def name(first)
    ^A
  first
end
def read(name, rest = name, key: name)
         -a           >a         >a
  x = name + obj.name + self.name
      >a         >?          >?
  @name = name(1) + :name.size
   >?     >A         >?
  call(name: name) { name }
       >?    >a      >a
  "name #{name}"
          >a
end
def assigned(list)
  first = name
          >A
  name = name
  -b     >b
  list.each { |x| name = x }
                  >b
  list.map { |name| name }
              -c    >c
  list.map do |(name, _), *rest| name end
                -d               >d
  -> (name) { name }
      -e      >e
  other = 1
end
def blocks(list)
  list.each { name = 1; name }
              -f        >f
  name
  >A
end
def patterns(value)
  first, (name, *rest) = value
          -g
  begin
    name
    >g
  rescue Foo => name
                >g
    name
    >g
  end
  for name in list do name end
      >g              >g
end
def matches(value)
  case value
  in { other: String => name } then name
                        -h          >h
  in [Integer, *name] then name
                >h         >h
  end
end
def keys(value)
  value => { name: }
             >?
  name
  >i
end
class Box
  attr_reader :name
               ^B
  def closed
    [1].each { |x| name }
                   >B
  end
  define_method(:other) { |name| name }
                           -j    >j
  def opassign; name ||= 1; name; end
                -k          >k
end
describe do
  name = 2
  >A
  it { name }
       >A
  def inner; name; end
             >A
end
`,
);
