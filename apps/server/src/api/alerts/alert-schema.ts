import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import { isEmail } from '../../access/accounts/email-name.ts';
import { alertSorts } from '../../console/alerts/alert-orders.ts';
import { type AlertNumbers, type AlertRow, verdicts } from '../../console/alerts/alert-rows.ts';
import type { AlertStory } from '../../console/alerts/alert-stories.ts';
import type { AlertSuppression } from '../../console/alerts/alert-suppressions.ts';
import { exactly, listOf, oneOf, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { showMember } from '../server/show-member.ts';
import { eventSummarySchema, summaryMembers } from '../events/event-schema.ts';
import {
  choice,
  count,
  instant,
  inWorkspace,
  list,
  nonPersonalWord,
  pageQuery,
  personal,
  seldom,
  whyText,
  withoutUndefined,
  word,
} from '../server/members.ts';

const handedOverSchema = Type.Object(
  {
    by: nonPersonalWord('Who gave it. Only they can take it back.', 'luis@bank.example'),
    at: instant('When.'),
    note: Type.Optional(personal(word('What they wrote. Masked unless shown.', 'P•••'), maskText)),
  },
  { title: 'HandedOver', description: 'Who handed the alert over to the person who has it.' },
);
const handedOver = Type.Unsafe<Type.Static<typeof handedOverSchema>>(handedOverSchema);

export const alertSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the alert.', 'alr_abc234def567'),
    state: choice(['open', 'closed'], 'Whether it still needs a decision.'),
    risk: count('0 to 100: the score of its riskiest decision, which adds up the scores of the rules that fired.', 80),
    amount: Type.Optional(nonPersonalWord('Amount of its largest order.', '12500.00')),
    currency: Type.Optional(nonPersonalWord('Currency of that order.', 'MXN')),
    decisions: count('Events on which a live rule fired.', 3),
    reasons: list(count('`reason` of a rule.', 301), 'Rules that fired.'),
    channels: list(count('`channelId` of an event.', 1), 'Channels of its events.'),
    clientRef: Type.Optional(
      nonPersonalWord(
        'Identifies the client without revealing it. Absent if the events named none.',
        'abcdefghabcdefgh',
      ),
    ),
    client: Type.Optional(personal(word('Masked unless shown. Absent if it can no longer be read.', 'a•••'), maskText)),
    event: Type.Optional(
      nonPersonalWord('Its riskiest event, the newest of equals. Absent if it was removed.', 'evt_1795256130_42'),
    ),
    summary: list(
      Type.Object(
        { reason: count('`reason` of the rule.', 301), ...summaryMembers },
        { title: 'AlertSummary', description: 'What happened, in the words of one rule and one language.' },
      ),
      'What happened in its riskiest event: the summaries of the rules that acted, the greatest score first, each in all its languages. A reader gets the own language, or else the first. Empty if no rule has one, or it can no longer be read.',
    ),
    openedAt: instant('When its first event was received.'),
    lastAt: instant('When its last event was received.'),
    dueAt: seldom(
      instant('When it should be decided. Absent if alerts of the workspace are never due, and of closed ones.'),
    ),
    claimedBy: seldom(nonPersonalWord('Who is working on it.', 'mara@bank.example')),
    claimedUntil: seldom(instant('No other analyst gets it until then.')),
    handedOver: seldom(handedOver),
    outcome: seldom(choice([...verdicts, 'suppressed'], 'The outcome when it was closed.')),
    fraudType: seldom(nonPersonalWord('Of fraud: its type.', 'scam.bankImpostor')),
    loss: seldom(nonPersonalWord('Of fraud: what was lost, a decimal.', '12500.00')),
    recovered: seldom(nonPersonalWord('What came back of it, a decimal.', '2500.00')),
    lossCurrency: seldom(nonPersonalWord('Currency of both.', 'MXN')),
    closedBy: seldom(nonPersonalWord('Who closed it.', 'mara@bank.example')),
    closedAt: seldom(instant('When it was closed.')),
    decidedInSeconds: seldom(count('From its first event to its closing.', 340)),
  },
  { title: 'Alert', description: 'Decisions about one client that a person has to review.' },
);

