/** The fakes of hosts that cannot run here agree with the vendors' descriptions, and adapters ask only for what these have. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Adapter } from "#hosts/adapter";
import { createAzureDevOps } from "#hosts/azureDevOps";
import { createBitbucketCloud } from "#hosts/bitbucketCloud";
import { createBitbucketServer } from "#hosts/bitbucketServer";
import { createGitlab } from "#hosts/gitlab";
import { parseConnections } from "#hosts/parseConnections";
import { type Description, disagreements } from "./compareApi";
import { checkAnswer, checkRequest, tracked } from "./describedApi";
import { dialectOf } from "./dialects";
import { FakeHost, type FakeRepository } from "./fakeHost";
import { type HostApi, hostApis } from "./hostApis";
import { never, withFake } from "./openFake";

/** Everything that connections can include. */
const everything: Readonly<Record<string, object>> = {
  gitlab: { all: true, groups: ["acme"], users: ["octocat"], repos: ["acme/repo-0001"] },
  bitbucketServer: { all: true, projects: ["acme"], repos: ["acme/repo-0001"] },
  bitbucketCloud: { workspaces: ["acme"], projects: ["acme/KEY"], repos: ["acme/repo-0001"] },
  azuredevops: { orgs: ["acme"], projects: ["acme/Team A"], repos: ["acme/Team A/repo-0001"] },
};

const origin = "https://host.example.com";

/** A list, a single repository, and readers. */
const paths: Readonly<Record<string, readonly string[]>> = {
  gitlab: ["/api/v4/groups/acme/projects", "/api/v4/projects/2", "/api/v4/projects/1/members/all"],
  bitbucketServer: [
    "/rest/api/latest/repos",
    "/rest/api/latest/projects/acme/repos/repo-0002",
    "/rest/api/latest/users?permission.1=LICENSED_USER&permission.2=REPO_READ&permission.2.repositoryId=1",
  ],
  bitbucketCloud: ["/2.0/repositories/acme", "/2.0/repositories/acme/repo-0002"],
  azuredevops: ["/acme/_apis/git/repositories", "/acme/Team%20A/_apis/git/repositories/repo-0002"],
};

function adapterOf(type: string): Adapter {
  const { work } = parseConnections({ work: dialectOf(type).settings(origin) });
  switch (work?.type) {
    case "gitlab":
      return createGitlab(work);
    case "bitbucketServer":
      return createBitbucketServer(work);
    case "bitbucketCloud":
      return createBitbucketCloud(work);
    case "azuredevops":
      return createAzureDevOps(work);
    default:
      throw new Error(`No adapter for ${type}`);
  }
}

const repositories = (): FakeRepository[] => [
  { id: 1, path: "acme/repo-0001", readers: ["ada"], guests: ["bob"], topics: ["search"] },
  { id: 2, path: "acme/repo-0002", isFork: true, isArchived: true, isDisabled: true, isEmpty: true },
  { id: 3, path: "acme/repo-0003", isPrivate: true },
];

