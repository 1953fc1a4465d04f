/** The commands for the members, keys and license of an instance, and their backup. */
import { type Command, databaseFlag, globalFlags, jsonFlag } from "./command";

export const members: Command = {
  name: "members",
  summary: "list, add, disable, remove, promote and demote members of the organization",
  usage: "trawl members [flags] list | add EMAIL | CHANGE MEMBER",
  description: [
    "CHANGE is remove, disable, enable, promote or demote. MEMBER is an email address or an id. Members can have API keys; owners can also read the audit log and manage " +
      "members. The person who first starts an instance is its first owner. The last owner cannot be removed.",
    "A service account is a member without a person: it cannot log in, takes no seat of the license, and only has API " +
      "keys. Its MEMBER is service:NAME, also in the rules of the configuration.",
    "Removing a member takes effect at once and revokes their API keys. Disabling one refuses their API keys and " +
      "sessions at once, until the member is enabled again.",
  ],
  flags: [
    { name: "name", value: "NAME", description: "add: name of the member." },
    { name: "owner", description: "add: make the member an owner." },
    { name: "service", value: "NAME", description: "add: add a service account, instead of a person." },
    {
      name: "group",
      value: "GROUP",
      isRepeatable: true,
      description: "add: a group of the service account, as rules name it. Repeatable.",
    },
    jsonFlag,
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl members add --name 'Ada Lovelace' ada@example.com", "adds a member, who can have API keys"],
    ["trawl members add --service nightly --group builds", "adds a service account, for programs"],
    ["trawl members remove ada@example.com", "revokes the member's access at once"],
  ],
};

export const keys: Command = {
  name: "keys",
  summary: "create, list and revoke API keys",
  usage: "trawl keys [flags] create NAME | list | revoke KEY",
  description: [
    "A program sends its key as Authorization: Bearer KEY, and has the permissions of the key's member. The key " +
      "is printed only once, when it is created: Trawl stores only its hash. To revoke a KEY, use its name or its id.",
  ],
  flags: [
    {
      name: "expires",
      value: "WHEN",
      description: "create: 30d, 4w, 1y, a date, or never (the default).",
    },
    {
      name: "member",
      value: "MEMBER",
      description: "create: owner of the key, by email address or id. Default: you.",
    },
    { name: "read-only", description: "create: the key cannot change anything." },
    {
      name: "repo",
      value: "GLOB",
      isRepeatable: true,
      description:
        "create: the key sees only repositories with such a name, of those that its member sees, and never acts as " +
        "an owner. Repeatable.",
    },
    jsonFlag,
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl keys create --expires 1y 'nightly build'", "creates a key that expires in a year"],
    ["trawl keys create --repo 'github.com/acme/web-*' bot", "creates a key for some repositories"],
    ["trawl keys revoke 'nightly build'", "revokes the key at once"],
  ],
};

export const sessions: Command = {
  name: "sessions",
  summary: "list and end the sessions of browsers",
  usage: "trawl sessions [flags] list | revoke SESSION|MEMBER",
  description: [
    "A browser has a session after its user has logged in, or has entered an API key. SESSION is the id of one; with a " +
      "MEMBER (email address or id), revoke ends all of them. API keys stay valid.",
  ],
  flags: [jsonFlag, databaseFlag, ...globalFlags],
  examples: [["trawl sessions revoke ada@example.com", "logs Ada out of every browser at once"]],
};

export const backup: Command = {
  name: "backup",
  summary: "write members, keys, license, audit log and the list of paths to a file",
  usage: "trawl backup [flags] FILE",
  description: [
    "Writes what cannot be rebuilt, from either kind of database: the organization with its license, its members, " +
      "the hashes of their API keys, the audit log, the paths that were added or removed, and which repositories of " +
      "code hosts are mirrored. The index, the mirrors and the configuration file are not included. A running Trawl " +
      "keeps serving.",
  ],
  flags: [databaseFlag, ...globalFlags],
  examples: [["trawl backup /backups/trawl-$(date +%F).gz", "for example, every night"]],
};

export const restore: Command = {
  name: "restore",
  summary: "restore members, keys, license, audit log and the list of paths from a backup",
  usage: "trawl restore [flags] FILE",
  description: [
    "Restores all of a backup or nothing. The backup may come from the other kind of database, so the two commands " +
      "can move an instance to PostgreSQL and back. API keys that were revoked after the backup was made become " +
      "valid again.",
    "Paths and mirrors are added to those that this data directory already has. The next trawl serve indexes them, or " +
      "a running one at once.",
    "If the database was lost, Trawl refuses access until you restore a backup. To start over without one, delete " +
      "organization.json in the data directory.",
  ],
  flags: [
    { name: "replace", description: "Replace the existing members, keys and audit records." },
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl restore --database postgres://trawl@db/trawl trawl.gz", "restores into a PostgreSQL database"],
  ],
};

export const license: Command = {
  name: "license",
  summary: "show, install or issue the license of an instance",
  usage: "trawl license show|install FILE|reset-clock|issue [flags]",
  description: [
    "A license enables managing members over REST, the audit log, and access tokens of an OAuth issuer. It is " +
      "verified on this computer, without a network connection.",
    "A license is not accepted while the clock shows an earlier time than it has shown before. If the clock was " +
      "ahead then and is correct now, run reset-clock.",
    "issue is for license issuers: it signs a license with a private key (openssl genpkey -algorithm ed25519) and prints it.",
  ],
  flags: [
    { name: "key", value: "FILE", description: "issue: the issuer's private key (PEM)." },
    { name: "organization", value: "NAME", description: "issue: the licensed organization." },
    { name: "expires", value: "DAY", description: "issue: the last day on which the license is valid." },
    { name: "seats", value: "N", description: "issue: maximum number of members. Default: unlimited." },
    {
      name: "feature",
      value: "NAME",
      isRepeatable: true,
      description: "issue: organization, audit or oauth. Repeatable. Default: all.",
    },
    { name: "id", value: "ID", description: "issue: id of the license. Default: the current time." },
    { name: "json", description: "show, install, reset-clock: print JSON." },
    databaseFlag,
    ...globalFlags,
  ],
  examples: [
    ["trawl license install trawl.license", "installs a license"],
    ["trawl license issue --key issuer.pem --organization Example --expires 2027-12-31", "issues a license"],
  ],
  exitCodes: [
    [0, "the license is valid"],
    [1, "there is no license, or it is not valid"],
    [2, "invalid flags, or not a license"],
  ],
};
