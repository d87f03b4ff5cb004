import { frameBytes, readFrames, writeFrame } from './entry-frames.ts';
import type { LogEntry, LogRecord, StoredBlock } from './log.ts';

/** A block in memory of its own, which can be transferred to another thread. */
export function storedBlock(entries: readonly LogEntry[], at: Omit<StoredBlock, 'frames'>): StoredBlock {
  const bytes = entries.reduce((sum, entry) => sum + frameBytes(entry), 0);
  const frames = Buffer.allocUnsafeSlow(bytes);
  let end = 0;
  for (const entry of entries) end = writeFrame(frames, end, entry);
  return { ...at, frames };
}

/** @throws NewerFormError for a kind of record that this release does not know; InvariantError for malformed bytes */
export function recordsOf({ firstOffset, epoch, logTimeMs, retryOf, frames }: StoredBlock): readonly LogRecord[] {
  const block = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength);
  return readFrames(block).map(({ kind, subject, payload }, place) => ({
    offset: firstOffset + place,
    epoch,
    logTimeMs,
    kind,
    subject,
    retryOf,
    payload,
  }));
}