export type PrintedAlert = Type.Static<typeof alertSchema>;

/** What of an alert is not in its row as it is printed. */
interface AlsoPrinted {
  readonly client: string | undefined;
  readonly story: AlertStory | undefined;
  /** Of its hand-over. */
  readonly note: string | undefined;
  readonly dueAtMs: number | undefined;
}

export function printAlert(row: AlertRow, { client, story, note, dueAtMs }: AlsoPrinted): PrintedAlert {
  const at = (date: Date | null): string | undefined => date?.toISOString();
  const { handed_by_name: giver, handed_at: handedAt } = row;
  const seldomMembers = {
    amount: row.amount ?? undefined,
    currency: row.currency ?? undefined,
    clientRef: row.subject ?? undefined,
    client,
    event: story?.event,
    dueAt: dueAtMs === undefined ? undefined : new Date(dueAtMs).toISOString(),
    claimedBy: row.claimant ?? undefined,
    claimedUntil: at(row.claimed_until),
    handedOver: giver === null ? undefined : withoutUndefined({ by: giver, at: at(handedAt), note }),
    outcome: row.outcome ?? undefined,
    fraudType: row.fraud_type ?? undefined,
    loss: row.loss ?? undefined,
    recovered: row.recovered ?? undefined,
    lossCurrency: row.loss_currency ?? undefined,
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
    summary: story?.summary ?? [],
    channels: row.channels,
    openedAt: row.opened_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    ...(withoutUndefined(seldomMembers) as Partial<PrintedAlert>),
  };
}

export const alertDetailSchema = Type.Object(
  {
    ...alertSchema.properties,
    events: list(eventSummarySchema, 'Its events, newest first, at most 100.'),
    comments: list(
      Type.Object(
        {
          at: instant('When.'),
          author: nonPersonalWord('Who.', 'mara@bank.example'),
          text: Type.Optional(
            personal(
              word('Masked unless shown. Absent if the client was erased.', 'Called the client: it was her.'),
              maskText,
            ),
          ),
        },
        { title: 'AlertComment' },
      ),
      'Oldest first.',
    ),
  },
  { title: 'AlertDetail' },
);

const [minutesMax, amountMax, int32Max] = [525_600, 1_000_000_000_000, 2_147_483_647];

/** How a list of alerts is filtered and sorted: in the query of the list, and stored in a view. */
export const alertFilterMembers = {
  state: oneOf(['open', 'closed'], {
    default: 'open',
    description: 'Closed alerts are sorted by their decision, newest first.',
  }),
  sort: oneOf(alertSorts, {
    default: 'queue',
    description:
      'Order of open alerts. `queue`: by risk, money and age together. `money`: by amount; the alerts of one currency follow those of another. `oldest`: also by due time, the earliest first.',
  }),
  assigned: Type.Optional(
    text({
      maxLength: 254,
      description: 'Who has claimed it: `me`, `none`, `any`, or the e-mail address of a person.',
      expected: 'me, none, any or an e-mail address',
      refine: (who) =>
        ['me', 'none', 'any'].includes(who) || isEmail(who) ? undefined : 'me, none, any or an e-mail address',
    }),
  ),
  reason: Type.Optional(
    wholeNumber({ minimum: 1, maximum: int32Max, description: 'Only alerts on which this rule fired.' }),
  ),
  channel: Type.Optional(wholeNumber({ minimum: 0, maximum: int32Max, description: '`channelId` of an event.' })),
  riskMin: Type.Optional(wholeNumber({ minimum: 0, maximum: 100, description: 'Risk of at least this.' })),
  currency: Type.Optional(
    text({
      maxLength: 3,
      description: 'Currency of its largest order.',
      expected: 'three capital letters',
      refine: (code) => (/^[A-Z]{3}$/.test(code) ? undefined : 'three capital letters'),
    }),
  ),
  amountMin: Type.Optional(
    wholeNumber({
      minimum: 0,
      maximum: amountMax,
      description: 'Amount of at least this, in the currency of the alert.',
    }),
  ),
  olderThan: Type.Optional(
    wholeNumber({ minimum: 1, maximum: minutesMax, unit: 'minutes', description: 'Opened at least so long ago.' }),
  ),
  due: Type.Optional(oneOf(['over'], { description: '`over`: past its due time.' })),
  outcome: Type.Optional(oneOf([...verdicts, 'suppressed'], { description: 'Of closed alerts.' })),
};

