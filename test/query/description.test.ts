import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDescription, stemOf, wordsOf } from "#query/description";

test("forms of a word have the same stem", () => {
  const families = [
    "register registers registered registering",
    "configure configures configured configuration configurations",
    "cache caches cached caching",
    "query queries",
    "map maps mapped mapping",
    "iterate iterator iterators iterating",
    "allocate allocation allocator allocators",
  ];
  for (const family of families)
    assert.equal(
      new Set(family.split(" ").map(stemOf)).size,
      1,
      `${family}: ${family.split(" ").map(stemOf)}`,
    );
});

test("different words have different stems", () => {
  for (const [one = "", other = ""] of [
    ["file", "fill"],
    ["user", "use"],
    ["string", "stray"],
    ["process", "proceed"],
    ["signal", "sign"],
  ])
    assert.notEqual(stemOf(one), stemOf(other), `${one} ${other}`);
});

test("a word starts with its stem", () => {
  const words =
    "flies ties class process bus status gas io a zzz classes boxes übersetzungen 日本語 v2 stopped";
  for (const word of words.split(" ")) assert.ok(word.startsWith(stemOf(word)), word);
});

test("identifiers consist of words", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["parseJSONFile_v2", ["parse", "JSON", "File", "v", "2"]],
    ["HTTP_STATUS", ["HTTP", "STATUS"]],
    ["kebab-case", ["kebab", "case"]],
    ["x509Cert", ["x", "509", "Cert"]],
    ["naïveÜbung", ["naïve", "Übung"]],
    ["日本語", ["日本語"]],
    ["__", []],
  ];
  for (const [identifier, words] of rows) assert.deepEqual(wordsOf(identifier), words, identifier);
});

test("a description consists of stems, without function words", () => {
  const stems = (text: string) => parseDescription(text)?.stems;
  assert.deepEqual(stems("how are the routes registered?"), ["rout", "regist"]);
  assert.deepEqual(stems("route routes routing"), ["rout"]);
  assert.deepEqual(stems("parseConfigFile"), ["pars", "config", "fil"]);
  assert.deepEqual(stems("what is it"), ["what", "is", "it"]);
  assert.deepEqual(stems("x"), ["x"]);
  assert.deepEqual(stems("a g in app"), ["app"]);
  assert.deepEqual(stems("Größe, café and naïve"), ["Größe", "café", "naïve"]);
  for (const empty of ["", " ", "?!", "__", "$"]) assert.equal(stems(empty), undefined);
});

test("a description has few stems, however long it is", () => {
  const text = Array.from({ length: 5000 }, (_, at) => `w${at}`).join(" ");
  assert.ok((parseDescription(text)?.stems.length ?? 0) <= 32);
});

test("names in a description are recognized", () => {
  const names = (text: string) => parseDescription(text)?.names;
  assert.deepEqual(names("how does SessionInterface use max_age"), ["SessionInterface", "max_age"]);
  assert.deepEqual(names("registration of a Blueprint"), ["Blueprint"]);
  assert.deepEqual(names("Find the parser"), []);
  assert.deepEqual(names("sessions"), ["sessions"]);
  assert.deepEqual(names("session handling"), []);
});
