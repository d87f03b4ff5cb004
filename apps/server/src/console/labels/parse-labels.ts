import type { Label } from '@ringfence/engine';
import type { ToldLabel } from './append-labels.ts';

export const labelBounds = {
  /** Most labels in one request: some seconds of work. */
  atOnce: 1_000,
  /** Characters of a note. */
  noteLength: 2_000,
} as const;

/** A label as entered; missing members are `undefined`. */
export interface WrittenLabel {
  readonly event?: string | undefined;
  readonly client?: string | undefined;
  readonly reference?: string | undefined;
  readonly label: Label;
  readonly note?: string | undefined;
}

/** Parses the address of a label: an event, or a client and a reference. @returns the error as a sentence */
export function addressLabel(written: WrittenLabel, author: string): ToldLabel | string {
  const { event, client, reference, label, note } = written;
  const told = { label, author, note };
  if (event !== undefined && client === undefined && reference === undefined) return { ...told, event };
  if (event === undefined && client !== undefined && reference !== undefined) return { ...told, client, reference };
  return 'Give an event, or a client and a reference.';
}