export const alertQuery = exactly({
  ...pageQuery,
  ...alertFilterMembers,
  client: Type.Optional(
    text({ maxLength: 256, description: 'The client, exactly. An unknown client yields an empty list.' }),
  ),
  clientRef: Type.Optional(text({ maxLength: 64, description: 'The `clientRef` of an alert or event.' })),
  ...showMember,
});

export const inAlert = exactly({
  ...inWorkspace.properties,
  alert: text({ maxLength: 64, description: 'The id of the alert: alr_…', expected: 'the id of an alert' }),
});

const commentText = text({
  maxLength: 4_000,
  description: 'Encrypted like everything about the client.',
  expected: 'a comment',
});

export const commentBody = exactly({ text: commentText });

const outcomeShape = oneOf(verdicts, {
  description: 'What it turned out to be. `inconclusive`: neither is known, and its events get no label.',
});

/** As in reports of outcomes. */
const lossPattern = /^\d{1,18}(?:\.\d{1,6})?$/;

function lossText(description: string): Type.TString {
  const expected = 'a decimal number of at most 18 digits before and 6 after the point';
  return text({
    maxLength: 25,
    description,
    expected,
    refine: (given) => (lossPattern.test(given) ? undefined : expected),
  });
}

const closeMembers = {
  outcome: outcomeShape,
  type: Type.Optional(
    text({
      maxLength: 64,
      description: 'The type of a fraud: one of the FraudClassifier and ScamClassifier, or of the workspace’s own.',
      expected: 'a type of fraud of this workspace',
    }),
  ),
  loss: Type.Optional(lossText('What the bank lost by a fraud. It counts for its riskiest event.')),
  recovered: Type.Optional(lossText('What came back of it.')),
  currency: Type.Optional(
    text({
      maxLength: 3,
      description: 'Currency of `loss` and `recovered`: required with them.',
      expected: 'a currency, such as MXN',
      refine: (given) => (/^[A-Z]{3}$/.test(given) ? undefined : 'a currency, such as MXN'),
    }),
  ),
  comment: Type.Optional(commentText),
};

export const closeBody = exactly(closeMembers);

/** As many as one page shows. */
const bulkMax = 200;

const manyMembers = {
  alerts: listOf(text({ maxLength: 64, expected: 'the id of an alert' }), {
    minItems: 1,
    maxItems: bulkMax,
    description: 'Their ids. Each is changed on its own: a refused one does not stop the others.',
  }),
};

export const manyBody = exactly(manyMembers);

export const closeManyBody = exactly({ ...manyMembers, ...closeBody.properties });

const openHolds = list(
  nonPersonalWord('The id of a hold.', 'act_k3v7q2ma_1795256130_42_301_0'),
  'Payments of its events that are still held: a label decides nothing about them.',
);

export const closedAlertSchema = Type.Object({ ...alertSchema.properties, openHolds }, { title: 'ClosedAlert' });

const manyAnswer = {
  changed: count('Alerts that were changed.', 2),
  refused: list(
    Type.Object(
      {
        alert: nonPersonalWord('The id of the alert.', 'alr_abc234def567'),
        code: nonPersonalWord('The code of the problem.', 'state.conflict'),
        detail: nonPersonalWord('Why.', 'Alert alr_abc234def567 was closed by mara@bank.example.'),
      },
      { title: 'RefusedAlert' },
    ),
    'The others, and why.',
    [],
  ),
};

