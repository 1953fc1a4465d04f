import * as z from "zod";

export const NoParameters = z.object({}).describe("Nothing is asked for.");

export const Health = z
  .object({ status: z.string().describe("`ok` while the service answers.") })
  .describe("Whether the service answers.");
export type Health = z.output<typeof Health>;

export const Version = z
  .object({ version: z.string().describe("Version of the service.") })
  .describe("Which service this is.");
export type Version = z.output<typeof Version>;
