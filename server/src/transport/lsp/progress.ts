/** What an editor is told of indexing: a notification for our own client, and a progress of LSP's for every other. */
import type { Connection, WorkDoneProgressServerReporter } from "vscode-languageserver/node";
import type { IndexingProgress } from "#contract/local";
import { indexingMethod } from "#contract/notifications";

export interface IndexingNotices {
  tell(event: IndexingProgress): Promise<void>;
}

/** `showsProgress`: whether the client can be asked to show a progress that it did not begin. */
export function indexingNotices(connection: Connection, showsProgress: boolean): IndexingNotices {
  let shown: Promise<WorkDoneProgressServerReporter> | undefined;

  async function show(event: IndexingProgress): Promise<void> {
    const busy = event.repositories.find((each) => each.state === "indexing" || each.state === "cloning");
    const percentage = event.total === 0 ? 100 : Math.floor((event.ready / event.total) * 100);
    const words = `${event.ready} of ${event.total}${busy === undefined ? "" : `: ${busy.repository}`}`;
    // A start with nothing to do must not flash a progress at anybody.
    if (shown === undefined && busy !== undefined) {
      shown = connection.window.createWorkDoneProgress();
      (await shown).begin("Indexing", percentage, words, false);
    } else if (shown !== undefined) {
      const reporter = await shown;
      if (event.ready < event.total || busy !== undefined) reporter.report(percentage, words);
      else {
        shown = undefined;
        reporter.done();
      }
    }
  }

  return {
    async tell(event) {
      await connection.sendNotification(indexingMethod, event);
      if (showsProgress) await show(event);
    },
  };
}
