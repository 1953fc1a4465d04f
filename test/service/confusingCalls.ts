/** Calls that are easily mistaken for those of a definition with the same name; labeled as in `callTruth.test.ts`. */
import type { CallProject } from "./callProjects";

export const confusingProjects: readonly CallProject[] = [
  {
    language: "TypeScript",
    files: {
      "src/paths.ts": `
export function join(one: string): string {
  return one;
}
export const separator = "/";
`,
      "src/index.ts": `
export { join } from "./paths";
`,
      "src/imported.ts": `
import { join } from "node:path";
import { separator } from "./paths";
export const path = join(separator); // @calls nothing
`,
      "src/used.ts": `
import { join } from "./paths";
export const path = join("a"); // @calls join src/paths.ts
`,
      "src/reexported.ts": `
import { join } from "./index";
export const path = join("a"); // @calls join src/paths.ts
`,
      "src/reader.ts": `
import { openMemory } from "memory";
export class Reader {
  readonly #memory = openMemory();
  #check(page: number): void {
    this.#memory.check(page); // @calls nothing
  }
  read(): void {
    this.#check(1); // @calls Reader.check src/reader.ts
    this.#search(1); // @calls Reader.search src/reader.ts
  }
  #search(page: number): void {}
}
`,
      "src/text.ts": `
import { memoize } from "memory";
export const textOf = memoize((path: string) => path);
`,
      "src/literal.ts": `
export const literal = textOf([1]); // @calls textOf src/literal.ts
function textOf(codePoints: readonly number[]): string {
  return String.fromCodePoint(...codePoints);
}
`,
      "src/blame.ts": `
import { textOf } from "./text";
export const name = textOf("a"); // @calls textOf src/text.ts
`,
      "src/read.ts": `
export const read = {
  run(): void {},
};
export function start(): void {
  read.run(); // @calls read.run src/read.ts
}
`,
      "src/threads.ts": `
import type { Worker } from "memory";
export function start(thread: Worker): void {
  thread.run(); // @calls nothing
}
`,
      "src/braces.ts": `
class Scanner {
  scan(): void {}
}
export function scanBraces(): void {
  new Scanner().scan(); // @calls Scanner src/braces.ts, Scanner.scan src/braces.ts
}
`,
      "src/scripts.ts": `
export class Scanner {
  scan(): void {}
}
export function scanScript(): void {
  new Scanner().scan(); // @calls Scanner src/scripts.ts, Scanner.scan src/scripts.ts
}
`,
      "src/imports.ts": `
import { Scanner } from "./scripts";
export function scanImports(scanner: Scanner): void {
  scanner.scan(); // @calls Scanner.scan src/scripts.ts
}
`,
      "src/ranges.ts": `
export class Ranges {
  restrict(ranges: readonly number[]): Ranges {
    const isPreferred = (at: number) => at > 0;
    isPreferred(1); // @calls restrict.isPreferred src/ranges.ts
    return this;
  }
}
`,
      "src/evaluate.ts": `
import type { Options } from "memory";
export function evaluate(options: Options): void {
  options.isPreferred(1); // @calls nothing
}
`,
      "src/catalog.ts": `
export class Catalog {
  excluded: readonly string[] = [];
  has(name: string): boolean {
    return name === "";
  }
}
`,
      "src/added.ts": `
import type { Catalog } from "./catalog";
export function added(catalog: Catalog, names: readonly string[]): readonly string[] {
  catalog.has("a"); // @calls Catalog.has src/catalog.ts
  const excluded = new Set(catalog.excluded);
  return names.filter((name) => !excluded.has(name)); // @calls nothing
}
`,
      "src/ownership.ts": `
export class Ownership {
  assign(name: string): void {}
}
export function failure(ownership: Ownership): Error {
  ownership.assign("a"); // @calls Ownership.assign src/ownership.ts
  return Object.assign(new Error("a"), { code: 1 }); // @calls nothing
}
`,
      "src/limit.ts": `
export class TimeLimit {
  abort(): void {}
}
export function stop(limit: TimeLimit): void {
  limit.abort(); // @calls TimeLimit.abort src/limit.ts
  const controller = new AbortController();
  controller.abort(); // @calls nothing
}
`,
      "src/definitions.ts": `
export class Definitions {
  find(name: string): string {
    return name;
  }
}
`,
      "src/owner.ts": `
import { Definitions } from "./definitions";
interface Definition {
  readonly name: string;
}
export function owner(definitions: readonly Definition[]): Definition | undefined {
  new Definitions().find("a"); // @calls Definitions src/definitions.ts, Definitions.find src/definitions.ts
  return definitions.find(({ name }) => name === "a"); // @calls nothing
}
`,
    },
  },
  {
    language: "Python",
    files: {
      "app/paths.py": `
def join(one):
    return one
`,
      "app/imported.py": `
from os.path import join
path = join("a")  # @calls nothing
`,
      "app/used.py": `
from app.paths import join
path = join("a")  # @calls join app/paths.py
`,
      "app/braces.py": `
class Scanner:
    def scan(self):
        pass

def scan_braces():
    Scanner().scan()  # @calls Scanner app/braces.py, Scanner.scan app/braces.py
`,
      "app/scripts.py": `
class Scanner:
    def scan(self):
        pass

def scan_script():
    Scanner().scan()  # @calls Scanner app/scripts.py, Scanner.scan app/scripts.py
`,
    },
  },
  {
    language: "Rust",
    files: {
      "src/paths.rs": `
pub fn zip(one: &str) -> &str {
    one
}
`,
      "src/imported.rs": `
use std::iter::zip;
pub fn pairs() {
    zip([1], [2]); // @calls nothing
}
`,
      "src/used.rs": `
use crate::paths::zip;
pub fn pairs() {
    zip("a"); // @calls zip src/paths.rs
}
`,
    },
  },
  {
    language: "Go",
    files: {
      "go.mod": `
module example.com/pool
`,
      "queue/queue.go": `
package queue

import "regexp"

type Slot struct{ tags []Tag }

type Tag struct{ pattern Pattern }

type Pattern string

type Scheduler interface {
	Acquire(n int) (*Slot, error)
}

type Regexp struct{}

func Open(size int) (first, second *Slot, err error) { return nil, nil, nil }

func Compile() *regexp.Regexp { return nil }

func Rules() map[string][]*Regexp { return nil }

func (s *Slot) Release() {}

func (t Tag) Release() {
	t.pattern.Release() // @calls Pattern.Release queue/queue.go
}

func (p Pattern) Release() {}

func (r *Regexp) Release() {}
`,
      "main.go": `
package main

import (
	"os"
	"path/filepath"
	"regexp"

	q "example.com/pool/queue"
)

type server struct{ jobs q.Scheduler }

type lease struct{}

func (l lease) Release() {}

func newLease(
	name string,
) lease {
	return lease{}
}

func (s *server) stop(re *regexp.Regexp, queue []q.Tag, os lease) {
	re.Release() // @calls nothing
	queue[0].Release()
	os.Release() // @calls lease.Release main.go
	filepath.Release() // @calls nothing
	literal := &q.Slot{}
	literal.Release() // @calls Slot.Release queue/queue.go
}

func (s *server) run() {
	slot, err := s.jobs.Acquire(1) // @calls Scheduler.Acquire queue/queue.go
	defer slot.Release() // @calls Slot.Release queue/queue.go
	_, other, _ := q.Open(len("a.b(")) // @calls Open queue/queue.go
	other.Release() // @calls Slot.Release queue/queue.go
	for _, tag := range other.tags {
		tag.Release() // @calls Tag.Release queue/queue.go
	}
	expression := q.Compile() // @calls Compile queue/queue.go
	expression.Release() // @calls nothing
	for name, rules := range q.Rules() { // @calls Rules queue/queue.go
		rules[0].Release()
		name.Release() // @calls nothing
	}
	file, err := os.Open("a")
	file.Release() // @calls nothing
	one, two := q.Compile(), newLease("a") // @calls Compile queue/queue.go, newLease main.go
	one.Release() // @calls nothing
	two.Release()
	err.Release() // @calls nothing
}
`,
    },
  },
];
