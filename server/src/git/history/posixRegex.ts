/**
 * Estimates the size of a compiled POSIX basic regular expression.
 *
 * The C library expands repetitions, so 20 characters can take 16 GB of memory: `\(.\{1,2000\}\)\{1,500\}`. Checking
 * the syntax is left to git.
 */
const maxSteps = 2000;

/** Whether the expression has a reasonable size after its repetitions are expanded. */
export function hasReasonableSize(expression: string): boolean {
  /** Steps of each open group, and of the last item in the group. */
  const groups = [{ steps: 0, last: 0 }];
  let group = groups[0];
  for (const [token, least, comma, most] of expression.matchAll(tokens)) {
    if (group === undefined || group.steps > maxSteps) return false;
    if (token === "\\(") {
      group = { steps: 0, last: 0 };
      groups.push(group);
    } else if (token === "\\)" && groups.length > 1) {
      const { steps } = group;
      groups.pop();
      group = groups.at(-1);
      if (group !== undefined) {
        group.steps += steps + 1;
        group.last = steps + 1;
      }
    } else if (token === "\\+" || token.startsWith("\\{")) {
      // Without an upper bound, there is one more copy, which loops.
      const times = token === "\\+" ? 2 : Math.max(1, Number(most || least) + (comma && !most ? 1 : 0));
      group.steps += group.last * (times - 1);
      group.last *= times;
    } else {
      group.steps++;
      group.last = 1;
    }
  }
  return groups.every(({ steps }) => steps <= maxSteps);
}

/** Captures the bounds of a repetition: `\{2,3\}` as 2, a comma, 3. A bracket expression is one token. */
const tokens = /\\\{(\d*)(,?)(\d*)\\\}|\\.|\[\^?\]?(?:\[([.:=]).{1,30}?\4\]|[^\]])*\]?|./gs;
