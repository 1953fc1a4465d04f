/**
 * What the vendors describe of the APIs of hosts that cannot run in tests, as far as an adapter or a fake uses it.
 * `describedApi.ts` checks every request to a fake and every response by this, and compares it with the descriptions
 * themselves.
 *
 * Types are written as in TypeScript: a key with `?` may be absent, and a name in capitals is one of `schemas`. `N` in the
 * name of a parameter is any number. Descriptions rarely say which fields are always there or may be `null`: that comes
 * from recorded responses.
 */
import type { Connection } from "#hosts/connection";

export type Fields = Readonly<Record<string, string>>;

export interface Operation {
  /** Query parameters, none of which is required. */
  readonly query: Fields;
  /** The type of the body of a response with status 200. */
  readonly response: string;
  /** Statuses that the description names for this operation. */
  readonly statuses: readonly number[];
}

export interface HostApi {
  /** Where this comes from, of which version, and when it was read. */
  readonly source: string;
  /** How the description is named in the folder `HOST_DESCRIPTIONS`: JSON of OpenAPI 2 or 3. */
  readonly files: readonly string[];
  /** What paths begin with, on the server and in the description. */
  readonly base: { readonly served: string; readonly described: string };
  /** By path. What is in brackets may be absent, although descriptions have only the whole path. */
  readonly operations: Readonly<Record<string, Operation>>;
  readonly schemas: Readonly<
    Record<string, { readonly describedAs: readonly string[]; readonly fields: Fields }>
  >;
  /** Statuses of every operation. */
  readonly statuses: readonly number[];
  /** The type of the body of every error. */
  readonly error: string;
  /** Response headers for pages, limits and accounts: the descriptions have none, but the vendors' other pages do. */
  readonly headers: Fields;
  /** Where this is not what the description says, by `path?parameter` or `Schema.field`, and why. */
  readonly differences: Readonly<Record<string, string>>;
}

const gitlabPages = { page: "integer", per_page: "integer" };
const gitlabProjects = {
  ...gitlabPages,
  order_by:
    "'id' | 'name' | 'path' | 'created_at' | 'updated_at' | 'last_activity_at' | 'similarity' | 'star_count'",
  sort: "'asc' | 'desc'",
  archived: "boolean",
  visibility: "'private' | 'internal' | 'public'",
  search: "string",
  topic: "string",
};

const gitlab: HostApi = {
  source:
    "doc/api/openapi/openapi_v3.yaml of gitlabhq/gitlabhq, GitLab 19.5; on pages and limits, the documentation beside it; on lists of groups, its lib/api/groups.rb and @gitbeaker/core 43.8.0; read 2026-11-27",
  files: ["gitlab.json"],
  base: { served: "/api/v4", described: "/api/v4" },
  operations: {
    "/projects": {
      query: {
        ...gitlabProjects,
        pagination: "'keyset'",
        membership: "boolean",
        id_after: "integer",
      },
      response: "Project[]",
      statuses: [200, 400],
    },
    "/groups/{id}/projects": {
      query: { ...gitlabProjects, include_subgroups: "boolean", with_shared: "boolean" },
      response: "Project[]",
      statuses: [200, 400, 404],
    },
    "/users/{user_id}/projects": { query: gitlabProjects, response: "Project[]", statuses: [200, 400, 404] },
    "/projects/{id}": { query: {}, response: "Project", statuses: [200, 400, 404] },
    "/projects/{id}/members/all": {
      query: { ...gitlabPages, state: "'awaiting' | 'active'" },
      response: "Member[]",
      statuses: [200, 400, 404],
    },
    "/user": { query: {}, response: "User", statuses: [200, 401, 403] },
  },
  schemas: {
    Project: {
      describedAs: ["APIEntitiesBasicProjectDetails", "APIEntitiesProjectsWithAccessAndCatalogSetting"],
      fields: {
        id: "integer",
        name: "string",
        path: "string",
        path_with_namespace: "string",
        default_branch: "string | null",
        topics: "string[]",
        http_url_to_repo: "string",
        web_url: "string",
        star_count: "integer",
        created_at: "string",
        last_activity_at: "string",
        // Without credentials, these are absent.
        "visibility?": "'private' | 'internal' | 'public'",
        "archived?": "boolean",
        "empty_repo?": "boolean",
        "repository_access_level?": "'disabled' | 'private' | 'enabled'",
        "mirror?": "boolean",
        "forked_from_project?": "object",
        "marked_for_deletion_at?": "string | null",
        "marked_for_deletion_on?": "string | null",
      },
    },
    Member: {
      describedAs: ["APIEntitiesMember"],
      fields: {
        id: "integer",
        username: "string",
        name: "string",
        state: "string",
        locked: "boolean",
        web_url: "string",
        access_level: "integer",
        created_at: "string",
        expires_at: "string | null",
        // Only editions with seats have it: members wait for one.
        "membership_state?": "'active' | 'awaiting'",
      },
    },
    User: {
      describedAs: ["APIEntitiesUserPublic"],
      fields: { id: "integer", username: "string", name: "string", state: "string", web_url: "string" },
    },
    Failure: {
      describedAs: [],
      fields: { "message?": "string", "error?": "string", "error_description?": "string" },
    },
  },
  statuses: [301, 401, 403, 405, 429, 500, 502, 503],
  error: "Failure",
  headers: {
    "link?": "string",
    "location?": "string",
    // The totals are absent for more than 10,000 items and with keyset pagination.
    "x-total?": "integer",
    "x-total-pages?": "integer",
    "x-page?": "integer",
    "x-per-page?": "integer",
    "x-next-page?": "string",
    "x-prev-page?": "string",
    "ratelimit-limit?": "integer",
    "ratelimit-name?": "string",
    "ratelimit-observed?": "integer",
    "ratelimit-remaining?": "integer",
    "ratelimit-reset?": "integer",
    "ratelimit-resettime?": "string",
    "retry-after?": "integer",
  },
  differences: {
    "/projects?pagination": "The page about pagination has it.",
    "Project.mirror": "Described as a string; the examples in the documentation have a boolean.",
    "Member.access_level": "Described as a string; the examples in the documentation have an integer.",
  },
};

