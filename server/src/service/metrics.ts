/**
 * What a leader counts about itself, in Prometheus' text format. prom-client is loaded a moment after the first request, so
 * that it delays no start; requests before that are counted too.
 */
import type * as prometheus from "prom-client";
import type { OperationName } from "#contract/operations";
import { type Clock, systemClock } from "#platform/clock";

/** A value that is read with each scrape; by the value of `label` if there is one, or of several. */
export interface Measurement {
  /** A counter only ever grows. */
  readonly kind: "gauge" | "counter";
  readonly name: string;
  readonly help: string;
  readonly label?: string | readonly string[];
  readonly read: () => number | Iterable<readonly [labelValue: string | readonly string[], number]>;
}

interface FinishedRequest {
  readonly operation: OperationName;
  /** The error code, or `OK`. */
  readonly code: string;
  readonly seconds: number;
}

interface Loaded {
  readonly registry: prometheus.Registry;
  readonly count: (request: FinishedRequest) => void;
}

const loadAfterMs = 5000;
const maxPending = 10_000;
/** Upper limits of the histogram, in seconds: from a hit in a cache to the time limit of a request. */
const durationBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class Metrics {
  readonly #measurements: Measurement[] = [];
  readonly #clock: Clock;
  #pending: FinishedRequest[] = [];
  #loading: Promise<Loaded> | undefined;
  #loaded: Loaded | undefined;
  #cancelLoad: (() => void) | undefined;

  constructor(clock = systemClock) {
    this.#clock = clock;
  }

  /** Adds measurements. Call this before the first request. */
  add(...measurements: readonly Measurement[]): void {
    this.#measurements.push(...measurements);
  }

  /** Counts a finished request. */
  observe(operation: OperationName, code: string, seconds: number): void {
    const request = { operation, code, seconds };
    if (this.#loaded !== undefined) {
      this.#loaded.count(request);
      return;
    }
    this.#pending.push(request);
    this.#cancelLoad ??= this.#clock.after(loadAfterMs, () => void this.#load().catch(() => undefined));
    if (this.#pending.length >= maxPending) void this.#load().catch(() => undefined);
  }

  /** Returns all metrics as text. */
  async text(): Promise<string> {
    const { registry } = await this.#load();
    return await registry.metrics();
  }

  close(): void {
    this.#cancelLoad?.();
  }

  #load(): Promise<Loaded> {
    this.#loading ??= import("prom-client").then((library) => {
      this.#loaded = build(library, this.#measurements);
      for (const request of this.#pending) this.#loaded.count(request);
      this.#pending = [];
      return this.#loaded;
    });
    return this.#loading;
  }
}

function build(
  { Registry, Counter, Histogram, Gauge }: typeof prometheus,
  measurements: readonly Measurement[],
): Loaded {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "trawl_requests_total",
    help: "Finished requests, by operation and error code.",
    labelNames: ["operation", "code"],
    registers,
  });
  const durations = new Histogram({
    name: "trawl_request_duration_seconds",
    help: "Time from the arrival of a request to its response.",
    labelNames: ["operation"],
    buckets: durationBuckets,
    registers,
  });
  for (const { kind, name, help, label, read } of [...measurements, ...ofProcess]) {
    const labelNames = label === undefined ? [] : [label].flat();
    const values = () => {
      const value = read();
      return typeof value === "number" ? [[undefined, value] as const] : value;
    };
    const labels = (value: string | readonly string[] = []) => {
      const texts = [value].flat();
      return Object.fromEntries(labelNames.map((each, at) => [each, texts[at] ?? ""]));
    };
    if (kind === "gauge") {
      const collect = function (this: prometheus.Gauge) {
        this.reset();
        for (const [labelValue, value] of values()) this.set(labels(labelValue), value);
      };
      new Gauge({ name, help, labelNames, registers, collect });
    } else {
      const collect = function (this: prometheus.Counter) {
        this.reset();
        for (const [labelValue, value] of values()) this.inc(labels(labelValue), value);
      };
      new Counter({ name, help, labelNames, registers, collect });
    }
  }
  return {
    registry,
    count({ operation, code, seconds }) {
      requests.inc({ operation, code });
      durations.observe({ operation }, seconds);
    },
  };
}

/** The names that Prometheus' client libraries use. Its own collectors would wake an idle process a hundred times a second. */
const ofProcess: readonly Measurement[] = [
  {
    kind: "counter",
    name: "process_cpu_seconds_total",
    help: "Processor time of this process, with its threads.",
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  },
  {
    kind: "gauge",
    name: "process_resident_memory_bytes",
    help: "Resident memory of this process.",
    read: () => process.memoryUsage.rss(),
  },
  {
    kind: "gauge",
    name: "process_start_time_seconds",
    help: "When this process started, in seconds since 1970.",
    read: () => Math.round(Date.now() / 1000 - process.uptime()),
  },
];
