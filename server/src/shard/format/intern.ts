/** Returns the number of a text, assigning the next one to a new text. */
export function intern(numbers: Map<string, number>, text: string): number {
  let number = numbers.get(text);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(text, number);
  }
  return number;
}
