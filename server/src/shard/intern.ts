/** The number of a text: the next one where it is new. */
export function intern(numbers: Map<string, number>, text: string): number {
  let number = numbers.get(text);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(text, number);
  }
  return number;
}
