/** Reports indexing to an editor: as LSP work-done progress, as `trawl/indexing` notifications, or both. */
import type { Connection, WorkDoneProgressServerReporter } from "vscode-languageserver/node";
import type { IndexingProgress } from "#contract/local";
import { indexingMethod } from "#contract/notifications";

export interface ReportOptions {
  /** Whether the client shows progress that the server initiates. */
  readonly showsProgress: boolean;
  readonly sendsNotifications: boolean;
}

/** Returns a function that reports one event, and continues without progress if the client refuses to show it. */
export function createIndexingReporter(
  connection: Connection,
  { showsProgress, sendsNotifications }: ReportOptions,
): (event: IndexingProgress) => Promise<void> {
  let progress: Promise<WorkDoneProgressServerReporter> | undefined;
  let canShow = showsProgress;

  async function show(event: IndexingProgress): Promise<void> {
    const active = event.repositories.find((each) => each.state === "indexing" || each.state === "cloning");
    const percentage = event.total === 0 ? 100 : Math.floor((event.ready / event.total) * 100);
    const message = `${event.ready} of ${event.total}${active === undefined ? "" : `: ${active.repository}`}`;
    // Does not start to show progress if nothing is being indexed.
    if (progress === undefined && active !== undefined) {
      progress = connection.window.createWorkDoneProgress();
      (await progress).begin("Indexing", percentage, message, false);
    } else if (progress !== undefined) {
      const reporter = await progress;
      if (event.ready < event.total || active !== undefined) reporter.report(percentage, message);
      else {
        progress = undefined;
        reporter.done();
      }
    }
  }

  return async (event) => {
    if (sendsNotifications) await connection.sendNotification(indexingMethod, event);
    if (!canShow) return;
    await show(event).catch(() => {
      // The client refused to show it.
      canShow = false;
    });
  };
}
