import type { Deliveries } from '../../src/deliveries.ts';
import type { Outbox } from '../../src/outbox.ts';
import { startMs, workspaceId } from '../action-fixture.ts';

/** Every implementation has both sides: what sends, and what people ask. */
export type Both = Outbox & Deliveries;

export interface OutboxHarness {
  /** An empty outbox. */
  open(): Promise<Both>;
  /** The outbox as it is found after a crash; left out where a crash leaves nothing. */
  reopen?(): Promise<Both>;
}

/** An instant so long after the first. */
export function at(afterMs: number): number {
  return startMs + afterMs;
}

export function ids(actions: readonly { readonly id: string }[]): readonly string[] {
  return actions.map(({ id }) => id);
}

export function offsets(actions: readonly { readonly offset: number }[]): readonly number[] {
  return actions.map(({ offset }) => offset);
}

/** Every action of the first workspace with its state, the oldest first: `1 executed`. */
export async function states(outbox: Both): Promise<readonly string[]> {
  return (await outbox.list({ workspaceId }, 200)).map(({ offset, state }) => `${offset} ${state}`).toReversed();
}
