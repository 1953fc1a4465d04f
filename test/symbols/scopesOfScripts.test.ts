import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "Lua",
  `
local other = require("name") -- name
local function name(first) return first end
function read(name) return name .. box.name end
local function outer()
  local x = name(1)
  local name = name(x)
  for name = name, 3 do print(name) end
  for _, name in pairs(name) do name() end
  repeat local name = x until name
  do local name = 2 end
  if x then local name = 3 elseif name then name = "name" else local name end
  local function inner() return name end
  local use = { name = name, [name] = 1, name }
  box.name, box:name(name).x = 1, name
  call(function(name) return name end)
  goto name
  ::name::
  local name = name + 1
  return [[name]] .. name
end
name()
`,
  `
2:16 definition of 2:16
3:15 local of 3:15 local
3:28 reference of 3:15 local
3:40 reference
5:13 reference of 2:16
6:9 local of 6:9 local
6:16 reference of 2:16
7:7 local of 7:7 local
7:14 reference of 6:9 local
7:31 reference of 7:7 local
8:10 local of 8:10 local
8:24 reference of 6:9 local
8:33 reference of 8:10 local
9:16 local of 9:16 local
9:31 reference of 9:16 local
10:12 local of 10:12 local
11:19 local of 11:19 local
11:35 reference of 6:9 local
11:45 reference of 6:9 local
11:70 local of 11:70 local
12:33 reference of 6:9 local
13:17 reference
13:24 reference of 6:9 local
13:31 reference of 6:9 local
13:42 reference of 6:9 local
14:7 reference
14:17 reference
14:22 reference of 6:9 local
14:35 reference of 6:9 local
15:17 local of 15:17 local
15:30 reference of 15:17 local
16:8 reference
17:5 reference
18:9 local of 18:9 local
18:16 reference of 6:9 local
19:22 reference of 18:9 local
21:1 reference of 2:16
`,
);

checkOccurrences(
  "Shell",
  `
name=1 # name
name() { echo name "$name"; }
read_it() {
  echo "$name \${name:-1}"
  local name=$name other="$name"
  name=2
  echo "$name name" '$name' $((name + 1)) \${#name}
  name "$name"
  read -r name
  ( name=3; echo $name )
  for name in $name; do echo $name; done
}
call() {
  name=4
  declare -g name=5
  echo $name
  ( local name; echo $name )
  echo $name
}
typed() { declare -r name; list=(name $name); }
cat <<END
$name name
END
echo $name
`,
  `
1:1 definition of 1:1
2:1 definition of 2:1
2:15 reference of 1:1
2:22 reference of 1:1
4:10 reference of 1:1
4:17 reference of 1:1
5:9 local of 5:9 local
5:15 reference of 1:1
5:28 reference of 1:1
6:3 reference of 5:9 local
7:10 reference of 5:9 local
7:32 reference of 5:9 local
7:46 reference of 5:9 local
8:3 reference of 1:1
8:10 reference of 5:9 local
9:11 reference of 1:1
10:5 reference of 5:9 local
10:19 reference of 5:9 local
11:7 reference of 5:9 local
11:16 reference of 5:9 local
11:31 reference of 5:9 local
14:3 reference of 1:1
15:14 reference of 1:1
16:9 reference of 1:1
17:11 local of 17:11 local
17:23 reference of 17:11 local
18:9 reference of 1:1
20:22 local of 20:22 local
20:34 reference of 1:1
20:40 reference of 20:22 local
22:2 reference of 1:1
24:7 reference of 1:1
`,
);

checkOccurrences(
  "PowerShell",
  `
$name = 1 # name
function Name { "name" }
function name($other) { $other }
function Read-It {
  param([string]$Name, $other = $name)
  "name $name"
  name -Name $name name
  $box.name = @{ name = $NAME }
}
function Call {
  Write-Host $name
  $name = $name + 1
  $name
  $script:name = 2
}
function Typed { [int]$name = 2; $a, $name = 1, 2; $name++ }
function Loop($list) { foreach ($name in $list) { $name }; { param($x) $name } }
$block = { param($name) $name }
$name
class Box { [int]$name; [int] Read($name) { return $this.name + $name } }
`,
  `
1:2 reference of 1:2
3:10 definition of 3:10
5:34 reference of 5:18 local
6:10 reference of 5:18 local
7:3 reference of 3:10
7:15 reference of 5:18 local
7:20 reference of 3:10
8:8 reference
8:18 reference
11:15 reference of 1:2
12:4 local of 12:4 local
12:12 reference of 1:2
13:4 reference of 12:4 local
16:24 local of 16:24 local
16:39 local of 16:24 local
16:53 reference of 16:24 local
17:34 local of 17:34 local
17:52 reference of 17:34 local
17:73 reference of 17:34 local
18:19 local of 18:19 local
18:26 reference of 18:19 local
19:2 reference of 1:2
20:19 definition of 20:19
20:37 local of 20:37 local
20:58 reference of 20:19
20:66 reference of 20:37 local
`,
);

