import type { ByteReader, ByteWriter } from '@ringfence/contract';
import { ActionTimes } from '../../deciding/action-times.ts';

/** Writes when actions were delivered, by the reason of their rule. */
export function writeActionTimes(writer: ByteWriter, byReason: ReadonlyMap<number, ActionTimes>): void {
  writer.uint(byReason.size);
  for (const [reason, { timesMs }] of byReason) {
    writer.uint(reason);
    writer.uint(timesMs.length);
    timesMs.forEach((atMs, index) => writer.int(atMs - (timesMs[index - 1] ?? 0)));
  }
}

/** Reads them into a client, or the state. */
export function readActionTimes(reader: ByteReader, of: { readonly actionTimes: Map<number, ActionTimes> }): void {
  const rules = reader.uint();
  for (let count = 0; count < rules; count++) {
    const reason = reader.uint();
    let atMs = 0;
    const timesMs = reader.list(() => (atMs += reader.int()));
    of.actionTimes.set(reason, ActionTimes.of(timesMs));
  }
}
