/** The settings of connections to code hosts: their schema, defaults and errors. */
import { isAbsolute } from "node:path";
import * as z from "zod";
import { checkNamePattern } from "./namePattern";
import { isSshFile, sshAddress } from "./ssh";

const text = z
  .string({ error: "must be a string" })
  .min(1, { error: "must not be empty" })
  .max(1000, { error: "must have at most 1000 characters" })
  // Lone surrogates cannot be encoded in URLs.
  .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), { error: "must not contain control characters" });
const texts = z.array(text).max(10_000).default([]);
const share = z
  .number({ error: "must be a number" })
  .min(0, { error: "must be from 0 to 1" })
  .max(1, { error: "must be from 0 to 1" });
const flag = (isOn: boolean) => z.boolean({ error: "must be true or false" }).default(isOn);
const count = (minimum: number, maximum: number) => {
  const error = `must be an integer from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
};

const names = z
  .array(
    text.superRefine((pattern, context) => {
      const problem = checkNamePattern(pattern);
      if (problem !== undefined) context.addIssue({ code: "custom", message: `is invalid: ${problem}` });
    }),
  )
  .max(1000)
  .default([]);

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time such as `"2m"`, which becomes milliseconds. */
function duration(fallback: string) {
  const error = 'must be a time such as "30s", "2m", "1h" or "7d", from 10s to 30d';
  return z
    .string({ error })
    .prefault(fallback)
    .transform((written, context) => {
      const [, digits = "", unit = ""] = /^(\d{1,7})([smhd])$/.exec(written) ?? [];
      const ms = Number(digits) * unitMs[(unit || "s") as keyof typeof unitMs];
      if (ms >= 10_000 && ms <= 30 * unitMs.d) return ms;
      context.addIssue({ code: "custom", message: error });
      return z.NEVER;
    });
}

/** A URL without user information, query and fragment, which loses its trailing slashes. */
const address = z
  .string({ error: "must be a URL" })
  .max(2000)
  .transform((written, context) => {
    const url = URL.canParse(written) ? new URL(written) : undefined;
    const isPlain =
      url !== undefined &&
      /^https?:$/.test(url.protocol) &&
      url.username + url.password + url.search + url.hash === "" &&
      !/[?#]/.test(written);
    if (isPlain) return url.href.replace(/\/+$/, "");
    // Never prints the value: it may contain a password.
    context.addIssue({
      code: "custom",
      message: "must be a URL such as https://git.example.com, without user, password, query or fragment",
    });
    return z.NEVER;
  });

/** Like `address`, or the address of an SSH server, as a URL or as `user@host:path`. */
const addressOrSsh = z
  .string({ error: "must be a URL" })
  .max(2000)
  .transform((written, context) => {
    const ssh = sshAddress(written);
    if (ssh !== undefined) return ssh;
    const parsed = address.safeParse(written);
    if (parsed.success) return parsed.data;
    const message = /^ssh:|^[^/]*@[^/]*:/.test(written)
      ? "must be a URL such as ssh://git@git.example.com:22, without password, query or fragment"
      : (parsed.error.issues[0]?.message ?? "");
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

const tokenHint = 'must be {"env": "NAME"} or {"file": "/path"}, so that no secret is in this file';

const sources = {
  env: z.string().regex(/^[A-Za-z_]\w*$/, { error: "must be the name of an environment variable" }),
  file: text.refine(isAbsolute, { error: "must be an absolute path" }),
};
const hasOne = (source: object) => Object.values(source).filter((value) => value !== undefined).length === 1;
const hint = ({ code }: { readonly code?: string | undefined }) =>
  code === "invalid_type" ? tokenHint : undefined;

/** Where a secret is read from. */
export const secretSource = z
  .strictObject(sources, { error: hint })
  .partial()
  .refine(hasOne, { error: tokenHint });

export type SecretSource = z.output<typeof secretSource>;

/** Where a token is read from. `editor` is its name in the editor that keeps it. */
const tokenSource = z
  .strictObject(
    { ...sources, editor: text.max(200, { error: "must have at most 200 characters" }) },
    { error: hint },
  )
  .partial()
  .refine(hasOne, { error: tokenHint });

export type TokenSource = z.output<typeof tokenSource>;

const sshFile = text
  .refine(isAbsolute, { error: "must be an absolute path" })
  .refine(isSshFile, { error: 'must not contain the characters " % $ and \\' });
const sshKeyHint = 'must be {"file": "/path"} or {"agent": "SSH_AUTH_SOCK"}, so that no key is in this file';

/** The file of a private key, or the environment variable with the socket of an agent. */
const sshKeySource = z
  .strictObject(
    { file: sshFile, agent: sources.env },
    { error: ({ code }) => (code === "invalid_type" ? sshKeyHint : undefined) },
  )
  .partial()
  .refine(hasOne, { error: sshKeyHint });

export type SshKeySource = z.output<typeof sshKeySource>;

const common = {
  allowHttp: flag(false),
  token: tokenSource.optional(),
  caFile: text.refine(isAbsolute, { error: "must be an absolute path" }).optional(),
  proxy: address.optional(),
  proxyLogin: z
    .strictObject({
      user: text.refine((user) => !user.includes(":"), { error: "must not contain a colon" }),
      password: secretSource,
    })
    .optional(),
  cloneUrlBase: addressOrSsh.optional(),
  sshKey: sshKeySource.optional(),
  knownHosts: sshFile.optional(),
  revisions: z
    .strictObject({
      branches: z.array(text).max(1000).default(["**"]),
      tags: z.array(text).max(1000).default(["**"]),
      newestTags: count(0, 100_000).default(20),
    })
    .prefault({}),
  history: z
    .union([z.literal("full"), z.strictObject({ depth: z.literal(1) })], {
      error: 'must be "full" or {"depth": 1}',
    })
    .default("full"),
  sync: z
    .strictObject({
      listEvery: duration("1h"),
      fetchMin: duration("2m"),
      fetchMax: duration("24h"),
      gitConcurrency: count(1, 32).default(4),
    })
    .prefault({})
    .refine(({ fetchMin, fetchMax }) => fetchMin <= fetchMax, {
      error: '"fetchMin" must not be longer than "fetchMax"',
    }),
  limits: z
    .strictObject({
      oneRepositoryBytes: count(1, Number.MAX_SAFE_INTEGER).default(20e9),
      diskBytes: count(1, Number.MAX_SAFE_INTEGER).optional(),
    })
    .prefault({}),
  access: z
    .strictObject({
      visibleTo: z
        .enum(["members", "codeHost"], { error: 'must be "members" or "codeHost"' })
        .default("members"),
      /** Members by email address, or service accounts, and their names on the host. */
      logins: z.record(text, text).default({}),
      checkEvery: duration("1h"),
    })
    .prefault({}),
  webhook: z.strictObject({ secret: secretSource }).optional(),
  onRemoved: z
    .strictObject({
      keepDays: count(0, 3650).default(7),
      confirmations: count(1, 10).default(2),
      maxShare: share.default(0.1),
    })
    .prefault({}),
};

const only = z.strictObject({
  names,
  topics: texts,
  visibility: z.array(z.enum(["public", "internal", "private"])).default([]),
});

const exclude = z.strictObject({
  archived: flag(false),
  forks: flag(false),
  mirrors: flag(false),
  empty: flag(false),
  disabled: flag(true),
  names,
  topics: texts,
  /** Repositories whose host reports more bytes than this. */
  sizeBytes: count(0, Number.MAX_SAFE_INTEGER).optional(),
});

/** Names of `form`, such as `owner/repository`: as many segments, or at least as many with a trailing `...`. */
function paths(form: string) {
  const wanted = form.replace("/...", "").split("/").length;
  return z
    .array(
      text.refine(
        (path) => {
          const parts = path.split("/");
          const isLongEnough = form.endsWith("...") ? parts.length >= wanted : parts.length === wanted;
          return isLongEnough && parts.every((part) => part !== "" && part !== "." && part !== "..");
        },
        { error: `must be of the form ${form}` },
      ),
    )
    .max(10_000)
    .default([]);
}

/** What to list: the union of these scopes, at least one of which must be given. */
function include<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).map((name) => `"${name}"`);
  return z
    .strictObject(shape)
    .refine(
      (value) => Object.values<unknown>(value).some((each) => (Array.isArray(each) ? each.length > 0 : each)),
      {
        error: `must name what to list, in ${names.join(" or ")}`,
      },
    );
}

/** Where a list is, below the URL of the host. */
const listPath = text.refine((path) => !/[?#]/.test(path), { error: "must not contain a query or fragment" });

/** The schema of each type. */
export const connectionTypes = [
  z.strictObject({
    ...common,
    type: z.literal("github"),
    url: address.default("https://github.com"),
    app: z
      .strictObject({
        id: z.union([count(1, Number.MAX_SAFE_INTEGER), text.regex(/^[\w.-]{1,100}$/)], {
          error: "must be the number of the app, or its client id",
        }),
        installation: count(1, Number.MAX_SAFE_INTEGER),
        privateKey: secretSource,
      })
      .optional(),
    include: include({
      installation: flag(false),
      orgs: paths("organization"),
      users: paths("user"),
      repos: paths("owner/repository"),
      queries: texts,
    }),
    only: only.prefault({}),
    exclude: exclude.omit({ empty: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("gitlab"),
    url: address.default("https://gitlab.com"),
    include: include({
      all: flag(false),
      groups: paths("group/..."),
      users: paths("user"),
      repos: paths("group/project/..."),
      queries: texts,
    }),
    only: only.prefault({}),
    exclude: exclude.omit({ sizeBytes: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("gitea"),
    url: address,
    gitUser: text.optional(),
    include: include({
      all: flag(false),
      orgs: paths("organization"),
      users: paths("user"),
      repos: paths("owner/repository"),
    }),
    only: only.prefault({}),
    exclude: exclude.omit({ disabled: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("gerrit"),
    url: address,
    user: text.optional(),
    include: include({ all: flag(false), repos: paths("project/...") }),
    only: only.pick({ names: true }).prefault({}),
    exclude: exclude.pick({ names: true, archived: true, disabled: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("bitbucketServer"),
    url: address,
    user: text.optional(),
    gitUser: text.optional(),
    include: include({ all: flag(false), projects: paths("PROJECT"), repos: paths("PROJECT/repository") }),
    only: only.omit({ topics: true }).prefault({}),
    exclude: exclude.pick({ names: true, archived: true, forks: true, disabled: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("bitbucketCloud"),
    user: text.optional(),
    gitUser: text.optional(),
    include: include({
      workspaces: paths("workspace"),
      projects: paths("workspace/PROJECT"),
      repos: paths("workspace/repository"),
    }),
    only: only.omit({ topics: true }).prefault({}),
    exclude: exclude.pick({ names: true, forks: true, empty: true, sizeBytes: true }).prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("azuredevops"),
    url: address.default("https://dev.azure.com"),
    include: include({
      orgs: paths("organization"),
      projects: paths("organization/project"),
      repos: paths("organization/project/repository"),
    }),
    only: only.omit({ topics: true }).prefault({}),
    exclude: exclude
      .pick({ names: true, forks: true, empty: true, disabled: true, sizeBytes: true })
      .prefault({}),
  }),
  z.strictObject({
    ...common,
    type: z.literal("genericGitHost"),
    url: addressOrSsh,
    user: text.optional(),
    include: include({
      repos: paths("path/..."),
      manifest: text.optional(),
      gitiles: listPath.optional(),
      cgit: listPath.optional(),
    }),
    only: only.pick({ names: true }).prefault({}),
    exclude: exclude.pick({ names: true }).prefault({}),
  }),
] as const;

/** The hosts that can be asked who may read a repository. */
const typesWithReaders: ReadonlySet<string> = new Set(["github", "gitlab", "gitea", "bitbucketServer"]);

const connection = z.discriminatedUnion("type", connectionTypes).superRefine((value, context) => {
  const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  for (const key of ["url", "cloneUrlBase"] as const) {
    const url = key in value ? value[key as "cloneUrlBase"] : undefined;
    if (url?.startsWith("http:") && !value.allowHttp)
      refuse(key, 'must be https, unless "allowHttp" is true');
  }
  if (value.type === "github") {
    if (value.app !== undefined && value.token !== undefined) refuse("token", 'cannot be used with "app"');
    if (value.include.installation && value.app === undefined)
      refuse("app", 'is missing: "installation" of "include" needs it');
  }
  const usesSsh = (value.cloneUrlBase ?? ("url" in value ? value.url : "")).startsWith("ssh:");
  if (usesSsh && value.sshKey === undefined) refuse("sshKey", "is missing: clones over SSH need it");
  if (usesSsh && value.knownHosts === undefined)
    refuse("knownHosts", "is missing: clones over SSH need the keys of their hosts");
  if (value.type === "genericGitHost" && value.url.startsWith("ssh:")) {
    if (value.token !== undefined) refuse("token", 'is not used over SSH. Set "sshKey"');
    const { repos: _, ...lists } = value.include;
    const [list] = Object.entries(lists).flatMap(([name, path]) => (path === undefined ? [] : [name]));
    if (list !== undefined) refuse("include", `cannot contain "${list}" over SSH`);
  }
  if (value.access.visibleTo === "codeHost") {
    if (!typesWithReaders.has(value.type))
      refuse(
        "access",
        `cannot have "visibleTo": "codeHost" for the type "${value.type}": Trawl can only ask ${[...typesWithReaders].join(", ")} who may read a repository`,
      );
    else if (value.token === undefined && !(value.type === "github" && value.app !== undefined))
      refuse("token", 'is missing: "access" needs it');
  }
  if (value.proxyLogin !== undefined && value.proxy === undefined)
    refuse("proxy", 'is missing: "proxyLogin" needs it');
  const user = "user" in value ? value.user : undefined;
  if (user?.includes(":")) refuse("user", "must not contain a colon");
  if (user !== undefined && value.token === undefined) refuse("token", `is missing: "user" needs it`);
  const needsUser = value.type === "gerrit" || value.type === "genericGitHost";
  if (needsUser && value.token !== undefined && user === undefined)
    refuse("user", 'is missing: "token" needs it');
});

/** A connection with its defaults. Durations are in milliseconds, and URLs have no trailing slash. */
export type Connection = z.output<typeof connection>;
export type ConnectionOf<Type extends Connection["type"]> = Extract<Connection, { type: Type }>;

/** Maps the name of each connection to it. Parsing adds the defaults. */
export const connectionsSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    error: 'must be 1 to 63 of the characters a-z, 0-9, ".", "_" and "-", and not start with the last three',
  }),
  connection,
);
