import type { Label } from '@ringfence/engine';
import { Type } from 'typebox';
import { exactly, listOf, oneOf, text } from '../../platform/shapes/shape.ts';
import { labelBounds } from '../../console/labels/parse-labels.ts';
import type { StoredLabel } from '../../console/labels/stored-labels.ts';
import { eventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { choice, count, instant, list, nonPersonalWord, personal, removed, seldom, word } from '../server/members.ts';

/** Values of a label. */
export const labels = ['fraud', 'legitimate'] as const satisfies readonly Label[];

const toldSchema = exactly({
  event: Type.Optional(
    text({ maxLength: 64, description: 'Its id, as returned when it was sent.', expected: 'an event id' }),
  ),
  client: Type.Optional(
    text({
      maxLength: 256,
      description: 'Together with `reference`, instead of `event`: `account.client`.',
      expected: 'a client',
    }),
  ),
  reference: Type.Optional(
    text({ maxLength: 256, description: '`transaction.reference` of its operation.', expected: 'a reference' }),
  ),
  label: oneOf(labels, { description: 'What the event turned out to be.' }),
  note: Type.Optional(
    text({
      maxLength: labelBounds.noteLength,
      description: 'For people. Encrypted under the client’s key, and unreadable once the client is erased.',
      expected: 'a text',
    }),
  ),
});

export const toldLabelsSchema = exactly({
  labels: listOf(toldSchema, { minItems: 1, maxItems: labelBounds.atOnce }),
});

export const labelOutcomesSchema = Type.Object(
  {
    accepted: count('Labels that were written to the log.', 1),
    unknown: count('Labels whose event was not found, or cannot be labelled.', 0),
    items: list(
      Type.Object({
        state: choice(['accepted', 'unknown'], 'Whether it is in the log.'),
        events: Type.Optional(list(nonPersonalWord('The event.', 'evt_1795256130_42'), 'The events that it labels.')),
        reason: seldom(nonPersonalWord('Why it labels none.', 'there is no such event in this workspace')),
      }),
      'One per label, in the order sent.',
    ),
  },
  { title: 'LabelOutcomes' },
);

export const labelSchema = Type.Object(
  {
    event: nonPersonalWord('The event.', 'evt_1795256130_42'),
    label: choice(labels, 'The label. The newest one of an event counts.'),
    author: nonPersonalWord('Who reported it.', 'maria@bank.example'),
    note: seldom(personal(word('Their note. Absent once the client is erased.', 'chargeback 4711'), removed)),
    labelledAt: instant('When it was appended to the log.'),
  },
  { title: 'Label' },
);

export type PrintedLabel = Type.Static<typeof labelSchema>;

export function printLabel(workspace: Pick<Workspace, 'environment'>, label: StoredLabel): PrintedLabel {
  return {
    event: eventId(label, workspace),
    label: label.label,
    author: label.author,
    ...(label.note === undefined ? {} : { note: label.note }),
    labelledAt: new Date(label.labelledAtMs).toISOString(),
  };
}
