import assert from "node:assert/strict";
import { test } from "node:test";
import { importsFile, isSamePackage } from "#service/navigation/importMatch";
import { type Package, parseManifest } from "#service/navigation/packages";

/** `language path: import -> path`, with `elsewhere` if the other file is in another repository. */
type Row = readonly [row: string, expected: boolean, packages?: readonly Package[]];

const npm = (name: string, folder = ""): Package => ({ kind: "npm", folder, name });
const go = (name: string, folder = ""): Package => ({ kind: "go", folder, name });
const cargo = (name: string, folder = ""): Package => ({ kind: "cargo", folder, name });
const python = (name: string, folder = ""): Package => ({ kind: "python", folder, name });

function check(rows: readonly Row[], repository = "example.com/acme/kit"): void {
  for (const [row, expected, packages = []] of rows) {
    const where = packages.map(({ name, folder }) => `(${folder}/ is ${name})`).join(" ");
    test(`${row} ${where} in ${repository}`, () => {
      const [, language = "", path = "", written = "", target = "", elsewhere] =
        /^(\S+) (\S+): (.*) -> (\S+)( elsewhere)?$/.exec(row) ?? [];
      const to = { path: target, repository, packages };
      const found = importsFile({ language, path, imports: [written] }, to, elsewhere === undefined);
      assert.equal(found, expected);
    });
  }
}

check([
  ["TypeScript src/a.ts: ./b -> src/b.ts", true],
  ["TypeScript src/a.ts: ./b.js -> src/b.ts", true],
  ["TypeScript src/a.ts: ../lib -> lib/index.ts", true],
  ["TypeScript src/a.ts: . -> src/index.tsx", true],
  ["TypeScript src/a.ts: ./b -> lib/b.ts", false],
  ["TypeScript src/a.ts: ./b -> src/b.ts elsewhere", false],
  ["TSX src/a.tsx: payments -> src/charge.ts elsewhere", true, [npm("payments")]],
  ["TSX src/a.tsx: @acme/payments/charge -> src/charge.ts elsewhere", true, [npm("@acme/payments")]],
  ["TSX src/a.tsx: payments-old -> src/charge.ts elsewhere", false, [npm("payments")]],
  ["TSX apps/a.tsx: ui -> packages/ui/src/b.ts", true, [npm("root"), npm("ui", "packages/ui")]],
  ["TSX apps/a.tsx: root -> packages/ui/src/b.ts", false, [npm("root"), npm("ui", "packages/ui")]],
  ["TypeScript src/a.ts: @/lib/b -> src/lib/b.ts", true],
  ["TypeScript src/a.ts: @/lib/b -> src/lib/b.ts elsewhere", false],
  ["TypeScript src/a.ts: ../../../../x -> x.ts", true],

  ["Python app/a.py: orders -> orders/__init__.py elsewhere", true],
  ["Python app/a.py: orders -> src/orders/charge.py elsewhere", true],
  ["Python app/a.py: orders.charge -> src/orders/charge.py elsewhere", true],
  ["Python app/a.py: orders.charge.Charge -> src/orders/charge.py elsewhere", true],
  ["Python app/a.py: orders.other -> src/orders/charge.py elsewhere", false],
  ["Python app/a.py: charge -> src/orders/charge.py elsewhere", false],
  ["Python app/a.py: kit -> code/kit/b.py elsewhere", true, [python("kit", "code")]],
  ["Python app/sub/a.py: .b -> app/sub/b.py", true],
  ["Python app/sub/a.py: ..b -> app/b.py", true],
  ["Python app/sub/a.py: ..b -> app/sub/b.py", false],
  ["Python app/sub/a.py: .b -> app/sub/b.py elsewhere", false],

  ["Go main.go: example.com/kit/retry -> retry/retry.go elsewhere", true, [go("example.com/kit")]],
  ["Go main.go: example.com/kit -> retry/retry.go elsewhere", false, [go("example.com/kit")]],
  [
    "Go main.go: example.com/kit/sub/x -> sub/x/a.go elsewhere",
    true,
    [go("r"), go("example.com/kit/sub", "sub")],
  ],
  ["Go main.go: example.com/acme/kit/retry -> retry/retry.go elsewhere", true],
  ["Go main.go: fmt -> fmt/print.go elsewhere", false, [go("example.com/kit")]],

  ["Java src/main/java/a/A.java: com.acme.b.B -> src/main/java/com/acme/b/B.java elsewhere", true],
  ["Java src/main/java/a/A.java: com.acme.b -> src/main/java/com/acme/b/B.java elsewhere", true],
  ["Java src/main/java/a/A.java: com.acme.b.B.make -> src/main/java/com/acme/b/B.java elsewhere", true],
  ["Java src/main/java/a/A.java: com.acme.c.B -> src/main/java/com/acme/b/B.java elsewhere", false],
  ["Kotlin a/A.kt: com.acme.b.make -> src/com/acme/b/Things.kt elsewhere", true],

  ["Rust src/main.rs: crate::store::Store -> src/store.rs", true],
  ["Rust src/main.rs: crate::store::Store -> src/store/mod.rs", true],
  ["Rust src/main.rs: crate::other::Store -> src/store.rs", false],
  ["Rust src/main.rs: my_kit::Store -> src/store.rs elsewhere", true, [cargo("my_kit")]],
  ["Rust src/main.rs: other::Store -> src/store.rs elsewhere", false, [cargo("my_kit")]],
  ["Rust a/src/main.rs: crate::store::Store -> b/src/store.rs", false, [cargo("a", "a"), cargo("b", "b")]],

  ["C mm/a.c: linux/slab.h -> include/linux/slab.h", true],
  ["C mm/a.c: linux/slab.h -> mm/slab.c", true],
  ["C mm/a.c: slab.h -> lib/slab.c elsewhere", false],
  ["C mm/a.c: linux/slab.h -> include/linux/lab.h", false],
  ["C mm/a.c: ../b.h -> b.h", true],

  ["PHP a.php: Acme\\Billing\\Invoice -> src/Acme/Billing/Invoice.php elsewhere", true],
  ["PHP a.php: Acme\\Other\\Invoice -> src/Acme/Billing/Invoice.php elsewhere", false],
  ["Ruby a.rb: charge -> lib/charge.rb elsewhere", true],
  ["Solidity contracts/a.sol: ./X.sol -> contracts/X.sol", true],
  ["Solidity contracts/token/a.sol: ../utils/X.sol -> contracts/utils/X.sol", true],
  ["Solidity contracts/a.sol: ./X.sol -> contracts/other/X.sol", false],
  ["Solidity contracts/a.sol: ./X.sol -> contracts/X.sol elsewhere", false],
  ["Solidity contracts/a.sol: X.sol -> contracts/X.sol", true],
  ["Solidity a.sol: @openzeppelin/contracts/utils/X.sol -> contracts/utils/X.sol elsewhere", true],
  ["Solidity a.sol: @openzeppelin/contracts/utils/X.sol -> contracts/access/X.sol elsewhere", false],
  ["Lua a.lua: ./b -> b.lua", true],
  ["Dart lib/a.dart: src/b.dart -> lib/src/b.dart", true],

  ["C# a.cs: Acme.Billing -> src/Acme.Billing/Invoice.cs elsewhere", true],
  ["C# a.cs: Acme.Billing.Tax -> src/Acme.Billing/Tax/Rate.cs elsewhere", true],
  ["C# a.cs: Acme.Billing -> src/Acme.Billing/Tax/Rate.cs elsewhere", false],
  ["C# a.cs: Acme.Billing.Invoice -> src/Acme.Billing/Invoice.cs elsewhere", true],
  ["C# a.cs: Other.Billing -> src/Acme.Billing/Invoice.cs elsewhere", false],
  ["Swift a.swift: Billing -> Sources/Billing/Tax/Rate.swift elsewhere", true],
  ["Swift a.swift: kit -> Source/Core/Rate.swift elsewhere", true],
  ["Swift a.swift: kit -> Tests/Rate.swift elsewhere", false],
  ["Swift a.swift: Foundation -> Sources/Billing/Rate.swift elsewhere", false],
  ["Constructor a.x: constructor -> b.x elsewhere", false],
]);

