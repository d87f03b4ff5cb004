import { Type } from 'typebox';
import type { AlertNumbers, AlertRow } from '../../console/alerts/alert-rows.ts';
import type { AlertSuppression } from '../../console/alerts/alert-suppressions.ts';
import { exactly, listOf, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { eventSummarySchema } from '../events/event-schema.ts';
import { labels } from '../labels/label-schema.ts';
import { choice, count, inWorkspace, instant, list, pageQuery, seldom, whyText, word } from '../server/members.ts';

export const alertSchema = Type.Object(
  {
    id: word('Names the alert.', 'alr_abc234def567'),
    state: choice(['open', 'closed'], 'Whether somebody has to decide.'),
    risk: count('0 to 100: the scores of the rules that fired, of its riskiest decision.', 80),
    amount: Type.Optional(word('Of its greatest order.', '12500.00')),
    currency: Type.Optional(word('Of that order.', 'MXN')),
    decisions: count('Events on which a live rule fired.', 3),
    reasons: list(count('`reason` of a rule.', 301), 'Rules that fired.'),
    clientRef: Type.Optional(
      word('Names the client without telling it. Absent when the events named none.', 'abcdefghabcdefgh'),
    ),
    client: Type.Optional(word('Masked unless shown. Absent when it can be read no more.', 'a•••')),
    openedAt: instant('When its first event came.'),
    lastAt: instant('When its last event came.'),
    claimedBy: seldom(word('Who works on it.', 'mara@bank.example')),
    claimedUntil: seldom(instant('Nobody else gets it until then.')),
    outcome: seldom(choice([...labels, 'suppressed'], 'As what it was closed.')),
    closedBy: seldom(word('Who closed it.', 'mara@bank.example')),
    closedAt: seldom(instant('When it was closed.')),
    decidedInSeconds: seldom(count('From its first event to its end.', 340)),
  },
  { title: 'Alert', description: 'Decisions of one client that somebody has to look at.' },
);

export type PrintedAlert = Type.Static<typeof alertSchema>;

export function printAlert(row: AlertRow, client: string | undefined): PrintedAlert {
  const at = (date: Date | null): string | undefined => date?.toISOString();
  const seldomMembers = {
    amount: row.amount ?? undefined,
    currency: row.currency ?? undefined,
    clientRef: row.subject ?? undefined,
    client,
    claimedBy: row.claimant ?? undefined,
    claimedUntil: at(row.claimed_until),
    outcome: row.outcome ?? undefined,
    closedBy: row.closed_by ?? undefined,
    closedAt: at(row.closed_at),
    decidedInSeconds:
      row.closed_at === null
        ? undefined
        : Math.max(0, Math.round((row.closed_at.getTime() - row.opened_at.getTime()) / 1_000)),
  };
  return {
    id: row.id,
    state: row.state,
    risk: row.risk,
    decisions: row.decisions,
    reasons: row.reasons,
    openedAt: row.opened_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    ...(withoutUndefined(seldomMembers) as Partial<PrintedAlert>),
  };
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export const alertDetailSchema = Type.Object(
  {
    ...alertSchema.properties,
    events: list(eventSummarySchema, 'Its events, newest first, at most 100.'),
    comments: list(
      Type.Object(
        {
          at: instant('When.'),
          author: word('Who.', 'mara@bank.example'),
          text: Type.Optional(word('What. Absent when the client was erased.', 'Called the client: it was her.')),
        },
        { title: 'AlertComment' },
      ),
      'Oldest first.',
    ),
  },
  { title: 'AlertDetail' },
);

export const alertQuery = exactly({
  ...pageQuery,
  state: oneOf(['open', 'closed'], {
    default: 'open',
    description: 'Open ones come in the order of the queue, closed ones newest first.',
  }),
  claim: Type.Optional(oneOf(['free', 'claimed'], { description: 'Whether somebody works on it.' })),
  mine: Type.Optional(oneOf(['true'], { description: 'Only those that the caller works on.' })),
  client: Type.Optional(text({ maxLength: 64, description: 'The `clientRef` of an alert or event.' })),
  reason: Type.Optional(
    wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'Only where this rule fired.' }),
  ),
  outcome: Type.Optional(oneOf([...labels, 'suppressed'], { description: 'Of closed ones.' })),
  ...showMember,
});

export const inAlert = exactly({
  ...inWorkspace.properties,
  alert: text({ maxLength: 64, description: 'The id of the alert: alr_…', expected: 'the id of an alert' }),
});