export const manySchema = Type.Object(manyAnswer, {
  title: 'ChangedAlerts',
  description: 'The result of a change of several alerts.',
});

export const closedSchema = Type.Object({ ...manyAnswer, openHolds }, { title: 'ClosedAlerts' });

export const analystSchema = Type.Object(
  {
    email: nonPersonalWord('The e-mail address of the account.', 'mara@bank.example'),
    name: nonPersonalWord('Display name.', 'Mara'),
  },
  { title: 'Analyst', description: 'A person who may work on alerts here.' },
);

const handOverMembers = {
  to: text({
    maxLength: 254,
    description: 'The e-mail address of an account that may work on alerts here.',
    expected: 'an e-mail address',
  }),
  note: Type.Optional(
    text({
      maxLength: 1_000,
      description: 'For the person who gets it. Encrypted like everything about the client.',
      expected: 'a note',
    }),
  ),
};

export const handOverBody = exactly(handOverMembers);
export const handOverManyBody = exactly({ ...manyMembers, ...handOverMembers });

const suppressMembers = {
  hours: wholeNumber({ minimum: 1, maximum: 8_760, unit: 'hours', description: 'Duration.' }),
  reason: Type.Optional(
    wholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'Only for this rule. By default for all rules.' }),
  ),
  why: whyText({
    maxLength: 500,
    description: 'For later readers. Do not name the client: this text is not encrypted.',
  }),
};

export const suppressBody = exactly(suppressMembers);
export const suppressManyBody = exactly({ ...manyMembers, ...suppressMembers });

export const suppressionSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the suppression.', 'sup_abc234def567'),
    clientRef: nonPersonalWord('The client for whom no alerts are opened.', 'abcdefghabcdefgh'),
    client: Type.Optional(
      personal(
        word('Name of the client, in the list: masked unless shown. Absent if it can no longer be read.', 'a•••'),
        maskText,
      ),
    ),
    reason: Type.Optional(count('Only for this rule.', 301)),
    until: instant('When it ends.'),
    why: nonPersonalWord('Why it was made.', 'Payroll day, agreed with the branch.'),
    madeBy: nonPersonalWord('Who created it.', 'mara@bank.example'),
    madeAt: instant('When.'),
  },
  { title: 'AlertSuppression', description: 'Opens no alerts for a client for a limited time. The rules still act.' },
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
    claimed: count('Those that are claimed.', 3),
    mine: count('Those that the caller has claimed.', 1),
    overdue: count('Those past their due time.', 0),
    oldestAt: Type.Optional(instant('When the oldest open one was opened.')),
    newestAt: Type.Optional(instant('When the newest open one was opened.')),
    fraud: count('Closed as fraud, in the last 30 days.', 4),
    legitimate: count('Closed as legitimate, in the last 30 days.', 40),
    inconclusive: count('Closed as inconclusive, in the last 30 days.', 2),
    medianSeconds: Type.Optional(count('From the first event to the decision: the median.', 340)),
    p90Seconds: Type.Optional(count('The same: nine in ten were quicker.', 1_800)),
  },
  { title: 'AlertNumbers', description: 'Size of the queue, and how quickly alerts are decided.' },
);

export function printNumbers(numbers: AlertNumbers): Type.Static<typeof alertNumbersSchema> {
  const { oldestAt, newestAt, medianSeconds, p90Seconds, ...counts } = numbers;
  return {
    ...counts,
    ...(newestAt === null ? {} : { newestAt: newestAt.toISOString() }),
    ...(oldestAt === null ? {} : { oldestAt: oldestAt.toISOString() }),
    ...(medianSeconds === null ? {} : { medianSeconds: Math.round(medianSeconds) }),
    ...(p90Seconds === null ? {} : { p90Seconds: Math.round(p90Seconds) }),
  };
}
