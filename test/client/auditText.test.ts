import assert from "node:assert/strict";
import { test } from "node:test";
import { type AuditFormat, csv, fieldOf, isFound, json, timeOf } from "#client/organisation/auditText";
import { tablePage } from "#client/organisation/tablePage";
import type { AuditRecord } from "#contract/organisation";

const record: AuditRecord = {
  id: "r1",
  timestamp: "2026-11-22T06:00:00.000Z",
  action: "user.fetched_file_source",
  actorId: "k1",
  actorType: "api_key",
  targetId: 'host/r/-/a "b", c.txt',
  targetType: "file",
  serviceVersion: "1.2.3",
  metadata: { source: "bot" },
  orgId: 1,
};

test("a filter looks for all of its words, in any case, wherever they stand", () => {
  const texts = [record.action, "ci export", "api_key k1", record.targetId, `file ${record.targetId}`];
  const rows: Record<string, boolean> = {
    "": true,
    "  ": true,
    fetched: true,
    "FETCHED k1": true,
    "k1 c.txt": true,
    "api_key file": true,
    "EXPORT fetched": true,
    "fetched k2": false,
    bot: false,
    "1.2.3": false,
  };
  for (const [filter, expected] of Object.entries(rows))
    assert.equal(isFound(texts, filter), expected, filter);
});

function fileOf(records: readonly AuditRecord[], { start, between, end, textOf }: AuditFormat): string {
  return `${start}${records.map(textOf).join(between)}${end}`;
}

test("a table that spreadsheets read, and in which nothing is run", () => {
  const head = "timestamp,action,actorType,actorId,targetType,targetId,metadata,serviceVersion,orgId,id\r\n";
  assert.equal(fileOf([], csv), head);
  assert.equal(
    fileOf([record], csv),
    `${head}2026-11-22T06:00:00.000Z,user.fetched_file_source,api_key,k1,file,"host/r/-/a ""b"", c.txt","{""source"":""bot""}",1.2.3,1,r1\r\n`,
  );
  for (const first of ["=", "+", "-", "@", "\t"]) {
    const hostile = { ...record, targetId: `${first}cmd|' /C calc'!A0`, metadata: null };
    const [, line = ""] = fileOf([hostile], csv).split("\r\n");
    assert(line.includes(`,'${first}cmd`), line);
  }
});

test("an array that programs read, a record a line", () => {
  for (const records of [[], [record], [record, { ...record, id: "r2", metadata: null }]]) {
    const text = fileOf(records, json);
    assert.deepEqual(JSON.parse(text), records);
    assert.equal(text.split("\n").length, records.length + 3);
  }
});

test("times of fields are those of the person's zone, to the minute", () => {
  const time = new Date(2026, 10, 22, 6, 5).getTime();
  assert.equal(fieldOf(time + 59_999), "2026-11-22T06:05");
  assert.equal(timeOf("2026-11-22T06:05"), time);
  for (const wrong of ["", "yesterday", "2026-11-22", "2026-13-40T99:99"])
    assert.equal(timeOf(wrong), undefined);
});

test("a page runs one script and nothing else, whatever it is called", () => {
  const hostile = `<img src=x onerror="alert(1)">&'`;
  const html = tablePage({
    language: "en",
    title: hostile,
    style: "https://host/table.css",
    styleSource: "https://host",
    script: "https://host/table.js",
    nonce: "n0",
  });
  assert(!html.includes("<img"));
  assert(!html.includes('onerror="'));
  const policy = "default-src 'none'; style-src https://host; script-src 'nonce-n0'";
  assert(html.includes(`content="${policy.replaceAll("'", "&#39;")}"`), html);
  assert.deepEqual(html.match(/<script[^>]*>/g), ['<script nonce="n0" src="https://host/table.js">']);
});