for (const [type, api] of Object.entries(hostApis)) {
  test(`${type}: the adapter uses every operation of the table, and no other`, async () => {
    const options = { token: "right", settings: { include: everything[type] }, repositories: repositories() };
    await withFake(dialectOf(type), options, async (fake, host) => {
      fake.pageLimit = 2;
      assert.ok(!("message" in (await host.identify(never))));
      for await (const { scope, outcome, repositories: listed } of host.list(never)) {
        assert.equal(outcome, "complete", scope);
        const [first] = listed;
        assert.ok(first, scope);
        assert.equal((await host.lookUp(first, never)).kind, "present");
        await host.readers(first, ["ada"], never);
      }
      assert.deepEqual([...fake.operations].sort(), Object.keys(api.operations).sort());
    });
  });

  test(`${type}: the adapter reads only fields of the table`, () => {
    const dialect = dialectOf(type);
    const adapter = adapterOf(type);
    const undescribed = new Set<string>();
    let count = 0;
    for (const path of paths[type] ?? []) {
      const url = new URL(path, origin);
      const request = { repositories: repositories(), isSignedIn: true, pageLimit: 2, renamed: new Map() };
      const answer = dialect.respond({ url, query: url.searchParams, ...request });
      assert.ok(answer, path);
      const { response } = api.operations[checkRequest(api, url)] ?? { response: "" };
      const body = tracked(api, response, answer.body, (field) => undescribed.add(field));
      const received = { url: url.href, headers: {}, body };
      if (/^(Member\[\]|UserPage)$/.test(response))
        count += adapter.readers?.kind === "list" ? adapter.readers.page(received).logins.length : 0;
      else if (/\[\]$|Page$|List$/.test(response))
        for (const item of adapter.page(received).items) count += adapter.repository(item, url.href) ? 1 : 0;
      else count += adapter.repository(body, url.href) ? 1 : 0;
    }
    assert.ok(count > 2);
    assert.deepEqual([...undescribed], []);
  });

  test(`${type}: what the host says about an error is shown, in the form that it has there`, async () => {
    const options = { token: "right", settings: { include: everything[type] } };
    await withFake(dialectOf(type), options, async (fake, host) => {
      const body = fake.dialect.error?.("Your plan has ended.");
      const { status = 0, headers = {} } = fake.dialect.limited ?? {};
      for (const path of Object.keys(api.operations)) {
        checkAnswer(api, path, { status: 403, body });
        checkAnswer(api, path, { status, headers, body });
      }
      fake.faults.push({ kind: "answer", status: 403, body: JSON.stringify(body) });
      const problem = await host.identify(never);
      assert.match("message" in problem ? problem.message : "", /Your plan has ended/);
    });
  });

  test(`${type}: the table agrees with the vendor's description`, (t) => {
    const folder = process.env["HOST_DESCRIPTIONS"];
    const missing = api.files.filter((file) => folder === undefined || !existsSync(join(folder, file)));
    if (folder === undefined || missing.length > 0) {
      t.diagnostic(`Nothing was compared: HOST_DESCRIPTIONS names no folder with ${missing.join(" and ")}.`);
      return;
    }
    const descriptions = api.files.map((file): Description => {
      return JSON.parse(readFileSync(join(folder, file), "utf8").replace(/^\uFEFF/, ""));
    });
    assert.deepEqual(disagreements(api, descriptions), []);
  });
}

const thing: HostApi = {
  source: "a small API",
  files: [],
  base: { served: "/api", described: "/v1" },
  operations: {
    "/things[/{kind}]": {
      query: { limit: "integer", sort: "'name' | 'age'" },
      response: "Things",
      statuses: [200, 404],
    },
  },
  schemas: {
    Things: { describedAs: [], fields: { values: "Thing[]", "next?": "string" } },
    Thing: { describedAs: ["Item"], fields: { id: "uuid", "owner?": "Owner | null", tags: "string[]" } },
    Owner: { describedAs: ["Owner"], fields: { name: "string" } },
    Failure: { describedAs: [], fields: { message: "string" } },
  },
  statuses: [429],
  error: "Failure",
  headers: { "retry-after?": "integer" },
  differences: {},
};

const id = "00000000-0000-4000-8000-000000000001";
const item = { id, owner: { name: "ada" }, tags: ["new"] };

test("requests and responses that are not described fail", () => {
  const ask = (path: string) => () => checkRequest(thing, new URL(path, "http://host"));
  assert.equal(ask("/api/things")(), "/things[/{kind}]");
  assert.equal(ask("/api/things/round?limit=5&sort=age")(), "/things[/{kind}]");
  for (const path of [
    "/things",
    "/api/things/round/red",
    "/api/things?page=2",
    "/api/things?limit=many",
    "/api/things?sort=size",
  ])
    assert.throws(ask(path), assert.AssertionError, path);

  const answer = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}) => {
    return () => checkAnswer(thing, "/things[/{kind}]", { body, status, headers });
  };
  answer({ values: [item, { id, owner: null, tags: [] }], next: "/2" })();
  answer({ message: "Gone" }, 404)();
  answer({ message: "Wait" }, 429, { "retry-after": "5" })();
  const { tags, ...untagged } = item;
  for (const wrong of [
    answer([]),
    answer({ values: [untagged] }),
    answer({ values: [{ ...item, id: 1 }] }),
    answer({ values: [{ ...item, id: "1" }] }),
    answer({ values: [{ ...item, tags: [...tags, null] }] }),
    answer({ values: [{ ...item, owner: { name: 5 } }] }),
    answer({ values: [{ ...item, color: "red" }] }),
    answer({ values: {} }),
    answer({ values: [], next: null }),
    answer({ values: [] }, 200, { link: "<2>" }),
    answer({ values: [] }, 200, { "retry-after": "soon" }),
    answer({ error: "Gone" }, 404),
    answer({ message: "Gone" }, 410),
  ])
    assert.throws(wrong, assert.AssertionError);
});

