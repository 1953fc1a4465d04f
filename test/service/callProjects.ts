/** Small projects in ten languages, whose calls are labeled; see `callTruth.test.ts`. */
export interface CallProject {
  readonly language: string;
  readonly files: Readonly<Record<string, string>>;
}

export const callProjects: readonly CallProject[] = [
  {
    language: "TypeScript",
    files: {
      "src/cart.ts": `
import { Store } from "./store";
import { total as sumUp } from "./math";
import * as text from "./text";
export class Cart {
  readonly #items = new Map<string, number>();
  constructor(private readonly store: Store) {}
  add(name: string): void {
    this.#items.set(name, 1);
    this.check(name); // @calls Cart.check src/cart.ts
    this.store.save(name); // @calls Store.save src/store.ts
  }
  check(name: string): void {
    if (name === "") throw new Error(text.format(name)); // @calls format src/text.ts
  }
  sum(): number {
    return sumUp([...this.#items.values()]); // @calls total src/math.ts
  }
}
`,
      "src/store.ts": `
export class Store {
  save(name: string): void {
    write(name); // @calls write src/store.ts
  }
}
export class Log {
  save(name: string): void {
    write(name); // @calls write src/store.ts
  }
}
function write(name: string): void {
  console.log(name);
}
`,
      "src/math.ts": `
export function total(prices: readonly number[]): number {
  return prices.map(round).reduce((sum, price) => sum + price, 0);
}
export const round = (price: number) => Math.round(price);
`,
      "src/shape.ts": `
export interface Shape {
  area(): number;
}
export class Square implements Shape {
  area(): number {
    return 4;
  }
}
export class Room {
  area(): number {
    return 12;
  }
}
`,
      "src/draw.ts": `
import type { Room, Shape } from "./shape";
export function draw(shape: Shape, room: Room): number {
  const area = shape.area(); // @calls Shape.area src/shape.ts, Square.area src/shape.ts
  return area + room.area(); // @calls Room.area src/shape.ts
}
`,
      "src/text.ts": `
export function format(name: string): string {
  return name.trim();
}
`,
      "src/main.ts": `
import { Cart } from "./cart";
import { Log, Store } from "./store";
import { round } from "./math";
const cart = new Cart(new Store()); // @calls Cart src/cart.ts, Store src/store.ts
const log = new Log(); // @calls Log src/store.ts
export function main(): void {
  cart.add("tea"); // @calls Cart.add src/cart.ts
  log.save("tea"); // @calls Log.save src/store.ts
  const seen = new Set<string>();
  seen.add("tea");
  run(() => cart.sum()); // @calls run src/main.ts, Cart.sum src/cart.ts
  [1].map(round);
}
function run(work: () => number): number {
  return round(work()); // @calls round src/math.ts
}
`,
    },
  },
  {
    language: "JavaScript",
    files: {
      "lib/queue.js": `
const { delay } = require("./time");
class Queue {
  push(job) {
    this.wait(job); // @calls Queue.wait lib/queue.js
  }
  async wait(job) {
    await delay(10); // @calls delay lib/time.js
    job();
  }
}
module.exports = { Queue };
`,
      "lib/time.js": `
function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
exports.elapsed = function (start) {
  return Date.now() - start;
};
exports.delay = delay;
`,
      "index.js": `
const { Queue } = require("./lib/queue");
const time = require("./lib/time");
function start() {
  const queue = new Queue(); // @calls Queue lib/queue.js
  queue.push(report); // @calls Queue.push lib/queue.js
  const list = [];
  list.push(1);
}
function report() {
  return time.elapsed(0); // @calls elapsed lib/time.js
}
start(); // @calls start index.js
`,
    },
  },
  {
    language: "Python",
    files: {
      "shop/cart.py": `
from .store import Store
from .prices import total
from . import text


class Base:
    def check(self):
        pass


class Cart(Base):
    def __init__(self, store: Store):
        self.store = store
        self.items = []

    def add(self, name):
        self.check()  # @calls Base.check shop/cart.py
        self.items.append(name)
        self.store.save(text.clean(name))  # @calls Store.save shop/store.py, clean shop/text.py

    def total(self):
        return total(self.items)  # @calls total shop/prices.py
`,
      "shop/store.py": `
class Store:
    def save(self, name):
        write(name)  # @calls write shop/store.py


class Log:
    def save(self, name):
        write(name)  # @calls write shop/store.py


def write(name):
    print(name)
`,
      "shop/prices.py": `
def total(prices):
    return sum(map(rounded, prices))


def rounded(price):
    return round(price)
`,
      "shop/text.py": `
def clean(name):
    return name.strip()
`,
      "main.py": `
from shop.cart import Cart
from shop.store import Log, Store
import shop.prices as prices


def main():
    cart = Cart(Store())  # @calls Cart shop/cart.py, Store shop/store.py
    cart.add("tea")  # @calls Cart.add shop/cart.py
    log = Log()  # @calls Log shop/store.py
    log.save("tea")  # @calls Log.save shop/store.py
    return prices.rounded(1.2)  # @calls rounded shop/prices.py


main()  # @calls main main.py
`,
    },
  },
  {
    language: "Go",
    files: {
      "go.mod": `
module example.com/shop
`,
      "store/store.go": `
package store

type Store struct{ names []string }

type Log struct{}

func New() *Store { return &Store{} }

func (s *Store) Save(name string) {
	s.names = append(s.names, name)
	s.flush() // @calls Store.flush store/flush.go
}

func (l *Log) Save(name string) { write(name) } // @calls write store/flush.go
`,
      "store/flush.go": `
package store

func (s *Store) flush() {
	for _, name := range s.names {
		write(name) // @calls write store/flush.go
	}
}

func write(name string) { println(name) }
`,
      "text/text.go": `
package text

import "strings"

func Clean(name string) string { return strings.TrimSpace(name) }
`,
      "main.go": `
package main

import (
	"example.com/shop/store"
	words "example.com/shop/text"
)

func main() {
	s := store.New() // @calls New store/store.go
	s.Save(words.Clean("tea")) // @calls Store.Save store/store.go, Clean text/text.go
	var log store.Log
	log.Save("tea") // @calls Log.Save store/store.go
	run(report) // @calls run main.go
}

func run(work func()) { work() }

func report() { helper() } // @calls helper helper.go
`,
      "helper.go": `
package main

func helper() {}
`,
    },
  },
  {
    language: "Java",
    files: {
      "src/shop/Cart.java": `
package shop;

import shop.data.Store;
import static shop.text.Texts.clean;

public class Cart extends Base {
  private final Store store;

  public Cart(Store store) {
    this.store = store;
  }

  public void add(String name) {
    check(name); // @calls Base.check src/shop/Base.java
    store.save(clean(name)); // @calls Store.save src/shop/data/Store.java, Texts.clean src/shop/text/Texts.java
    log(); // @calls Cart.log src/shop/Cart.java
  }

  private void log() {
    System.out.println(toString());
  }
}
`,
      "src/shop/Base.java": `
package shop;

class Base {
  void check(String name) {
    if (name.isEmpty()) throw new IllegalArgumentException();
  }
}
`,
      "src/shop/data/Store.java": `
package shop.data;

public class Store {
  public void save(String name) {
    Log.save(name); // @calls Log.save src/shop/data/Log.java
  }
}
`,
      "src/shop/data/Log.java": `
package shop.data;

class Log {
  static void save(String name) {}
}
`,
      "src/shop/text/Texts.java": `
package shop.text;

public class Texts {
  public static String clean(String name) {
    return name.trim();
  }
}
`,
      "src/shop/Main.java": `
package shop;

import shop.data.Store;

class Main {
  public static void main(String[] args) {
    Cart cart = new Cart(new Store()); // @calls Cart src/shop/Cart.java, Store src/shop/data/Store.java
    cart.add("tea"); // @calls Cart.add src/shop/Cart.java
    java.util.List<String> list = new java.util.ArrayList<>();
    list.add("tea");
  }
}
`,
    },
  },
  {
    language: "C",
    files: {
      "src/list.h": `
#ifndef LIST_H
#define LIST_H
struct list { int size; };
void list_add(struct list *list, int value);
int list_size(const struct list *list);
#endif
`,
      "src/list.c": `
#include "list.h"

static void grow(struct list *list) { list->size++; }

void list_add(struct list *list, int value) {
  grow(list); // @calls grow src/list.c
}

int list_size(const struct list *list) { return list->size; }
`,
      "src/main.c": `
#include <stdio.h>
#include "list.h"

#define SQUARE(x) ((x) * (x))

static int grow(int value) { return SQUARE(value); } // @calls SQUARE src/main.c

static void each(void (*work)(int)) { work(1); }

int main(void) {
  struct list list = {0};
  list_add(&list, grow(1)); // @calls list_add src/list.c, grow src/main.c
  each((void (*)(int))grow); // @calls each src/main.c
  printf("%d", list_size(&list)); // @calls list_size src/list.c
  return 0;
}
`,
    },
  },
  {
    language: "C++",
    files: {
      "src/store.h": `
#pragma once
#include <string>
namespace shop {
class Store {
 public:
  void save(const std::string &name);
 private:
  void flush();
};
class Log {
 public:
  void save(const std::string &name) {}
};
std::string clean(const std::string &name);
}
`,
      "src/store.cpp": `
#include "store.h"
namespace shop {
void Store::save(const std::string &name) {
  flush(); // @calls Store.flush src/store.cpp
}
void Store::flush() {}
std::string clean(const std::string &name) { return name; }
}
`,
      "src/main.cpp": `
#include "store.h"
#include <memory>
#include <vector>
int main() {
  shop::Store store;
  store.save(shop::clean("tea")); // @calls Store.save src/store.cpp, clean src/store.cpp
  auto log = std::make_unique<shop::Log>();
  log->save("tea"); // @calls Log.save src/store.h
  auto other = new shop::Store(); // @calls Store src/store.h
  other->save("tea"); // @calls Store.save src/store.cpp
  std::vector<int> numbers;
  numbers.push_back(1);
}
`,
    },
  },
  {
    language: "Rust",
    files: {
      "Cargo.toml": `
[package]
name = "shop"
`,
      "src/main.rs": `
mod store;
mod text;
use crate::store::{Log, Store};

macro_rules! twice {
    ($x:expr) => { $x * 2 };
}

fn main() {
    let mut store = Store::new(); // @calls Store.new src/store.rs
    store.save(&text::clean("tea")); // @calls Store.save src/store.rs, clean src/text.rs
    let log = Log {};
    log.save("tea"); // @calls Log.save src/store.rs
    println!("{}", size(twice!(1))); // @calls size src/main.rs
    let names: Vec<String> = Vec::new();
    run(report); // @calls run src/main.rs
}

fn size(value: i32) -> i32 {
    value
}

fn run(work: fn()) {
    work();
}

fn report() {
    crate::text::shout(); // @calls shout src/text.rs
}
`,
      "src/store.rs": `
pub struct Store {
    names: Vec<String>,
}

impl Store {
    pub fn new() -> Self {
        Store { names: Vec::new() }
    }

    pub fn save(&mut self, name: &str) {
        self.names.push(name.to_string());
        self.flush(); // @calls Store.flush src/store.rs
    }

    fn flush(&self) {}
}

pub struct Log {}

impl Log {
    pub fn save(&self, _name: &str) {}
}
`,
      "src/text.rs": `
pub fn clean(name: &str) -> String {
    name.trim().to_string()
}

pub fn shout() {}
`,
    },
  },
  {
    language: "Ruby",
    files: {
      "lib/store.rb": `
class Store
  def initialize(path)
    @path = path
  end

  def save(name)
    open_file # @calls Store.open_file lib/store.rb
    flush_all(name) # @calls Store.flush_all lib/store.rb
  end

  def open_file
  end

  def flush_all(name)
  end
end

class Journal
  def save(name)
  end
end
`,
      "lib/text.rb": `
module Text
  def self.clean(name)
    name.strip
  end
end
`,
      "main.rb": `
require_relative "lib/store"
require_relative "lib/text"

def main
  store = Store.new("a") # @calls Store lib/store.rb
  store.save(Text.clean("tea")) # @calls Store.save lib/store.rb, clean lib/text.rb
  journal = Journal.new # @calls Journal lib/store.rb
  journal.save("tea") # @calls Journal.save lib/store.rb
  [1].each(&method(:report))
end

def report(value)
  puts value
end

main # @calls main main.rb
`,
    },
  },
  {
    language: "C#",
    files: {
      "Shop/Data/Store.cs": `
namespace Shop.Data
{
    public class Store
    {
        public void Save(string name)
        {
            Flush(); // @calls Store.Flush Shop/Data/Store.cs
        }

        private void Flush() { }
    }

    public class Log
    {
        public static void Save(string name) { }
    }
}
`,
      "Shop/Text.cs": `
namespace Shop
{
    public static class Text
    {
        public static string Clean(string name) => name.Trim();
    }
}
`,
      "Shop/Cart.cs": `
using Shop.Data;

namespace Shop
{
    public class Cart : Base
    {
        private readonly Store _store;

        public Cart(Store store)
        {
            _store = store;
        }

        public void Add(string name)
        {
            Check(name); // @calls Base.Check Shop/Base.cs
            _store.Save(Text.Clean(name)); // @calls Store.Save Shop/Data/Store.cs, Text.Clean Shop/Text.cs
            Log.Save(name); // @calls Log.Save Shop/Data/Store.cs
        }
    }
}
`,
      "Shop/Base.cs": `
namespace Shop
{
    public class Base
    {
        protected void Check(string name) { }
    }
}
`,
      "Shop/Program.cs": `
using System.Collections.Generic;
using Shop.Data;

namespace Shop
{
    class Program
    {
        static void Main()
        {
            var cart = new Cart(new Store()); // @calls Cart Shop/Cart.cs, Store Shop/Data/Store.cs
            cart.Add("tea"); // @calls Cart.Add Shop/Cart.cs
            var list = new List<string>();
            list.Add("tea");
        }
    }
}
`,
    },
  },
];
