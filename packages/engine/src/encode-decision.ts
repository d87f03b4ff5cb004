import { ByteWriter, unreachable } from '@ringfence/contract';
import type { Action, Decision, HoldEffect } from './effect.ts';
import type { ActionRef } from './record.ts';

const writer = new ByteWriter();

/**
 * The canonical bytes of a decision with its actions, in order: equal decisions give equal bytes, and different ones
 * give different bytes. The host chains its digest of all decisions from them. Summaries of rules are left out: they
 * decide nothing, and a later release may word the same values better.
 */
export function encodeDecision(decision: Decision, actions: readonly Action[]): Uint8Array {
  writer.uint(decision.offset);
  writer.text(decision.event);
  writer.optionalText(decision.subject);
  writer.int(decision.atMs);
  writer.int(decision.eventAtMs);
  writer.uint(decision.policyVersion);
  writer.text(decision.outcome);
  writer.int(decision.repeatOf ?? -1);
  writer.bool(decision.session !== undefined);
  if (decision.session !== undefined) {
    writer.bool(decision.session.matched);
    writer.optionalText(decision.session.mismatch);
  }
  writer.uint(decision.fired.length);
  for (const { reason, name, mode, suppressed, score, facts } of decision.fired) {
    writer.uint(reason);
    writer.text(name);
    writer.text(mode);
    writer.optionalText(suppressed);
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

/** The same for what happened to a hold. */
export function encodeHoldEffect(effect: HoldEffect): Uint8Array {
  writer.text(effect.kind);
  writeRef(effect.hold);
  writer.int(effect.atMs);
  switch (effect.kind) {
    case 'holdOpened':
      writer.text(effect.subject);
      writer.int(effect.channelId);
      writer.optionalText(effect.amount === undefined ? undefined : String(effect.amount));
      writer.optionalText(effect.currency);
      writer.optionalText(effect.payee);
      writer.text(effect.otherwise);
      writer.int(effect.dueMs);
      break;
    case 'holdJoined':
      writeRef(effect.member);
      writer.text(effect.otherwise);
      writer.int(effect.dueMs);
      break;
    case 'holdKept':
      writer.text(effect.because);
      writer.int(effect.dueMs);
      break;
    case 'holdLeft':
      writeRef(effect.member);
      writer.text(effect.resolution);
      break;
    case 'holdResolved':
      writer.text(effect.resolution);
      writer.text(effect.by);
      writer.optionalText(effect.author);
      writer.uint(effect.actions.length);
      for (const action of effect.actions) writeAction(action);
      break;
    default:
      unreachable(effect);
  }
  return writer.take();
}

function writeRef({ offset, reason, position }: ActionRef): void {
  writer.uint(offset);
  writer.uint(reason);
  writer.uint(position);
}

function writeAction(action: Action): void {
  writer.uint(action.offset);
  writer.uint(action.reason);
  writer.uint(action.position);
  writer.uint(action.action);
  writer.text(action.state);
  writer.int(action.channelId);
  writer.text(action.session);
  writer.optionalText(action.client);
  writer.optionalText(action.subject);
  writer.text(action.message);
  writer.text(action.format);
  writer.int(action.atMs);
}