test("reading a field that is not described is noticed", () => {
  const read: string[] = [];
  const body = tracked(thing, "Things", { values: [item] }, (field) => read.push(field)) as {
    readonly values: readonly { readonly owner: { readonly email?: string }; readonly color?: string }[];
  };
  const [first] = body.values;
  assert.deepEqual([first?.color, first?.owner.email], [undefined, undefined]);
  assert.deepEqual(read, ["Thing.color", "Owner.email"]);
});

test("a fake that responds something else fails the test that uses it", async () => {
  const gitlab = dialectOf("gitlab");
  const respond = () => ({ body: { id: 1 } });
  const fake = await new FakeHost({ ...gitlab, respond }, []).start();
  await assert.rejects(fetch(`${fake.url}/api/v4/user`));
  await assert.rejects(fake.close(), /GET \/user with status 200: body lacks username/);
});

test("descriptions are compared with the table", () => {
  const description = JSON.stringify({
    paths: {
      "/v1/things/{kind}": {
        parameters: [{ name: "kind", in: "path" }],
        get: {
          parameters: [
            { name: "limit", in: "query", schema: { type: "number" } },
            { name: "sort", in: "query", schema: { type: "string", enum: ["name", "age"] } },
          ],
          responses: {
            default: {},
            "200": {
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    properties: { values: { type: "array" }, next: { type: "string" } },
                  },
                },
              },
            },
            "404": {},
          },
        },
      },
    },
    components: {
      schemas: {
        Item: {
          allOf: [
            { type: "object", properties: { id: { type: "string" } } },
            {
              properties: {
                owner: { $ref: "#/components/schemas/Owner" },
                tags: { type: "array", items: { type: "string" } },
              },
            },
          ],
        },
        Owner: { type: "object", properties: { name: { oneOf: [{ type: "string" }, { type: "integer" }] } } },
      },
    },
  });
  const compare = (from: string, to: string, differences = {}) =>
    disagreements({ ...thing, differences }, [JSON.parse(description.replace(from, to)) as Description]);
  assert.deepEqual(compare("", ""), []);
  const path = "/things[/{kind}]";
  const rows: readonly [from: string, to: string, expected: string][] = [
    ["/v1/things/{kind}", "/v2/things", `${path} is not described`],
    ['"name":"limit"', '"name":"size"', `${path}?limit is not described`],
    ['"type":"number"', '"type":"boolean"', `${path}?limit is not described as integer`],
    ['"age"', '"size"', `${path}?sort is not described as 'name' | 'age'`],
    ['"404"', '"410"', `${path} statuses are described as 200, 410`],
    ['"next"', '"more"', "Things.next is not described"],
    ['"id":', '"key":', "Thing.id is not described"],
    ['"id":{"type":"string"}', '"id":{"type":"integer"}', "Thing.id is not described as uuid"],
    ['"tags":{"type":"array"', '"tags":{"type":"string"', "Thing.tags is not described as string[]"],
    ['[{"type":"string"},', "[", "Owner.name is not described as string"],
  ];
  for (const [from, to, expected] of rows) assert.deepEqual(compare(from, to), [expected], from);
  const known = { "Thing.id": "Recorded." };
  assert.deepEqual(compare('"id":', '"key":', known), []);
  assert.deepEqual(compare("", "", known), ["Thing.id is described like this, and no difference"]);
});
