import * as z from "zod";

export const Position = z
  .object({
    byteOffset: z.int().describe("Bytes from the start of the file, or of the path, from 0."),
    lineNumber: z.int().describe("Line, from 1."),
    column: z.int().describe("Code points from the start of the line, from 1."),
  })
  .describe("A place in a text.");
export type Position = z.output<typeof Position>;

export const Range = z
  .object({
    start: Position,
    end: Position,
  })
  .describe("A stretch of a text: from `start` to before `end`.");
export type Range = z.output<typeof Range>;

/** A page of a list: pages count from 1. */
export const pageFields = {
  page: z.int().min(1).default(1).describe("Number of the page, from 1."),
  perPage: z.int().min(1).max(100).default(50).describe("Items on a page."),
};
