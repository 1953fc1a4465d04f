import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostRepository } from "#hosts/codeHost";
import { parseConnections } from "#hosts/parseConnections";
import { selectRepositories } from "#hosts/selection";

function repository(path: string, fields: Partial<HostRepository> = {}): HostRepository {
  const flags = { isFork: false, isArchived: false, isDisabled: false };
  return { hostId: path, path, cloneUrl: `https://h/${path}`, visibility: "public", ...flags, ...fields };
}

const repositories = [
  repository("acme/api"),
  repository("acme/API-Client", { topics: ["search", "client"] }),
  repository("acme/legacy-site", { isArchived: true, visibility: "private" }),
  repository("acme/fork", { isFork: true, sizeBytes: 2000 }),
  repository("acme/mirror", { isMirror: true }),
  repository("acme/gone", { isDisabled: true }),
  repository("acme/sandbox-12", { isEmpty: true }),
];

const all = [
  "acme/api",
  "acme/API-Client",
  "acme/legacy-site",
  "acme/fork",
  "acme/mirror",
  "acme/gone",
  "acme/sandbox-12",
];

function select(settings: object, type = "github") {
  const base =
    type === "github" ? { include: { orgs: ["acme"] } } : { url: "https://h", include: { all: true } };
  const connection = parseConnections({ work: { type, ...base, ...settings } })["work"];
  assert.ok(connection);
  const { kept, excluded } = selectRepositories(connection, repositories);
  return {
    kept: kept.map(({ path }) => path),
    excluded: Object.fromEntries(excluded.map(({ repository: { path }, reason }) => [path, reason])),
  };
}

const cases: readonly [title: string, settings: object, excluded: Readonly<Record<string, string>>][] = [
  ["nothing but disabled repositories", {}, { "acme/gone": 'It is disabled ("exclude.disabled").' }],
  ["nothing", { exclude: { disabled: false } }, {}],
  [
    "archived repositories, forks and mirrors",
    { exclude: { disabled: false, archived: true, forks: true, mirrors: true } },
    {
      "acme/legacy-site": 'It is archived ("exclude.archived").',
      "acme/fork": 'It is a fork ("exclude.forks").',
      "acme/mirror": 'It is a mirror ("exclude.mirrors").',
    },
  ],
  [
    "names, by glob and by expression",
    { exclude: { disabled: false, names: ["**/legacy-*", "/sandbox-\\d+$/"] } },
    {
      "acme/legacy-site": 'Its name matches **/legacy-* in "exclude.names".',
      "acme/sandbox-12": 'Its name matches /sandbox-\\d+$/ in "exclude.names".',
    },
  ],
  [
    "large repositories",
    { exclude: { disabled: false, sizeBytes: 1000 } },
    { "acme/fork": 'It has 2000 bytes, more than 1000 ("exclude.sizeBytes").' },
  ],
  [
    "topics",
    { exclude: { disabled: false, topics: ["Cli*"] } },
    { "acme/API-Client": 'Its topic client is in "exclude.topics".' },
  ],
  [
    "all but private ones",
    { only: { visibility: ["private"] }, exclude: { disabled: false, names: all.slice(3), forks: true } },
    {
      "acme/api": 'It is public, which is not in "only.visibility".',
      "acme/API-Client": 'It is public, which is not in "only.visibility".',
      ...Object.fromEntries(
        all.slice(3).map((path) => [path, `Its name matches ${path} in "exclude.names".`]),
      ),
    },
  ],
];

for (const [title, settings, excluded] of cases) {
  test(`excludes ${title}, and says why`, () => {
    const selection = select(settings);
    assert.deepEqual(selection.excluded, excluded);
    assert.deepEqual(
      selection.kept,
      all.filter((path) => !(path in excluded)),
    );
  });
}

test("names ignore case where the host does", () => {
  assert.deepEqual(select({ only: { names: ["acme/api*"] } }).kept, ["acme/api", "acme/API-Client"]);
  assert.deepEqual(select({ only: { names: ["acme/api*"] } }, "gerrit").kept, ["acme/api"]);
  assert.deepEqual(select({ only: { names: ["/API/"] } }, "gerrit").kept, ["acme/API-Client"]);
});

test("repositories that are named are kept, unless they are disabled or too large", () => {
  const { kept, excluded } = select({
    include: { repos: ["acme/legacy-site", "acme/GONE", "acme/fork"] },
    only: { names: ["nothing/*"] },
    exclude: { archived: true, forks: true, sizeBytes: 1000 },
  });
  assert.deepEqual(kept, ["acme/legacy-site"]);
  assert.equal(excluded["acme/gone"], 'It is disabled ("exclude.disabled").');
  assert.match(excluded["acme/fork"] ?? "", /2000 bytes/);
});

test("an expression takes linear time, even for a name that is made to be slow", () => {
  const name = `acme/${"a".repeat(900)}!`;
  const connection = parseConnections({
    work: { type: "github", include: { orgs: ["acme"] }, exclude: { names: ["/^acme/(a+)+$/"] } },
  })["work"];
  assert.ok(connection);
  assert.equal(selectRepositories(connection, [repository(name)]).kept.length, 1);
});
