import assert from "node:assert/strict";
import { test } from "node:test";
import { isFound, toCsv } from "#client/organisation/auditText";
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

test("a filter looks at action, actor and target, for all of its words, in any case", () => {
  const rows: Record<string, boolean> = {
    "": true,
    "  ": true,
    fetched: true,
    "FETCHED k1": true,
    "k1 c.txt": true,
    "api_key file": true,
    "fetched k2": false,
    bot: false,
    "1.2.3": false,
  };
  for (const [filter, expected] of Object.entries(rows))
    assert.equal(isFound(record, filter), expected, filter);
});

test("a table that spreadsheets read, and in which nothing is run", () => {
  const head = "timestamp,action,actorType,actorId,targetType,targetId,metadata,serviceVersion,orgId,id\r\n";
  assert.equal(toCsv([]), head);
  assert.equal(
    toCsv([record]),
    `${head}2026-11-22T06:00:00.000Z,user.fetched_file_source,api_key,k1,file,"host/r/-/a ""b"", c.txt","{""source"":""bot""}",1.2.3,1,r1\r\n`,
  );
  for (const first of ["=", "+", "-", "@", "\t"]) {
    const [, line = ""] = toCsv([{ ...record, targetId: `${first}cmd|' /C calc'!A0`, metadata: null }]).split(
      "\r\n",
    );
    assert(line.includes(`,'${first}cmd`), line);
  }
});

test("a page holds what it is given as text, and runs nothing but our commands", () => {
  const hostile = `<img src=x onerror="alert(1)">&'`;
  const html = tablePage({
    language: "en",
    title: hostile,
    style: "https://host/table.css",
    styleSource: "https://host",
    actions: [{ text: hostile, command: "org.audit" }],
    notes: [hostile],
    head: [hostile],
    rows: [
      [
        hostile,
        { text: "go", command: "org.removeMember", argument: hostile },
        { summary: hostile, details: hostile },
      ],
    ],
    foot: hostile,
  });
  assert(!html.includes("<img"));
  assert(!html.includes('onerror="'));
  assert.match(html, /content="default-src &#39;none&#39;; style-src https:\/\/host"/);
  const targets = [...html.matchAll(/href="(command:[^"]*)"/g)].map(([, href = ""]) => href);
  assert.deepEqual(targets, [
    "command:trawl.org.audit",
    `command:trawl.org.removeMember?${encodeURIComponent(JSON.stringify([hostile])).replaceAll("'", "&#39;")}`,
  ]);
});
