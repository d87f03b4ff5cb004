import { ByteWriter } from '@ringfence/contract';
import type { Action, Decision } from './effect.ts';

const writer = new ByteWriter();

/**
 * The canonical bytes of a decision with its actions, in order: equal decisions give equal bytes, and different ones
 * give different bytes. The host chains its digest of all decisions from them.
 */
export function encodeDecision(decision: Decision, actions: readonly Action[]): Uint8Array {
  writer.uint(decision.offset);
  writer.text(decision.event);
  writeOptional(decision.subject);
  writer.int(decision.atMs);
  writer.int(decision.eventAtMs);
  writer.uint(decision.policyVersion);
  writer.text(decision.outcome);
  writer.int(decision.repeatOf ?? -1);
  writer.bool(decision.session !== undefined);
  if (decision.session !== undefined) {
    writer.bool(decision.session.matched);
    writeOptional(decision.session.mismatch);
  }
  writer.uint(decision.fired.length);
  for (const { reason, name, mode, suppressed, score, facts } of decision.fired) {
    writer.uint(reason);
    writer.text(name);
    writer.text(mode);
    writeOptional(suppressed);
    writer.uint(score ?? 0);
    const printed = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
    writer.uint(printed.length);
    for (const [path, value] of printed) {
      writer.text(path);
      writer.text(value);
    }
  }
  writer.uint(decision.missing.length);
  for (const reason of decision.missing) writer.uint(reason);
  writer.uint(decision.score);
  writer.uint(actions.length);
  for (const action of actions) writeAction(action);
  return writer.take();
}

function writeAction(action: Action): void {
  writer.uint(action.offset);
  writer.uint(action.reason);
  writer.uint(action.position);
  writer.uint(action.action);
  writer.text(action.state);
  writer.int(action.channelId);
  writer.text(action.session);
  writeOptional(action.client);
  writeOptional(action.subject);
  writer.text(action.message);
  writer.text(action.format);
  writer.int(action.atMs);
}

function writeOptional(text: string | undefined): void {
  writer.bool(text !== undefined);
  if (text !== undefined) writer.text(text);
}
