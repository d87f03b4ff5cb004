/**
 * Longer names are not compared: no known name is longer, and time and memory of the comparison grow with the length.
 */
const lengthMax = 64;

/**
 * The known name that a misspelt name most likely means, or `undefined` if none is near.
 *
 * Near means at most one edit (a letter added, dropped, changed, or two swapped) per three letters, ignoring case. Of
 * equally near names the first wins.
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

/** The same for numbers used as names. Of equally near ones the closest wins; it is also returned if none is near. */
export function nearestNumber(number: number, known: Iterable<number>): string | undefined {
  const byDistance = [...known].toSorted((a, b) => Math.abs(a - number) - Math.abs(b - number)).map(String);
  return nearest(String(number), byDistance) ?? byDistance[0];
}

/**
 * The edit distance of two words: Damerau-Levenshtein in its restricted form (optimal string alignment). Costs
 * O(a.length * b.length).
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
