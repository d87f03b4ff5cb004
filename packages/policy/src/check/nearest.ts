/** Names longer than this are not compared: no known name is, and the comparison takes time and memory with the length. */
const lengthMax = 64;

/**
 * The known name that a misspelt one most likely means, or `undefined` when none is near.
 *
 * Near is at most one slip (a letter added, dropped, changed or two swapped) in three letters, capital letters not
 * counted. Of equally near names the first wins.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined;
  const slipsMax = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestSlips = slipsMax + 1;
  for (const candidate of known) {
    if (candidate.length > lengthMax || Math.abs(candidate.length - name.length) >= bestSlips) continue;
    const slips = distance(name.toLowerCase(), candidate.toLowerCase());
    if (slips < bestSlips) [best, bestSlips] = [candidate, slips];
  }
  return best;
}

/** The same of numbers that name something: of equally near ones the closest, which is also meant when none is near. */
export function nearestNumber(number: number, known: Iterable<number>): string | undefined {
  const byDistance = [...known].toSorted((a, b) => Math.abs(a - number) - Math.abs(b - number)).map(String);
  return nearest(String(number), byDistance) ?? byDistance[0];
}

/**
 * How many slips lie between two words: Damerau-Levenshtein in its restricted form (optimal string alignment).
 * Costs O(a.length * b.length).
 */
export function distance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let slips = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed);
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) slips = Math.min(slips, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(slips);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
