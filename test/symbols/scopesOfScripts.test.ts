import { checkOccurrences } from "#test/support/symbols";

checkOccurrences(
  "Lua",
  `
local other = require("name") -- name
local function name(first) return first end
               ^A
function read(name) return name .. box.name end
              -a           >a          >?
local function outer()
  local x = name(1)
            >A
  local name = name(x)
        -b     >A
  for name = name, 3 do print(name) end
      -c     >b               >c
  for _, name in pairs(name) do name() end
         -d            >b       >d
  repeat local name = x until name
               -e             >e
  do local name = 2 end
           -f
  if x then local name = 3 elseif name then name = "name" else local name end
                  -g              >b        >b                       -h
  local function inner() return name end
                                >b
  local use = { name = name, [name] = 1, name }
                >?     >b     >b         >b
  box.name, box:name(name).x = 1, name
      >?        >?   >b           >b
  call(function(name) return name end)
                -i           >i
  goto name
       >?
  ::name::
    >?
  local name = name + 1
        -j     >b
  return [[name]] .. name
                     >j
end
name()
>A
`,
);

checkOccurrences(
  "Shell",
  `
name=1 # name
^A
name() { echo name "$name"; }
^B            >A     >A
read_it() {
  echo "$name \${name:-1}"
         >A     >A
  local name=$name other="$name"
        -a    >A           >A
  name=2
  >a
  echo "$name name" '$name' $((name + 1)) \${#name}
         >a                    >a            >a
  name "$name"
  >A     >a
  read -r name
          >A
  ( name=3; echo $name )
    >a            >a
  for name in $name; do echo $name; done
      >a       >a             >a
}
call() {
  name=4
  >A
  declare -g name=5
             >A
  echo $name
        >A
  ( local name; echo $name )
          -b          >b
  echo $name
        >A
}
typed() { declare -r name; list=(name $name); }
                     -c          >A    >c
cat <<END
$name name
 >A
END
echo $name
      >A
`,
);

checkOccurrences(
  "PowerShell",
  `
$name = 1 # name
 >A
function Name { "name" }
function name($other) { $other }
         ^B
function Read-It {
  param([string]$Name, $other = $name)
                                 >a
  "name $name"
         >a
  name -Name $name name
  >B          >a   >B
  $box.name = @{ name = $NAME }
       >?        >?
}
function Call {
  Write-Host $name
              >A
  $name = $name + 1
   -b      >A
  $name
   >b
  $script:name = 2
}
function Typed { [int]$name = 2; $a, $name = 1, 2; $name++ }
                       -c             -c            >c
function Loop($list) { foreach ($name in $list) { $name }; { param($x) $name } }
                                 -d                >d                   >d
$block = { param($name) $name }
                  -e     >e
$name
 >A
class Box { [int]$name; [int] Read($name) { return $this.name + $name } }
                  ^C                -f                   >C      >f
`,
);

checkOccurrences(
  "Julia",
  `
module Box
import Other: name as alias # name
              >A
name(first) = first
^A
const other = name(1)
              >A
function read(name::Int, x = name; label = 1)
              -a             >a
    return name + x.name + length("name")
           >a       >?
end
keyword(x; name = 1, rest...) = name
           -b                   >b
spread(name...) where {T} = name
       -c                   >c
function call(x)
    y = name(x)
        >A
    call(x, name = 2; name = 3)
            >?        >?
    (name = 1, :name)
     >?         >A
end
function assigns(x)
    total = name
            >A
    for i in x
        name = i
        -d
        while name > 1; name -= 1; end
              >d        >d
    end
    name
    >A
end
function loops(x)
    for name in name; use(name); end
        -e      >A        >e
    for (name, y) in x; name; end
         -f             >f
    [name for name in name if name > 1]
     >g       -g      >A      >g
    map(x) do name
              -h
        name
        >h
    end
    map(name -> name, name)
        -i      >i    >A
    map((name, y) -> name + y, x)
         -j          >j
    let name = name; name; end
        -k     >A    >k
    try x catch name; name end
                -l    >l
    name(2)
    >A
end
function declares(); local name; f() = (name = 1); name; end
                           -m           >m         >m
function outside(); global name = 3; name; end
                           >A        >A
typed(x::name) = x
         >A
struct Pair{name} x::name end
            -n       >n
name(4)
>A
end
`,
);

checkOccurrences(
  "R",
  `
name <- function(first) first # name
^A
other <- function(x, name = 1) x$name + name
                     -a          >?     >a
call <- function(x) {
  y <- name(x, name = 1)
       >A      >?
  name <- name + 1
  -b      >A
  name(name)
  >A   >b
  pkg::name(box@name, "name")
       >?       >?
  name
  >b
}
loops <- function(x) {
  for (name in name) print(name)
       -c      >A          >c
  name
  >c
}
inner <- function(x) {
  sapply(x, function(name) name)
                     -d    >d
  lapply(x, \\(name) name)
              -e    >e
  name <<- 2
  >A
  3 -> name
       -f
  f <- function() name
                  >f
  list(name = name)
       >?     >f
}
nested <- function() {
  name <- function(y) y
  ^g
  name(1)
  >g
}
local({
  name <- 1
  -h
  name
  >h
})
name <- 4
^B
name(name)
>A   >A
`,
);
