import { stripVTControlCharacters } from 'node:util';
import type { CliIo, CommonOptions } from './cli-io.ts';

/** A table with a head; each column is as wide as its widest cell. Every cell passes through `shown`. */
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

/** An instant in UTC, to the second; `-` for none. */
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
 * Outside text made safe to print: without this, control characters in an event could control the reader's terminal.
 */
export function shown(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** The same for text of several lines; the line breaks are kept. */
export function shownLines(text: string): string {
  return text.split('\n').map(shown).join('\n');
}

/** Prints a result: as one line of JSON with `--json`, otherwise `human`, made safe by `shownLines`. */
export function printResult(
  io: CliIo,
  options: CommonOptions,
  result: { readonly json: unknown; readonly human: string },
): void {
  io.write(options.json === true ? `${JSON.stringify(result.json)}\n` : shownLines(result.human));
}
