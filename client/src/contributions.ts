/** Declares views, welcome views, tools, colors and the walkthrough for the manifest. */
import type { ToolDefinition } from "#contract/agentTools";
import { languageModelTools, mcpServerDefinitionProviders } from "./endpoint/toolContributions";

/** Registers an English text under `key`, and returns the manifest's reference to its translation. */
export type Translate = (key: string, english: string) => string;

export function sharedContributions(t: Translate, tools: readonly ToolDefinition[]) {
  return {
    viewsContainers: {
      activitybar: [{ id: "trawl", title: t("container", "Trawl"), icon: "media/icon.svg" }],
      panel: [
        { id: "trawlHistory", title: t("viewContainer.history", "Trawl History"), icon: "media/icon.svg" },
      ],
    },

    views: {
      trawl: [
        {
          id: "trawl.search",
          name: t("view.search", "Search"),
          type: "webview",
          initialSize: 1,
          icon: "media/icon.svg",
        },
        { id: "trawl.results", name: t("view.results", "Results"), initialSize: 40, icon: "media/icon.svg" },
        {
          id: "trawl.saved",
          name: t("view.saved", "Saved & Recent"),
          visibility: "collapsed",
          initialSize: 2,
          icon: "media/icon.svg",
        },
        {
          id: "trawl.repositories",
          name: t("view.repositories", "Repositories"),
          visibility: "collapsed",
          initialSize: 3,
          icon: "media/icon.svg",
        },
        {
          id: "trawl.hosts",
          name: t("view.hosts", "Code Hosts"),
          // Shown by "Add Code Host", and from the menu of the views: others need the room for results.
          visibility: "hidden",
          initialSize: 2,
          icon: "media/icon.svg",
          when: "trawl.used",
        },
        {
          id: "trawl.apiKeys",
          name: t("view.api", "API & Agents"),
          visibility: "collapsed",
          initialSize: 1,
          icon: "media/icon.svg",
        },
      ],
      trawlHistory: [
        {
          id: "trawl.commits",
          name: t("view.commits", "Commits"),
          when: "trawl.commitsShown",
          icon: "media/icon.svg",
        },
        {
          id: "trawl.commit",
          name: t("view.commit", "Commit"),
          when: "trawl.commitShown",
          icon: "media/icon.svg",
        },
        {
          id: "trawl.compare",
          name: t("view.compare", "Compare"),
          when: "trawl.compareShown",
          icon: "media/icon.svg",
        },
        {
          id: "trawl.authors",
          name: t("view.authors", "Authors"),
          when: "trawl.authorsShown",
          icon: "media/icon.svg",
        },
      ],
    },

    languageModelTools: languageModelTools(tools, t),
    mcpServerDefinitionProviders,

    viewsWelcome: [
      {
        view: "trawl.results",
        contents: t(
          "welcome.results.none",
          "Type above to search all indexed repositories. Results appear here.\n[Take the Tour](command:trawl.help.walkthrough)",
        ),
        when: "!trawl.hasResults && !trawl.searched",
      },
      {
        view: "trawl.saved",
        contents: t(
          "welcome.saved",
          "Searches you save or run are listed here.\n[Save Search](command:trawl.search.save)",
        ),
      },
      {
        view: "trawl.repositories",
        contents: t(
          "welcome.repositories.none",
          "No repositories yet.\n[Add Folder](command:trawl.repos.addFolder)\n[Add Code Host](command:trawl.hosts.add)",
        ),
        when: "trawl.ready",
      },
      {
        view: "trawl.repositories",
        contents: t("welcome.repositories.starting", "Starting the search server..."),
        when: "!trawl.ready && !trawl.failed",
      },
      {
        view: "trawl.repositories",
        contents: t(
          "welcome.repositories.failed",
          "The search server is not running.\n[Restart Server](command:trawl.server.restart)\n[Show Logs](command:trawl.server.showLogs)",
        ),
        when: "trawl.failed",
      },
      {
        view: "trawl.hosts",
        contents: t(
          "welcome.hosts",
          "Trawl can clone all repositories of an organization, a group or a user, keep them current, and search them.\n[Add Code Host](command:trawl.hosts.add)",
        ),
        when: "!trawl.failed",
      },
      {
        view: "trawl.hosts",
        contents: t(
          "welcome.hosts.failed",
          "The search server is not running.\n[Restart Server](command:trawl.server.restart)",
        ),
        when: "trawl.failed",
      },
      {
        view: "trawl.commits",
        contents: t(
          "welcome.commits",
          "Commits of a file or a repository are listed here.\n[Show Repository History](command:trawl.history.repository)",
        ),
      },
      {
        view: "trawl.commit",
        contents: t(
          "welcome.commit",
          "The details of a commit appear here.\n[Open Commit](command:trawl.commit.open)",
        ),
      },
      {
        view: "trawl.compare",
        contents: t(
          "welcome.compare",
          "The differences between two revisions are listed here.\n[Compare Revisions](command:trawl.compare.revisions)",
        ),
      },
      {
        view: "trawl.authors",
        contents: t("welcome.authors", "The authors of a repository's commits are listed here."),
      },
    ],

    languages: [
      {
        id: "trawl-results",
        aliases: [t("language.results", "Trawl Results")],
        extensions: [".trawl-results"],
        configuration: "./media/results.language-configuration.json",
        icon: { light: "media/results-light.svg", dark: "media/results-dark.svg" },
      },
    ],

    grammars: [
      { language: "trawl-results", scopeName: "text.trawl-results", path: "./media/results.tmLanguage.json" },
    ],

    jsonValidation: [{ fileMatch: "**/.trawl/searches.jsonc", url: "./media/searches.schema.json" }],

    resourceLabelFormatters: [
      {
        scheme: "trawl",
        formatting: {
          label: "${path} @ ${query.commit} · ${query.repository}",
          separator: "/",
          stripPathStartingSeparator: true,
        },
      },
    ],

    colors: [
      {
        id: "trawl.staleForeground",
        description: t("color.stale", "Color of results whose line has moved or is gone."),
        defaults: {
          dark: "disabledForeground",
          light: "disabledForeground",
          highContrast: "disabledForeground",
          highContrastLight: "disabledForeground",
        },
      },
      {
        id: "trawl.unsavedForeground",
        description: t("color.unsaved", "Color of results in unsaved or uncommitted text."),
        defaults: {
          dark: "gitDecoration.modifiedResourceForeground",
          light: "gitDecoration.modifiedResourceForeground",
          highContrast: "gitDecoration.modifiedResourceForeground",
          highContrastLight: "gitDecoration.modifiedResourceForeground",
        },
      },
      {
        id: "trawl.blameAge0",
        description: t(
          "color.blameAge0",
          "Color of the blame stripe beside lines written less than a day ago.",
        ),
        defaults: {
          dark: "#ffe891",
          light: "#6b3900",
          highContrast: "#fff7c6",
          highContrastLight: "#361900",
        },
      },
      {
        id: "trawl.blameAge1",
        description: t(
          "color.blameAge1",
          "Color of the blame stripe beside lines written less than a week ago.",
        ),
        defaults: {
          dark: "#ead587",
          light: "#7d4609",
          highContrast: "#f5e898",
          highContrastLight: "#442200",
        },
      },
      {
        id: "trawl.blameAge2",
        description: t(
          "color.blameAge2",
          "Color of the blame stripe beside lines written less than a month ago.",
        ),
        defaults: {
          dark: "#d1c38e",
          light: "#825a38",
          highContrast: "#e1d8a1",
          highContrastLight: "#502c06",
        },
      },
      {
        id: "trawl.blameAge3",
        description: t(
          "color.blameAge3",
          "Color of the blame stripe beside lines written less than three months ago.",
        ),
        defaults: {
          dark: "#b9b192",
          light: "#866d59",
          highContrast: "#cdc9a9",
          highContrastLight: "#523b29",
        },
      },
      {
        id: "trawl.blameAge4",
        description: t(
          "color.blameAge4",
          "Color of the blame stripe beside lines written less than six months ago.",
        ),
        defaults: {
          dark: "#a29f95",
          light: "#898079",
          highContrast: "#bab9ae",
          highContrastLight: "#524a44",
        },
      },
      {
        id: "trawl.blameAge5",
        description: t(
          "color.blameAge5",
          "Color of the blame stripe beside lines written less than a year ago.",
        ),
        defaults: {
          dark: "#898e98",
          light: "#8b919a",
          highContrast: "#a5aab4",
          highContrastLight: "#52575f",
        },
      },
      {
        id: "trawl.blameAge6",
        description: t(
          "color.blameAge6",
          "Color of the blame stripe beside lines written less than two years ago.",
        ),
        defaults: {
          dark: "#6f7e98",
          light: "#8fa2bc",
          highContrast: "#8d9cb7",
          highContrastLight: "#55637b",
        },
      },
      {
        id: "trawl.blameAge7",
        description: t(
          "color.blameAge7",
          "Color of the blame stripe beside lines written less than four years ago.",
        ),
        defaults: {
          dark: "#566d97",
          light: "#92b3de",
          highContrast: "#758eba",
          highContrastLight: "#576e98",
        },
      },
      {
        id: "trawl.blameAge8",
        description: t(
          "color.blameAge8",
          "Color of the blame stripe beside lines written less than eight years ago.",
        ),
        defaults: {
          dark: "#3c5b95",
          light: "#96c4ff",
          highContrast: "#5e7fbc",
          highContrastLight: "#5979b6",
        },
      },
      {
        id: "trawl.blameAge9",
        description: t("color.blameAge9", "Color of the blame stripe beside older lines."),
        defaults: {
          dark: "#234993",
          light: "#b3d4ff",
          highContrast: "#466fbd",
          highContrastLight: "#5a84d4",
        },
      },
    ],

    walkthroughs: [
      {
        id: "start",
        title: t("walkthrough.title", "Search all your code"),
        description: t("walkthrough.description", "Five steps, two minutes."),
        steps: [
          {
            id: "search",
            title: t("walkthrough.search.title", "Search all your code"),
            description: t(
              "walkthrough.search.text",
              "Type a word that several of your repositories use. Filters such as lang:go or -file:test go into the same box.\n[Focus the Search Box](command:trawl.search.focus)\n[Read the Query Syntax](command:trawl.help.syntax)",
            ),
            media: {
              svg: "media/walkthrough/search.svg",
              altText: t(
                "walkthrough.search.alt",
                "A search box with results from three repositories below it.",
              ),
            },
            completionEvents: ["onContext:trawl.openedResult"],
          },
          {
            id: "add",
            title: t("walkthrough.add.title", "Add what is missing"),
            description: t(
              "walkthrough.add.text",
              "Add a folder with clones, or index the other repositories in the same folder.\n[Add Folder](command:trawl.repos.addFolder)\n[Index Sibling Repositories](command:trawl.repos.addSiblings)",
            ),
            media: {
              svg: "media/walkthrough/add.svg",
              altText: t("walkthrough.add.alt", "A list of repositories with their states."),
            },
            completionEvents: ["onCommand:trawl.repos.addFolder", "onCommand:trawl.repos.addSiblings"],
          },
          {
            id: "history",
            title: t("walkthrough.history.title", "See who and why"),
            description: t(
              "walkthrough.history.text",
              "Browse any repository at any branch or tag without a checkout. In each file, blame shows who wrote a line, and history what it was before.\n[Browse Repository](command:trawl.browse.repository)\n[Toggle File Blame](command:trawl.blame.toggleFile)\n[Show Repository History](command:trawl.history.repository)",
            ),
            media: {
              svg: "media/walkthrough/history.svg",
              altText: t(
                "walkthrough.history.alt",
                "Lines of a file with their authors, above a list of commits.",
              ),
            },
            completionEvents: [
              "onCommand:trawl.browse.repository",
              "onCommand:trawl.blame.toggleFile",
              "onCommand:trawl.history.file",
              "onCommand:trawl.history.repository",
            ],
          },
          {
            id: "keep",
            title: t("walkthrough.keep.title", "Keep what you found"),
            description: t(
              "walkthrough.keep.text",
              "Save a search for yourself, or commit it for your team. Open results as a document whose links reach every repository.\n[Open Results in Editor](command:trawl.search.openResultsEditor)\n[Save Search](command:trawl.search.save)",
            ),
            media: {
              svg: "media/walkthrough/keep.svg",
              altText: t("walkthrough.keep.alt", "Results as a document, next to a list of saved searches."),
            },
            completionEvents: ["onCommand:trawl.search.openResultsEditor", "onCommand:trawl.search.save"],
          },
          {
            id: "api",
            title: t("walkthrough.api.title", "Let scripts and agents use it"),
            description: t(
              "walkthrough.api.text",
              "Get the same results over a REST interface on this computer, once you start it.\n[Start Local Endpoint](command:trawl.api.start)\n[Set Up for Agents](command:trawl.agents.setup)",
            ),
            media: {
              svg: "media/walkthrough/api.svg",
              altText: t("walkthrough.api.alt", "A terminal that calls the local endpoint."),
            },
            completionEvents: ["onCommand:trawl.api.start", "onCommand:trawl.agents.setup"],
          },
        ],
      },
    ],
  };
}
