import { type EventKind, eventKinds } from '@ringfence/contract';
import type { FactType } from './fact-value.ts';

/** One row of the table of facts. */
export type FactRow = readonly [
  on: readonly EventKind[],
  path: string,
  type: FactType,
  doc: string,
  values?: readonly string[],
];

export const all: readonly EventKind[] = eventKinds;
export const entry: readonly EventKind[] = ['login', 'logout'];
export const login: readonly EventKind[] = ['login'];
export const operation: readonly EventKind[] = ['operation'];
/** A login, and the operations of its session. */
export const session: readonly EventKind[] = ['login', 'operation'];
