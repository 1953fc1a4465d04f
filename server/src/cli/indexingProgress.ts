/** Indexing as a person sees it: one bar on a screen, plain lines elsewhere. Always on standard error. */
import { Presets, SingleBar } from "cli-progress";
import type { IndexingProgress } from "#contract/local";
import { harmless, type Terminal } from "./terminal";

export interface ProgressReport {
  update(event: IndexingProgress): void;
  /** Takes the bar away; what is said next stands on a clean line. */
  stop(): void;
}

export function reportProgress(terminal: Terminal): ProgressReport {
  return terminal.isMessageScreen ? bar() : lines(terminal);
}

function bar(): ProgressReport {
  const shown = new SingleBar(
    {
      format: "Indexing {bar} {percentage} %  {ready} of {count}  {name}",
      barsize: 24,
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
      stopOnComplete: false,
      // A terminal that is resized or piped through `tee` must not be filled with bars.
      noTTYOutput: false,
      linewrap: false,
    },
    Presets.shades_classic,
  );
  const partial = new Map<number, number>();
  let started = false;
  return {
    update(event) {
      for (const each of event.repositories) {
        if (each.state === "indexing" || each.state === "cloning") {
          partial.set(each.repositoryId, each.progress);
        } else partial.delete(each.repositoryId);
      }
      if (!started && event.ready === event.total) return;
      const sum = [...partial.values()].reduce((total, each) => total + each, 0);
      const name = event.repositories.find((each) => partial.has(each.repositoryId))?.repository;
      const payload = {
        ready: event.ready,
        count: event.total,
        ...(name === undefined && started ? {} : { name: harmless(name ?? "").slice(0, 40) }),
      };
      // In thousandths, because the bar wants whole steps and a single large repository is no whole step.
      const done = Math.min(event.total, event.ready + sum) * 1000;
      if (!started) shown.start(event.total * 1000, done, payload);
      started = true;
      shown.setTotal(event.total * 1000);
      shown.update(done, payload);
    },
    stop() {
      if (started) shown.stop();
      started = false;
    },
  };
}

function lines(terminal: Terminal): ProgressReport {
  const begun = new Set<number>();
  return {
    update(event) {
      for (const each of event.repositories) {
        const name = harmless(each.repository);
        if (each.state === "indexing" || each.state === "cloning") {
          if (!begun.has(each.repositoryId)) terminal.say(`Indexing ${name}\n`);
          begun.add(each.repositoryId);
        } else if (each.state === "ready" && begun.delete(each.repositoryId)) {
          terminal.say(`Indexed ${name} (${event.ready} of ${event.total})\n`);
        } else begun.delete(each.repositoryId);
      }
    },
    stop() {},
  };
}