const dataCenterPages = { start: "number", limit: "number" };
const dataCenterPage = (item: string): Fields => ({
  size: "number",
  limit: "number",
  start: "integer",
  isLastPage: "boolean",
  values: `${item}[]`,
  "nextPageStart?": "integer | null",
});

const bitbucketServer: HostApi = {
  source:
    "Atlassian's swagger.v3.json of Bitbucket Data Center 9.2, as in src/server/openapi of coderabbitai/bitbucket (2026-06-22), read 2026-11-27",
  files: ["bitbucketServer.json"],
  base: { served: "/rest/api/latest", described: "/api/latest" },
  operations: {
    "/projects": { query: dataCenterPages, response: "ProjectPage", statuses: [200, 400] },
    "/repos": {
      query: {
        ...dataCenterPages,
        archived: "'ACTIVE' | 'ARCHIVED' | 'ALL'",
        visibility: "'public' | 'private'",
      },
      response: "RepositoryPage",
      statuses: [200, 400],
    },
    "/projects/{projectKey}/repos": {
      query: dataCenterPages,
      response: "RepositoryPage",
      statuses: [200, 401, 404],
    },
    "/projects/{projectKey}/repos/{repositorySlug}": {
      query: {},
      response: "Repository",
      statuses: [200, 401, 404],
    },
    "/users": {
      query: {
        ...dataCenterPages,
        "permission.N": "string",
        "permission.N.repositoryId": "integer",
      },
      response: "UserPage",
      statuses: [200, 400, 401],
    },
  },
  schemas: {
    ProjectPage: { describedAs: [], fields: dataCenterPage("Project") },
    RepositoryPage: { describedAs: [], fields: dataCenterPage("Repository") },
    UserPage: { describedAs: [], fields: dataCenterPage("User") },
    Project: {
      describedAs: ["RestProject"],
      fields: {
        id: "integer",
        key: "string",
        name: "string",
        public: "boolean",
        type: "'NORMAL' | 'PERSONAL'",
      },
    },
    Repository: {
      describedAs: ["RestRepository"],
      fields: {
        id: "integer",
        slug: "string",
        name: "string",
        hierarchyId: "string",
        scmId: "string",
        state: "'AVAILABLE' | 'INITIALISATION_FAILED' | 'INITIALISING' | 'OFFLINE'",
        statusMessage: "string",
        forkable: "boolean",
        project: "Project",
        public: "boolean",
        // Since 8.0.
        "archived?": "boolean",
        "origin?": "Repository",
      },
    },
    User: {
      describedAs: ["RestApplicationUser"],
      fields: {
        id: "integer",
        name: "string",
        slug: "string",
        displayName: "string",
        active: "boolean",
        type: "'NORMAL' | 'SERVICE'",
        "emailAddress?": "string",
      },
    },
    Failure: { describedAs: ["RestErrors"], fields: { errors: "Message[]" } },
    Message: {
      describedAs: ["RestErrorMessage"],
      fields: { context: "string | null", message: "string", exceptionName: "string | null" },
    },
  },
  statuses: [401, 403, 409, 429, 500, 503],
  error: "Failure",
  headers: { "x-ausername?": "string", "retry-after?": "integer" },
  differences: {
    "/users?start": "Its text speaks of a page, although its response is described as one user.",
    "/users?limit": "Its text speaks of a page, although its response is described as one user.",
    UserPage: "Its text speaks of a page, although its response is described as one user.",
    "/users?permission.N.repositoryId":
      "Its text calls the ID of the repository projectId; Bitbucket's own pages send repositoryId.",
  },
};