const commentText = text({
  maxLength: 4_000,
  description: 'Sealed like everything about the client.',
  expected: 'a comment',
});

export const commentBody = exactly({ text: commentText });

const outcomeShape = oneOf(labels, { description: 'What it turned out to be.' });

export const closeBody = exactly({ outcome: outcomeShape, comment: Type.Optional(commentText) });

/** As many as one page shows. */
const bulkMax = 200;

export const closeManyBody = exactly({
  alerts: listOf(text({ maxLength: 64, expected: 'the id of an alert' }), { minItems: 1, maxItems: bulkMax }),
  outcome: outcomeShape,
  comment: Type.Optional(commentText),
});

export const closedSchema = Type.Object(
  { closed: count('How many were closed: all of them.', 2) },
  { title: 'ClosedAlerts' },
);

export const analystSchema = Type.Object(
  {
    email: word('The e-mail address of the account.', 'mara@bank.example'),
    name: word('As people call them.', 'Mara'),
  },
  { title: 'Analyst', description: 'Somebody who may work on alerts here.' },
);

export const handOverBody = exactly({
  to: text({
    maxLength: 254,
    description: 'The e-mail address of an account that may work here.',
    expected: 'an e-mail address',
  }),
});

export const suppressBody = exactly({
  hours: wholeNumber({ minimum: 1, maximum: 8_760, unit: 'hours', description: 'How long.' }),
  reason: Type.Optional(
    wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'Only of this rule. Left out: of all rules.' }),
  ),
  why: whyText({ maxLength: 500, description: 'For whoever wonders later. Name nobody: it is not sealed.' }),
});

export const suppressionSchema = Type.Object(
  {
    id: word('Names the suppression.', 'sup_abc234def567'),
    clientRef: word('The client of whom there are no alerts.', 'abcdefghabcdefgh'),
    client: Type.Optional(
      word('Its name, in the list: masked unless shown. Absent when it can be read no more.', 'a•••'),
    ),
    reason: Type.Optional(count('Only of this rule.', 301)),
    until: instant('It ends then.'),
    why: word('Why it was made.', 'Payroll day, agreed with the branch.'),
    madeBy: word('By whom.', 'mara@bank.example'),
    madeAt: instant('When.'),
  },
  { title: 'AlertSuppression', description: 'No alerts of a client for a while. The rules go on acting.' },
);

export function printSuppression(one: AlertSuppression): Type.Static<typeof suppressionSchema> {
  const { id, subject, reason, untilMs, why, madeBy, madeAtMs } = one;
  return {
    id,
    clientRef: subject,
    ...(reason === undefined ? {} : { reason }),
    until: new Date(untilMs).toISOString(),
    why,
    madeBy,
    madeAt: new Date(madeAtMs).toISOString(),
  };
}

export const inSuppression = exactly({
  ...inWorkspace.properties,
  suppression: text({ maxLength: 64, description: 'The id: sup_…', expected: 'the id of a suppression' }),
});

export const nextAlertSchema = Type.Object(
  { alert: Type.Optional(Type.Unsafe<PrintedAlert>(alertSchema)) },
  { title: 'NextAlert' },
);

export const alertNumbersSchema = Type.Object(
  {
    open: count('Alerts that wait for a decision.', 12),
    claimed: count('Of them those that somebody works on.', 3),
    oldestAt: Type.Optional(instant('When the oldest open one was opened.')),
    fraud: count('Closed as fraud, in the last 30 days.', 4),
    legitimate: count('Closed as legitimate, in the last 30 days.', 40),
    medianSeconds: Type.Optional(count('From the first event to the decision: half were quicker.', 340)),
    p90Seconds: Type.Optional(count('Nine in ten were quicker.', 1_800)),
  },
  { title: 'AlertNumbers', description: 'How much work there is, and how quickly it is done.' },
);

export function printNumbers(numbers: AlertNumbers): Type.Static<typeof alertNumbersSchema> {
  const { oldestAt, medianSeconds, p90Seconds, ...counts } = numbers;
  return {
    ...counts,
    ...(oldestAt === null ? {} : { oldestAt: oldestAt.toISOString() }),
    ...(medianSeconds === null ? {} : { medianSeconds: Math.round(medianSeconds) }),
    ...(p90Seconds === null ? {} : { p90Seconds: Math.round(p90Seconds) }),
  };
}
