import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "Elixir",
  `
defmodule Box do
  # name
  @name "name"
  name = 1
  def name(first), do: first
  def read(%{name: name} = box, [name2 | _]) when name > 1, do: name + box.name
  def call(x) do
    y = name(x)
    z = name
    {:ok, name} = fetch(name: name, other: @name)
    if x do
      name = name + 1
      name
    end
    name(name) |> name |> name()
    Enum.map(x, fn name -> name + 1 end)
    Enum.map(x, &name/1)
    case x do
      {name, ^name} when name > 1 -> name
      _ -> "#{name} name"
    end
    for name <- name, name != :name, do: name
    with {:ok, name} <- name, do: name
    name.()
  rescue
    name in Error -> name
  end
  def default(x \\\\ name, name \\\\ x), do: name
  def plain, do: name
  defp cond_of(x) do
    cond do
      name -> Other.name(x)
    end
  end
  def <<name::binary-size(2)>> <~> x, do: name
  test "name", %{name: name} do
    name
  end
end
`,
  `
3:4 reference of 5:7
4:3 local of 4:3 local
5:7 definition of 5:7
6:20 local of 6:20 local
6:51 reference of 6:20 local
6:65 reference of 6:20 local
6:76 reference
8:9 reference of 5:7
9:9 reference of 5:7
10:11 local of 10:11 local
10:31 reference of 5:7
10:45 reference of 5:7
12:7 local of 12:7 local
12:14 reference of 10:11 local
13:7 reference of 12:7 local
15:5 reference of 5:7
15:10 reference of 10:11 local
15:19 reference of 5:7
15:27 reference of 5:7
16:20 local of 16:20 local
16:28 reference of 16:20 local
17:18 reference of 5:7
19:8 local of 19:8 local
19:15 reference of 19:8 local
19:26 reference of 19:8 local
19:38 reference of 19:8 local
20:15 reference of 10:11 local
22:9 local of 22:9 local
22:17 reference of 10:11 local
22:23 reference of 22:9 local
22:32 reference of 5:7
22:42 reference of 22:9 local
23:16 local of 23:16 local
23:25 reference of 10:11 local
23:35 reference of 23:16 local
24:5 reference of 10:11 local
26:5 local of 26:5 local
26:22 reference of 26:5 local
28:20 reference of 5:7
28:26 local of 28:26 local
28:42 reference of 28:26 local
29:18 reference of 5:7
32:7 reference of 5:7
32:21 reference
35:9 local of 35:9 local
35:43 reference of 35:9 local
36:24 local of 36:24 local
37:5 reference of 36:24 local
`,
);

checkOccurrences(
  "Haskell",
  `
module Box where
import Other (name) -- name
name :: Int -> Int
name first = first
data Box = Box { name2 :: Int, label :: name }
read (Just name) [x] = name + x
guarded x | Just name <- x, name > 1 = name
          | otherwise = name 2
located x = name + go 1
  where
    go :: Int -> Int
    go y = name + y
    name = 2
letIn x = let name = x in name
done = do
  name 1
  x <- name 2
  name <- name x
  let y = name
      name = 3
  return (name y)
cases x = case x of
  Left name -> name
  Right _ -> name 3
lambda = \\name -> name
list = [name | name <- name, let other = name]
pair = first name where (first, name) = split 1
quoted = 1 \`name\` "name"
other = Other.name + box.name
updated = box { name2 = name }
punned Box {name2} = name2
name \`op\` y = name
`,
  `
2:15 reference of 3:1
3:1 definition of 3:1
4:1 reference of 3:1
5:41 local of 5:41 local
6:12 local of 6:12 local
6:24 reference of 6:12 local
7:18 local of 7:18 local
7:29 reference of 7:18 local
7:40 reference of 7:18 local
8:25 reference of 3:1
9:13 reference of 13:5 local
12:12 reference of 13:5 local
13:5 local of 13:5 local
14:15 local of 14:15 local
14:27 reference of 14:15 local
16:3 reference of 3:1
17:8 reference of 3:1
18:3 local of 18:3 local
18:11 reference of 3:1
19:11 reference of 18:3 local
20:7 local of 18:3 local
21:11 reference of 18:3 local
23:8 local of 23:8 local
23:16 reference of 23:8 local
24:14 reference of 3:1
25:11 local of 25:11 local
25:19 reference of 25:11 local
26:9 reference of 26:16 local
26:16 local of 26:16 local
26:24 reference of 3:1
26:42 reference of 26:16 local
27:14 reference of 27:33 local
27:33 local of 27:33 local
28:13 reference of 3:1
29:15 reference
29:26 reference
30:25 reference of 3:1
32:1 local of 32:1 local
32:15 reference of 32:1 local
`,
);

