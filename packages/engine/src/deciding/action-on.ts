import { clientOf, sessionOf } from '@ringfence/contract';
import type { Action } from '../effect.ts';
import type { EventFrame } from '../plan/event-frame.ts';

/** An action about the frame's event. */
export function actionOn(
  { arrival, subject, logTimeMs }: EventFrame,
  made: Pick<Action, 'reason' | 'position' | 'action' | 'state' | 'message' | 'format'>,
): Action {
  const { event, offset } = arrival.record;
  // A literal, because spreading costs a few percent of the engine's speed.
  return {
    kind: 'action',
    offset,
    reason: made.reason,
    position: made.position,
    action: made.action,
    state: made.state,
    channelId: event.channelId,
    session: sessionOf(event) ?? '',
    client: clientOf(event),
    subject,
    reference: event.kind === 'operation' ? event.transaction?.reference : undefined,
    message: made.message,
    format: made.format,
    atMs: logTimeMs as Action['atMs'],
  };
}
