import type { Deliveries } from '../../src/deliveries.ts';
import type { Outbox } from '../../src/outbox.ts';
import { startMs, workspaceId } from '../action-fixture.ts';

/** Every implementation has both interfaces: `Outbox` for the dispatcher, `Deliveries` for people. */
export type Both = Outbox & Deliveries;

export interface OutboxHarness {
  /** Opens an empty outbox. */
  open(): Promise<Both>;
  /** Opens the outbox as it is after a crash; omitted where nothing survives a crash. */
  reopen?(): Promise<Both>;
}

/** The instant `afterMs` after `startMs`. */
export function at(afterMs: number): number {
  return startMs + afterMs;
}

export function ids(actions: readonly { readonly id: string }[]): readonly string[] {
  return actions.map(({ id }) => id);
}

export function offsets(actions: readonly { readonly offset: number }[]): readonly number[] {
  return actions.map(({ offset }) => offset);
}

/** Every action of the first workspace with its state, oldest first, as in `1 executed`. */
export async function states(outbox: Both): Promise<readonly string[]> {
  return (await outbox.list({ workspaceId }, 200)).map(({ offset, state }) => `${offset} ${state}`).toReversed();
}