checkOccurrences(
  "OCaml",
  `
let name = 1 (* name *)
type name = { name : int; other : 'name }
let f name ~other:x = name + x
let g ?(name = name) () = name
let h (x : name) = x.name + name
let i = let name = name + 1 in name * name
let rec j = let rec name x = name (x - 1) in name 2
let k = fun name -> function Some name -> name | None -> name
let l x = match x with { name; _ } -> name | { other = name } when name > 1 -> name
let m = try f name with Failure name -> name
let n = for name = name to 3 do print name done; name
let o = call ~name ~name:1 Other.name obj#name { name; other = name }
let p = let (name, x) = split name in name "name"
let q = let name = 1 and other = name in name
let r = let* name = name in name
module M = struct let name = 2 let use = name end
class c name = object method name = name end
`,
  `
1:5 definition of 1:5
2:6 definition of 2:6
2:15 definition of 2:15
2:36 local of 2:36 local
3:7 local of 3:7 local
3:23 reference of 3:7 local
4:9 local of 4:9 local
4:16 reference of 1:5
4:27 reference of 4:9 local
5:12 reference of 1:5
5:22 reference
5:29 reference of 1:5
6:13 local of 6:13 local
6:20 reference of 1:5
6:32 reference of 6:13 local
6:39 reference of 6:13 local
7:21 definition of 7:21 local
7:30 reference of 7:21 local
7:46 reference of 7:21 local
8:13 local of 8:13 local
8:35 local of 8:35 local
8:43 reference of 8:35 local
8:58 reference of 8:13 local
9:26 reference of 1:5
9:39 reference of 9:26 local
9:56 local of 9:56 local
9:68 reference of 9:56 local
9:80 reference of 9:56 local
10:15 reference of 1:5
10:33 local of 10:33 local
10:41 reference of 10:33 local
11:13 local of 11:13 local
11:20 reference of 1:5
11:39 reference of 11:13 local
11:50 reference of 1:5
12:15 reference of 1:5
12:21 reference
12:34 reference
12:43 reference
12:50 reference
12:64 reference of 1:5
13:14 local of 13:14 local
13:31 reference of 1:5
13:39 reference of 13:14 local
14:13 local of 14:13 local
14:34 reference of 1:5
14:42 reference of 14:13 local
15:14 local of 15:14 local
15:21 reference of 1:5
15:29 reference of 15:14 local
16:23 definition of 16:23
16:42 reference of 16:23
17:9 local of 17:9 local
17:30 definition of 17:30
17:37 reference of 17:9 local
`,
);

checkOccurrences(
  "Zig",
  `
const std = @import("name"); // name
pub fn name(first: u32) u32 { return first; }
const Box = struct {
    name: u32,
    pub fn read(self: Box, other: u32) u32 { return self.name + name(other); }
};
fn call(box: Box) !void {
    const x = name(1);
    _ = .{ .name = x, .other = box.name };
    return error.name;
}
fn locals(name: u32, comptime T: type) u32 { const y: T = name; return y; }
fn loops(items: []u32) void {
    for (items, 0..) |name, i| { use(name, i); }
    while (next()) |name| : (use(name)) {}
    if (items[0]) |name| { use(name); } else |other| { use(other); }
    const z = next() catch |name| return name;
    switch (z) { .name => |name| use(name), else => name(3) }
    { var name: u32 = 1; name += 1; }
    name(4);
    name: while (true) { break :name; }
    const name, var w = .{ "name", 1 };
    use(name, w);
}
`,
  `
2:8 definition of 2:8
4:5 definition of 4:5
5:58 reference of 4:5
5:65 reference of 2:8
8:15 reference of 2:8
9:13 reference
9:36 reference
10:18 reference
12:11 local of 12:11 local
12:59 reference of 12:11 local
14:23 local of 14:23 local
14:38 reference of 14:23 local
15:21 local of 15:21 local
15:34 reference of 15:21 local
16:20 local of 16:20 local
16:32 reference of 16:20 local
17:29 local of 17:29 local
17:42 reference of 17:29 local
18:19 reference
18:28 local of 18:28 local
18:38 reference of 18:28 local
18:53 reference of 2:8
19:11 local of 19:11 local
19:26 reference of 19:11 local
20:5 reference of 2:8
21:5 reference
21:33 reference
22:11 local of 22:11 local
23:9 reference of 22:11 local
`,
);
