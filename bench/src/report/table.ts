/** A figure for comparison: three significant digits, with thousands separators. */
export function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

export function milliseconds(us: number): string {
  return `${figure(us / 1_000)} ms`;
}

/** Lines with columns of equal width; the first column is left-aligned, the others right-aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
}

/**
 * The median; of an even number of values, the lower of the two.
 * @throws RangeError without values
 */
export function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('no values');
  return middle;
}
