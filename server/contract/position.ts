import * as z from "zod";

export const Position = z
  .object({
    byteOffset: z.int().describe("Bytes from the start of the file, or of the path, from 0."),
    lineNumber: z.int().describe("Line, from 1."),
    column: z.int().describe("Code points from the start of the line, from 1."),
  })
  .describe("A position in a text.");
export type Position = z.output<typeof Position>;

export const Range = z
  .object({
    start: Position,
    end: Position,
  })
  .describe("A range of text, from `start` up to but excluding `end`.");
export type Range = z.output<typeof Range>;

const maxPage = 1_000_000_000;

/** Fields of a request for one page of a list. */
export const pageFields = {
  page: z.int().min(1).max(maxPage).default(1).describe("Number of the page, from 1."),
  perPage: z.int().min(1).max(100).default(50).describe("Items per page."),
};
