/**
 * What a POSIX basic expression costs before it has matched anything.
 *
 * The C library writes repetitions out, so that 20 characters can take 16 GB: `\(.\{1,2000\}\)\{1,500\}`. Whether the
 * expression is right is git's to say.
 */
const maxSteps = 2000;

/** Whether the expression, with its repetitions written out, is of a reasonable size. */
export function isOfReasonableSize(expression: string): boolean {
  /** Steps of each open group, and of the last item in it. */
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
      // One time more where there is no upper bound.
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

/** With the numbers of a repetition: `\{2,3\}` is 2, a comma, 3. A bracket is one. */
const tokens = /\\\{(\d*)(,?)(\d*)\\\}|\\.|\[\^?\]?(?:\[([.:=]).{1,30}?\4\]|[^\]])*\]?|./gs;
