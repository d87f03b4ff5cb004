import { stripVTControlCharacters } from 'node:util';
import type { CliIo, CommonOptions } from './cli-io.ts';

/** Rows under a head, in columns as wide as their widest cell. Every cell is `shown`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(shown));
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** An instant for people: to the second, UTC. */
export function instant(atMs: number | undefined): string {
  return atMs === undefined
    ? '-'
    : new Date(atMs)
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z');
}

/** `1 event`, `2,000 events`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `1234567` as `1,234,567`. */
export function grouped(count: number | bigint): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/**
 * Text that came from outside, safe to show: control characters would let an event's sender write to the terminal of
 * whoever reads it.
 */
export function shown(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** The same for text of several lines, which stay. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n');
}

/** Prints a result: as JSON on one line for `--json`, else as `human` says it, as `shownLines`. */
export function printResult(
  io: CliIo,
  options: CommonOptions,
  result: { readonly json: unknown; readonly human: string },
): void {
  io.write(options.json === true ? `${JSON.stringify(result.json)}\n` : shownLines(result.human));
}