test("files in the same package are recognized", () => {
  assert.equal(isSamePackage("Go", "retry/a.go", "retry/b.go"), true);
  assert.equal(isSamePackage("Go", "retry/a.go", "other/b.go"), false);
  assert.equal(isSamePackage("Java", "src/main/java/a/b/A.java", "src/test/java/a/b/ATest.java"), true);
  assert.equal(isSamePackage("Java", "src/main/java/a/b/A.java", "src/main/java/a/c/A.java"), false);
  assert.equal(isSamePackage("Python", "a/b.py", "a/c.py"), false);
});

test("package names are read from manifests", () => {
  const rows: readonly (readonly [path: string, text: string, expected: string | undefined])[] = [
    ["package.json", '{ "name": "@acme/ui" }', "npm  @acme/ui"],
    ["a/b/package.json", '{ "name": "ui" }', "npm a/b ui"],
    ["package.json", '{ "name": 3 }', undefined],
    ["package.json", "{ no json", undefined],
    ["package.json", "null", undefined],
    ["go.mod", "// A comment\nmodule example.com/kit // here\n\ngo 1.24\n", "go  example.com/kit"],
    ["Cargo.toml", '[workspace]\nname = "no"\n[package]\nname = "my-kit"\n', "cargo  my_kit"],
    ["Cargo.toml", '[dependencies]\nname = "no"\n', undefined],
    ["pyproject.toml", '[project]\nname = "my-kit"\n', "python  my_kit"],
    ["x/pyproject.toml", '[tool.poetry]\nname = "kit"\n', "python x kit"],
    ["setup.cfg", "[metadata]\nname = kit\n", "python  kit"],
    ["setup.py", 'setup(\n  name="kit",\n)', "python  kit"],
    ["README.md", 'name = "kit"', undefined],
  ];
  for (const [path, text, expected] of rows) {
    const found = parseManifest(path, text);
    assert.equal(found && `${found.kind} ${found.folder} ${found.name}`, expected, `${path}: ${text}`);
  }
});

check(
  [
    ["TypeScript src/a.ts: zod/v4 -> v4/core.ts elsewhere", true, [npm("zod"), npm("nested", "v4")]],
    ["TypeScript src/a.ts: zod-x -> v4/core.ts elsewhere", false, [npm("zod")]],
  ],
  "npm/zod@4.6.7",
);
check([["TypeScript src/a.ts: @s/p/x -> x.d.ts elsewhere", true]], "npm/@types/s__p@1.0.0");
check(
  [
    ["TypeScript src/a.ts: node:fs/promises -> fs.d.ts elsewhere", true],
    ["TypeScript src/a.ts: fs -> fs.d.ts elsewhere", true],
    ["TypeScript src/a.ts: node -> fs.d.ts elsewhere", false],
  ],
  "npm/@types/node@22.1.0",
);
check(
  [
    ["Go a.go: github.com/a/b/c -> c/d.go elsewhere", true],
    ["Go a.go: github.com/a/b -> c/d.go elsewhere", false],
  ],
  "go/github.com/a/b@v1.0.0",
);
