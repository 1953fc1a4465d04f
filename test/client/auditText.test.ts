import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AuditFormat,
  csv,
  formatLocalTime,
  json,
  matchesFilter,
  parseLocalTime,
} from "#client/organization/auditText";
import { tablePage } from "#client/organization/tablePage";
import type { AuditRecord } from "#contract/organization";

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

test("a filter matches if all of its words occur, ignoring case", () => {
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
    assert.equal(matchesFilter(texts, filter), expected, filter);
});

function fileOf(records: readonly AuditRecord[], { start, separator, end, textOf }: AuditFormat): string {
  return `${start}${records.map(textOf).join(separator)}${end}`;
}

test("CSV quotes its fields and contains no formulas", () => {
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

test("JSON is an array with one record per line", () => {
  for (const records of [[], [record], [record, { ...record, id: "r2", metadata: null }]]) {
    const text = fileOf(records, json);
    assert.deepEqual(JSON.parse(text), records);
    assert.equal(text.split("\n").length, records.length + 3);
  }
});

test("times of input fields are local, to the minute", () => {
  const time = new Date(2026, 10, 22, 6, 5).getTime();
  assert.equal(formatLocalTime(time + 59_999), "2026-11-22T06:05");
  assert.equal(parseLocalTime("2026-11-22T06:05"), time);
  for (const wrong of ["", "yesterday", "2026-11-22", "2026-13-40T99:99"])
    assert.equal(parseLocalTime(wrong), undefined);
});

test("a page runs its one script and nothing else, whatever its title", () => {
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
