/** The syntax of queries and the keys of the search page, as tables of examples. */

export interface SyntaxSection {
  readonly title: string;
  /** Whether the examples are queries that can be run; otherwise they are keys. */
  readonly isQuery: boolean;
  readonly rows: readonly SyntaxRow[];
}

export type SyntaxRow = readonly [example: string, meaning: string];

export const syntaxSections: readonly SyntaxSection[] = [
  {
    title: "Words",
    isQuery: true,
    rows: [
      ["retry timeout", "files with both words, in any order"],
      ['"retry after"', "the exact phrase, including spaces"],
      ["todo or fixme", "either word"],
      ["(todo or fixme) lang:go", "parentheses group terms"],
      ["http NOT https", "NOT excludes the next term"],
      [
        'words:"where are requests retried"',
        "the best matches for a description, even if some words are missing",
      ],
    ],
  },
  {
    title: "Filters",
    isQuery: true,
    rows: [
      ["error lang:typescript", "in files of a language"],
      ["error repo:web", "in repositories whose name matches"],
      ["error file:*.ts", "in files whose path matches a glob"],
      ["error -file:test", "not in files whose path contains a word: - excludes"],
      ["error tests:no", "not in test files"],
      ["error topic:web", "in repositories with a topic on their code host"],
      ["error fork:no archived:no", "not in forks, not in archived repositories"],
      ["error visibility:public", "in public repositories"],
      ["error rev:release/*", "on branches, tags or commits"],
      ["error rev:*", "on all indexed branches and tags"],
      ["content:error", "in the text of files only, not in their names"],
    ],
  },
  {
    title: "Symbols, files, repositories, commits",
    isQuery: true,
    rows: [
      ["sym:Server", "definitions whose name contains the word"],
      ["readme type:file", "names of files"],
      ["web type:repo", "names of repositories"],
      ["fix type:commit", "messages of commits"],
      ['fix type:commit since:"1 month ago"', "messages of recent commits"],
    ],
  },
  {
    title: "Case",
    isQuery: true,
    rows: [
      ["case:yes Error", "case-sensitive"],
      ["case:auto Error", "case-sensitive for words with a capital letter"],
    ],
  },
];

export const keySections: readonly SyntaxSection[] = [
  {
    title: "Keys",
    isQuery: false,
    rows: [
      ["/", "go to the search box"],
      ["?", "show the keys"],
      ["Esc", "close suggestions, panels and dialogs; leave the search box"],
    ],
  },
  {
    title: "Keys in search results",
    isQuery: false,
    rows: [
      ["j, k", "next and previous result"],
      ["Enter", "open the result"],
      ["o", "open the result in VS Code"],
      ["Down, Up", "choose a suggestion; from the box to the results"],
    ],
  },
  {
    title: "Keys in files",
    isQuery: false,
    rows: [
      ["t", "go to file"],
      ["w", "switch branch or tag"],
      ["l", "go to line"],
      ["d", "look up a name"],
      ["b", "show or hide blame"],
      ["y", "make the address permanent"],
      ["o", "open the file in VS Code"],
    ],
  },
];

/** One example of each kind, for the start page. */
export const startExamples: readonly SyntaxRow[] = [
  ["retry timeout", "files with both words"],
  ['"not found" tests:no', "a phrase, but not in tests"],
  ["error lang:typescript", "in one language"],
  ["sym:Server", "definitions by name"],
  ["fix type:commit", "commits by their message"],
  ['words:"where are requests retried"', "the best matches for a description"],
];