checkOccurrences(
  "Julia",
  `
module Box
import Other: name as alias # name
name(first) = first
const other = name(1)
function read(name::Int, x = name; label = 1)
    return name + x.name + length("name")
end
keyword(x; name = 1, rest...) = name
spread(name...) where {T} = name
function call(x)
    y = name(x)
    call(x, name = 2; name = 3)
    (name = 1, :name)
end
function assigns(x)
    total = name
    for i in x
        name = i
        while name > 1; name -= 1; end
    end
    name
end
function loops(x)
    for name in name; use(name); end
    for (name, y) in x; name; end
    [name for name in name if name > 1]
    map(x) do name
        name
    end
    map(name -> name, name)
    map((name, y) -> name + y, x)
    let name = name; name; end
    try x catch name; name end
    name(2)
end
function declares(); local name; f() = (name = 1); name; end
function outside(); global name = 3; name; end
typed(x::name) = x
struct Pair{name} x::name end
name(4)
end
`,
  `
2:15 reference of 3:1
3:1 definition of 3:1
4:15 reference of 3:1
5:15 local of 5:15 local
5:30 reference of 5:15 local
6:12 reference of 5:15 local
6:21 reference
8:12 local of 8:12 local
8:33 reference of 8:12 local
9:8 local of 9:8 local
9:29 reference of 9:8 local
11:9 reference of 3:1
12:13 reference
12:23 reference
13:6 reference
13:17 reference of 3:1
16:13 reference of 3:1
18:9 local of 18:9 local
19:15 reference of 18:9 local
19:25 reference of 18:9 local
21:5 reference of 3:1
24:9 local of 24:9 local
24:17 reference of 3:1
24:27 reference of 24:9 local
25:10 local of 25:10 local
25:25 reference of 25:10 local
26:6 reference of 26:15 local
26:15 local of 26:15 local
26:23 reference of 3:1
26:31 reference of 26:15 local
27:15 local of 27:15 local
28:9 reference of 27:15 local
30:9 local of 30:9 local
30:17 reference of 30:9 local
30:23 reference of 3:1
31:10 local of 31:10 local
31:22 reference of 31:10 local
32:9 local of 32:9 local
32:16 reference of 3:1
32:22 reference of 32:9 local
33:17 local of 33:17 local
33:23 reference of 33:17 local
34:5 reference of 3:1
36:28 local of 36:28 local
36:41 reference of 36:28 local
36:52 reference of 36:28 local
37:28 reference of 3:1
37:38 reference of 3:1
38:10 reference of 3:1
39:13 local of 39:13 local
39:22 reference of 39:13 local
40:1 reference of 3:1
`,
);

checkOccurrences(
  "R",
  `
name <- function(first) first # name
other <- function(x, name = 1) x$name + name
call <- function(x) {
  y <- name(x, name = 1)
  name <- name + 1
  name(name)
  pkg::name(box@name, "name")
  name
}
loops <- function(x) {
  for (name in name) print(name)
  name
}
inner <- function(x) {
  sapply(x, function(name) name)
  lapply(x, \\(name) name)
  name <<- 2
  3 -> name
  f <- function() name
  list(name = name)
}
nested <- function() {
  name <- function(y) y
  name(1)
}
local({
  name <- 1
  name
})
name <- 4
name(name)
`,
  `
1:1 definition of 1:1
2:22 local of 2:22 local
2:34 reference
2:41 reference of 2:22 local
4:8 reference of 1:1
4:16 reference
5:3 local of 5:3 local
5:11 reference of 1:1
6:3 reference of 1:1
6:8 reference of 5:3 local
7:8 reference
7:17 reference
8:3 reference of 5:3 local
11:8 local of 11:8 local
11:16 reference of 1:1
11:28 reference of 11:8 local
12:3 reference of 11:8 local
15:22 local of 15:22 local
15:28 reference of 15:22 local
16:15 local of 16:15 local
16:21 reference of 16:15 local
17:3 reference of 1:1
18:8 local of 18:8 local
19:19 reference of 18:8 local
20:8 reference
20:15 reference of 18:8 local
23:3 definition of 23:3 local
24:3 reference of 23:3 local
27:3 local of 27:3 local
28:3 reference of 27:3 local
30:1 definition of 30:1
31:1 reference of 1:1
31:6 reference of 1:1
`,
);