const bitbucketCloud: HostApi = {
  source:
    "Atlassian's swagger.v3.json of Bitbucket Cloud, as in src/cloud/openapi of coderabbitai/bitbucket (2026-06-22), read 2026-11-27",
  files: ["bitbucketCloud.json"],
  base: { served: "/2.0", described: "" },
  operations: {
    "/repositories/{workspace}": {
      query: { q: "string", sort: "string", role: "string", page: "integer", pagelen: "integer" },
      response: "RepositoryPage",
      statuses: [200, 404, 410],
    },
    "/repositories/{workspace}/{repo_slug}": { query: {}, response: "Repository", statuses: [200, 403, 404] },
  },
  schemas: {
    RepositoryPage: {
      describedAs: ["paginated_repositories"],
      fields: {
        pagelen: "integer",
        values: "Repository[]",
        page: "integer",
        "size?": "integer",
        "next?": "string",
        "previous?": "string",
      },
    },
    Repository: {
      describedAs: ["repository"],
      fields: {
        type: "'repository'",
        uuid: "string",
        full_name: "string",
        name: "string",
        is_private: "boolean",
        scm: "'git'",
        description: "string",
        created_on: "string",
        updated_on: "string",
        size: "integer",
        language: "string",
        mainbranch: "Branch | null",
        "parent?": "object | null",
      },
    },
    Branch: { describedAs: ["branch"], fields: { type: "string", name: "string" } },
    Failure: { describedAs: ["error"], fields: { type: "'error'", error: "Message" } },
    Message: { describedAs: [], fields: { message: "string", "detail?": "string", "data?": "object" } },
  },
  statuses: [401, 403, 429, 500, 503],
  error: "Failure",
  headers: {
    "x-oauth-scopes?": "string",
    // Only for access tokens of workspaces with a larger limit.
    "x-ratelimit-limit?": "integer",
    "x-ratelimit-resource?": "string",
    "x-ratelimit-nearlimit?": "string",
    "retry-after?": "integer",
  },
  differences: {
    "/repositories/{workspace}?page": "The schema of every list has it.",
    "/repositories/{workspace}?pagelen": "The schema of every list has it.",
  },
};

const azureVersion = { "api-version": "'5.0' | '7.1'" };

const azuredevops: HostApi = {
  source:
    "specification/git/7.1/git.json and core/7.1/core.json of MicrosoftDocs/vsts-rest-api-specs (2026-05-12), read 2026-11-27",
  files: ["azuredevops-git.json", "azuredevops-core.json"],
  base: { served: "", described: "" },
  operations: {
    "/{organization}[/{project}]/_apis/git/repositories": {
      query: { ...azureVersion, continuationToken: "string" },
      response: "RepositoryList",
      statuses: [200],
    },
    "/{organization}[/{project}]/_apis/git/repositories/{repositoryId}": {
      query: azureVersion,
      response: "Repository",
      statuses: [200],
    },
    "/{organization}/_apis/projects": {
      query: { ...azureVersion, $top: "integer", $skip: "integer", continuationToken: "integer" },
      response: "ProjectList",
      statuses: [200],
    },
  },
  schemas: {
    RepositoryList: { describedAs: [], fields: { value: "Repository[]", count: "integer" } },
    ProjectList: { describedAs: [], fields: { value: "Project[]", count: "integer" } },
    Project: {
      describedAs: ["TeamProjectReference"],
      fields: {
        id: "uuid",
        name: "string",
        url: "string",
        state: "'deleting' | 'new' | 'wellFormed' | 'createPending' | 'all' | 'unchanged' | 'deleted'",
        revision: "integer",
        visibility: "'private' | 'public'",
        lastUpdateTime: "string",
      },
    },
    Repository: {
      describedAs: ["GitRepository"],
      fields: {
        id: "uuid",
        name: "string",
        url: "string",
        project: "Project",
        // Absent if the repository is empty.
        "defaultBranch?": "string",
        size: "integer",
        remoteUrl: "string",
        sshUrl: "string",
        // Not in version 5.0.
        "webUrl?": "string",
        "isDisabled?": "boolean",
        "isInMaintenance?": "boolean",
        "isFork?": "boolean",
      },
    },
    Failure: {
      describedAs: [],
      fields: {
        $id: "string",
        innerException: "object | null",
        message: "string",
        typeName: "string",
        typeKey: "string",
        errorCode: "integer",
        eventId: "integer",
      },
    },
  },
  statuses: [203, 302, 400, 401, 403, 404, 410, 429, 500, 503],
  error: "Failure",
  headers: {
    "x-ms-continuationtoken?": "string",
    "x-ratelimit-resource?": "string",
    "x-ratelimit-delay?": "number",
    "x-ratelimit-limit?": "integer",
    "x-ratelimit-remaining?": "integer",
    "x-ratelimit-reset?": "integer",
    "retry-after?": "integer",
  },
  differences: {
    RepositoryList: "Described as an array; the examples beside the description have an object.",
    ProjectList: "Described as an array; the examples beside the description have an object.",
    "/{organization}[/{project}]/_apis/git/repositories?continuationToken":
      "Not described: a precaution, because the lists of projects and branches have it.",
  },
};

export const hostApis: Partial<Readonly<Record<Connection["type"], HostApi>>> = {
  gitlab,
  bitbucketServer,
  bitbucketCloud,
  azuredevops,
};
