/** Shows the progress of indexing on standard error: a bar on a terminal, plain lines elsewhere. */

import { Presets, SingleBar } from "cli-progress";
import { sanitize } from "#base/sanitize";
import type { IndexingProgress } from "#contract/local";
import type { Terminal } from "./terminal";

export interface ProgressReport {
  update(event: IndexingProgress): void;
  /** Removes the bar, so that the next message starts on an empty line. */
  stop(): void;
}

export function reportProgress(terminal: Terminal): ProgressReport {
  return terminal.isErrorTty ? createBar() : createLines(terminal);
}

function createBar(): ProgressReport {
  const progressBar = new SingleBar(
    {
      format: "Indexing {bar} {percentage}%  {ready} of {count}  {name}",
      barsize: 24,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      // Prevents repeated bars when the terminal is resized or piped through `tee`.
      noTTYOutput: false,
      linewrap: false,
    },
    Presets.shades_classic,
  );
  const runningProgress = new Map<number, number>();
  let isStarted = false;
  return {
    update(event) {
      for (const each of event.repositories) {
        if (each.state === "indexing" || each.state === "cloning") {
          runningProgress.set(each.repositoryId, each.progress);
        } else runningProgress.delete(each.repositoryId);
      }
      const packages = event.ready === event.total ? event.packages : undefined;
      const { ready, total } = packages ?? event;
      if (!isStarted && ready === total) return;
      const sum = [...runningProgress.values()].reduce((total, each) => total + each, 0);
      const running = event.repositories.find((each) => runningProgress.has(each.repositoryId))?.repository;
      const name = packages === undefined ? running : "packages";
      const payload = {
        ready,
        count: total,
        ...(name === undefined && isStarted ? {} : { name: sanitize(name ?? "").slice(0, 40) }),
      };
      // In thousandths, because the bar counts whole steps and should also move within a large repository.
      const done = Math.min(total, ready + sum) * 1000;
      if (!isStarted) progressBar.start(total * 1000, done, payload);
      isStarted = true;
      progressBar.setTotal(total * 1000);
      progressBar.update(done, payload);
    },
    stop() {
      if (isStarted) progressBar.stop();
      isStarted = false;
    },
  };
}

function createLines(terminal: Terminal): ProgressReport {
  const cloning = new Set<number>();
  const started = new Set<number>();
  let haveNamedPackages = false;
  return {
    update(event) {
      for (const each of event.repositories) {
        const name = sanitize(each.repository);
        if (each.state === "cloning") {
          if (!cloning.has(each.repositoryId)) terminal.printError(`Cloning ${name}\n`);
          cloning.add(each.repositoryId);
        } else if (each.state === "indexing") {
          if (!started.has(each.repositoryId)) terminal.printError(`Indexing ${name}\n`);
          started.add(each.repositoryId);
        } else if (each.state === "ready" && started.delete(each.repositoryId)) {
          terminal.printError(`Indexed ${name} (${event.ready} of ${event.total})\n`);
        } else started.delete(each.repositoryId);
      }
      const { total = 0, ready = 0 } = event.packages ?? {};
      if (event.ready === event.total && ready < total && !haveNamedPackages) {
        terminal.printError("Indexing packages that lock files name\n");
        haveNamedPackages = true;
      }
    },
    stop() {},
  };
}
