/** The queries of the search table. They are chosen for the Linux kernel, but work on any corpus. */
export interface BenchQuery {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
}

export const literal = (pattern: string): BenchQuery => ({ pattern, isRegex: false, caseSensitive: true });
const regex = (pattern: string): BenchQuery => ({ pattern, isRegex: true, caseSensitive: true });

export const benchQueries: readonly BenchQuery[] = [
  literal("kmalloc"),
  literal("kmalloc_array"),
  literal("EXPORT_SYMBOL_GPL"),
  literal("return"),
  { pattern: "license", isRegex: false, caseSensitive: false },
  regex("copy_(from|to)_user"),
  regex("struct.*file_operations"),
  regex("^#define.*PAGE_SHIFT"),
  regex("[A-Z]+_SUSPEND"),
];

/** Converts to a Trawl request. It matches content only, because the other tools count nothing else. */
export function trawlRequest(query: BenchQuery): { readonly query: string } & Record<string, unknown> {
  return {
    query: `content:${query.isRegex ? query.pattern : JSON.stringify(query.pattern)}`,
    isRegexEnabled: query.isRegex,
    isCaseSensitivityEnabled: query.caseSensitive,
  };
}

export function titleOf({ pattern, caseSensitive }: BenchQuery): string {
  return `\`${pattern}\`${caseSensitive ? "" : ", any case"}`;
}
