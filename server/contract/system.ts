import * as z from "zod";

export const NoParameters = z.object({}).describe("No parameters.");

/** Begins the message of an error of `health` if the process runs, but cannot answer requests yet. */
export const notReady = "Not ready: ";

export const Health = z
  .object({ status: z.string().describe("Always `ok`.") })
  .describe("Health of the service.");
export type Health = z.output<typeof Health>;

export const Metrics = z
  .object({ text: z.string().describe("Metrics in Prometheus' text format.") })
  .describe("Metrics of the leader.");
export type Metrics = z.output<typeof Metrics>;

export const Version = z
  .object({ version: z.string().describe("Version of the service.") })
  .describe("Version of the service.");
export type Version = z.output<typeof Version>;
