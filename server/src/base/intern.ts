/** Returns the number of a key, assigning the next one, from 0 on, to a new key. */
export function intern<Key>(numbers: Map<Key, number>, key: Key): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(key, number);
  }
  return number;
}
