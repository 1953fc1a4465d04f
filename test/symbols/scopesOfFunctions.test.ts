import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "Elixir",
  `
defmodule Box do
  # name
  @name "name"
   >A
  name = 1
  -a
  def name(first), do: first
      ^A
  def read(%{name: name} = box, [name2 | _]) when name > 1, do: name + box.name
                   -b                             >b            >b         >?
  def call(x) do
    y = name(x)
        >A
    z = name
        >A
    {:ok, name} = fetch(name: name, other: @name)
          -c                  >A            >A
    if x do
      name = name + 1
      -d     >c
      name
      >d
    end
    name(name) |> name |> name()
    >A   >c       >A      >A
    Enum.map(x, fn name -> name + 1 end)
                   -e      >e
    Enum.map(x, &name/1)
                 >A
    case x do
      {name, ^name} when name > 1 -> name
       -f     >f         >f          >f
      _ -> "#{name} name"
              >c
    end
    for name <- name, name != :name, do: name
        -g      >c    >g       >A        >g
    with {:ok, name} <- name, do: name
               -h       >c        >h
    name.()
    >c
  rescue
    name in Error -> name
    -i               >i
  end
  def default(x \\\\ name, name \\\\ x), do: name
                   >A    -j              >j
  def plain, do: name
                 >A
  defp cond_of(x) do
    cond do
      name -> Other.name(x)
      >A            >?
    end
  end
  def <<name::binary-size(2)>> <~> x, do: name
        -k                                >k
  test "name", %{name: name} do
                       -l
    name
    >l
  end
end
`,
);

checkOccurrences(
  "Haskell",
  `
module Box where
import Other (name) -- name
              >A
name :: Int -> Int
^A
name first = first
>A
data Box = Box { name2 :: Int, label :: name }
                                        -a
read (Just name) [x] = name + x
           -b          >b
guarded x | Just name <- x, name > 1 = name
                 -c         >c         >c
          | otherwise = name 2
                        >A
located x = name + go 1
            >d
  where
    go :: Int -> Int
    go y = name + y
           >d
    name = 2
    -d
letIn x = let name = x in name
              -e          >e
done = do
  name 1
  >A
  x <- name 2
       >A
  name <- name x
  -f      >A
  let y = name
          >f
      name = 3
      -f
  return (name y)
          >f
cases x = case x of
  Left name -> name
       -g      >g
  Right _ -> name 3
             >A
lambda = \\name -> name
          -h      >h
list = [name | name <- name, let other = name]
        >i     -i      >A                >i
pair = first name where (first, name) = split 1
             >j                 -j
quoted = 1 \`name\` "name"
            >A
other = Other.name + box.name
              >?         >?
updated = box { name2 = name }
                        >A
punned Box {name2} = name2
name \`op\` y = name
-k            >k
`,
);

checkOccurrences(
  "OCaml",
  `
let name = 1 (* name *)
    ^A
type name = { name : int; other : 'name }
     ^B       ^C                   -a
let f name ~other:x = name + x
      -b              >b
let g ?(name = name) () = name
        -c     >A         >c
let h (x : name) = x.name + name
           >A        >?     >A
let i = let name = name + 1 in name * name
            -d     >A          >d     >d
let rec j = let rec name x = name (x - 1) in name 2
                    ^e       >e              >e
let k = fun name -> function Some name -> name | None -> name
            -f                    -g      >g             >f
let l x = match x with { name; _ } -> name | { other = name } when name > 1 -> name
                         >A           >h               -i          >i          >i
let m = try f name with Failure name -> name
              >A                -j      >j
let n = for name = name to 3 do print name done; name
            -k     >A                 >k         >A
let o = call ~name ~name:1 Other.name obj#name { name; other = name }
              >A    >?           >?       >?     >?            >A
let p = let (name, x) = split name in name "name"
             -l               >A      >l
let q = let name = 1 and other = name in name
            -m                   >A      >m
let r = let* name = name in name
             -n     >A      >n
module M = struct let name = 2 let use = name end
                      ^D                 >D
class c name = object method name = name end
        -o                   ^E     >o
`,
);

checkOccurrences(
  "Zig",
  `
const std = @import("name"); // name
pub fn name(first: u32) u32 { return first; }
       ^A
const Box = struct {
    name: u32,
    ^B
    pub fn read(self: Box, other: u32) u32 { return self.name + name(other); }
                                                         >B     >A
};
fn call(box: Box) !void {
    const x = name(1);
              >A
    _ = .{ .name = x, .other = box.name };
            >?                     >?
    return error.name;
                 >?
}
fn locals(name: u32, comptime T: type) u32 { const y: T = name; return y; }
          -a                                              >a
fn loops(items: []u32) void {
    for (items, 0..) |name, i| { use(name, i); }
                      -b             >b
    while (next()) |name| : (use(name)) {}
                    -c           >c
    if (items[0]) |name| { use(name); } else |other| { use(other); }
                   -d          >d
    const z = next() catch |name| return name;
                            -e           >e
    switch (z) { .name => |name| use(name), else => name(3) }
                  >?       -f        >f             >A
    { var name: u32 = 1; name += 1; }
          -g             >g
    name(4);
    >A
    name: while (true) { break :name; }
    >?                          >?
    const name, var w = .{ "name", 1 };
          -h
    use(name, w);
        >h
}
`,
);
