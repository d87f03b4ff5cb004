import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import {
  decisionStates,
  holdDecisions,
  holdStates,
  keptReasons,
  resolvers,
  type StoredDecision,
  type StoredHold,
  type StoredMember,
} from '../../holds/stored-holds.ts';
import { exactly, listOf, oneOf, text } from '../../platform/shapes/shape.ts';
import { eventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import {
  choice,
  count,
  flag,
  instant,
  inWorkspace,
  list,
  nonPersonalWord,
  pageQuery,
  personal,
  removed,
  seldom,
  withoutUndefined,
  word,
} from '../server/members.ts';
import { showMember } from '../server/show-member.ts';

const decisionSchema = Type.Object(
  {
    decision: choice(holdDecisions, 'What was decided.'),
    state: choice(
      decisionStates,
      '`undoable`: its author can undo it until `undoUntil`; `second`: it waits for a second person; `sent`: final; `undone`: by its author; `refused`: by the second person, or the hold had ended otherwise.',
      'sent',
    ),
    author: nonPersonalWord('Who decided.', 'mara@bank.example'),
    decidedAt: instant('When.'),
    undoUntil: instant('Until then its author can undo it.', '2026-11-21T16:16:00.250Z'),
    needsSecond: flag('Whether a second person has to confirm it.', false),
    second: seldom(nonPersonalWord('The second person.', 'luis@bank.example')),
    comment: Type.Optional(personal(word('Absent if the client was erased.', 'Called the client.'), removed)),
  },
  { title: 'HoldDecision', description: 'What a person decided about a held payment.' },
);

export const holdSchema = Type.Object(
  {
    id: nonPersonalWord(
      'The `webhook-id` of the action that asked the bank to hold the payment.',
      'act_k3v7q2ma_1795256130_42_301_0',
    ),
    state: choice(
      holdStates,
      '`open`: the payment is held. `unresolved`: it ended without a decision, and the bank is asked for nothing.',
    ),
    event: nonPersonalWord('The operation that was held first.', 'evt_1795256130_42'),
    members: count('Operations of the hold: the first one and its repeats.', 1),
    reason: count('Number of the rule that held it.', 301),
    rule: Type.Optional(
      nonPersonalWord('Name of that rule. Absent if the active policy no longer has it.', 'A payment to a mule'),
    ),
    channelId: count('Channel of the operation.', 1),
    amount: Type.Optional(nonPersonalWord('Amount of one operation.', '12500')),
    currency: Type.Optional(nonPersonalWord('Its currency.', 'MXN')),
    clientRef: nonPersonalWord('Identifies the client without revealing it.', 'abcdefghabcdefgh'),
    client: Type.Optional(personal(word('Masked unless shown. Absent if it can no longer be read.', 'a•••'), maskText)),
    openedAt: instant('When the payment was held.'),
    dueAt: instant('When it ends as `otherwise` says; if it was kept: when it ends unresolved.'),
    otherwise: choice(['release', 'reject', 'keep'], 'What happens at the deadline without a decision.', 'keep'),
    keptBecause: seldom(
      choice(
        keptReasons,
        'Why it is still held after its deadline. `policy`: its policy says so; `fraud`: its event is labelled fraud; `blocked`: its client is blocked; `proposed`: a decision was pending; `interrupted`: after a restore or a long outage.',
      ),
    ),
    decision: Type.Optional(decisionSchema),
    resolvedAt: seldom(instant('When it ended.')),
    resolvedBy: seldom(
      choice(
        resolvers,
        'What ended it. `bank`: it reported what it did; `age`: 30 days passed; `erased`: its client was erased; `dropped`: its capped action was dropped; `crowded`: too many payments were held.',
      ),
    ),
    author: seldom(nonPersonalWord('The person who ended it.', 'mara@bank.example')),
    bypassed: seldom(flag('The bank did it by itself while a second person was required.')),
  },
  { title: 'Hold', description: 'A payment that the bank was asked to hold until it is decided.' },
);

type PrintedHold = Type.Static<typeof holdSchema>;

const memberSchema = Type.Object(
  {
    event: nonPersonalWord('The operation.', 'evt_1795256130_42'),
    webhookId: nonPersonalWord(
      'The `webhook-id` of the action that asked to hold it.',
      'act_k3v7q2ma_1795256130_42_301_0',
    ),
    joinedAt: instant('When it was received.'),
    resolution: seldom(choice(['released', 'rejected', 'unresolved'], 'How it ended.')),
    endedAt: seldom(instant('When it ended.')),
    resolvedWith: seldom(
      nonPersonalWord('The `webhook-id` of the action that tells the bank.', 'act_k3v7q2ma_1795256130_42_301_100000'),
    ),
  },
  { title: 'HeldOperation', description: 'One operation of a hold.' },
);

export const holdDetailSchema = Type.Object(
  {
    ...holdSchema.properties,
    operations: list(memberSchema, 'Its operations, the first one first.'),
    decisions: list(decisionSchema, 'What people decided, oldest first.'),
  },
  { title: 'HoldDetail' },
);

export const holdQuery = exactly({
  ...pageQuery,
  state: oneOf([...holdStates, 'ended'], {
    default: 'open',
    description: 'Open holds come by their deadline, ended ones newest first.',
  }),
  client: Type.Optional(
    text({ maxLength: 256, description: 'The client, exactly. An unknown client yields an empty list.' }),
  ),
  clientRef: Type.Optional(text({ maxLength: 64, description: 'The `clientRef` of a hold or event.' })),
  event: Type.Optional(text({ maxLength: 64, description: 'Only the hold that this operation belongs to.' })),
  ...showMember,
});

const holdId = text({ maxLength: 128, description: 'The id of the hold: act_…', expected: 'the id of a hold' });

export const inHold = exactly({ ...inWorkspace.properties, hold: holdId });

const decisionMembers = {
  decision: oneOf(holdDecisions, { description: 'What the bank is asked to do.' }),
  comment: Type.Optional(
    text({ maxLength: 4_000, description: 'Encrypted like everything about the client.', expected: 'a comment' }),
  ),
};

export const decisionBody = exactly(decisionMembers);

/** As many as one page shows. */
const bulkMax = 200;

export const bulkBody = exactly({
  holds: listOf(holdId, { minItems: 1, maxItems: bulkMax }),
  ...decisionMembers,
});

export const secondBody = exactly({
  decision: oneOf(['confirm', 'refuse'], { description: '`refuse`: the payment stays held, as if undecided.' }),
});

const takenMembers = {
  undoUntil: instant('Until then it can be undone; then it is sent.', '2026-11-21T16:16:00.250Z'),
  needsSecond: flag('Whether it then waits for a second person instead.', false),
};

export const takenSchema = Type.Object(takenMembers, { title: 'TakenDecision' });

export const bulkSchema = Type.Object(
  {
    results: list(
      Type.Object(
        {
          hold: nonPersonalWord('The id of the hold.', 'act_k3v7q2ma_1795256130_42_301_0'),
          undoUntil: Type.Optional(takenMembers.undoUntil),
          needsSecond: Type.Optional(takenMembers.needsSecond),
          problem: seldom(nonPersonalWord('The code of the problem, if it was refused.', 'state.conflict')),
          detail: seldom(nonPersonalWord('Why it was refused.', 'The payment is no longer held.')),
        },
        { title: 'DecisionResult' },
      ),
      'One for each hold, in the order in which they were sent.',
    ),
  },
  { title: 'DecisionResults' },
);

export interface HoldContext {
  readonly workspace: Workspace;
  readonly client: string | undefined;
  readonly rule: string | undefined;
  /** Opens a sealed comment. */
  readonly openComment: (decision: StoredDecision) => string | undefined;
}

export function printHold(hold: StoredHold, context: HoldContext): PrintedHold {
  const { workspace, client, rule } = context;
  const { decision, resolvedAtMs } = hold;
  const rest = {
    rule,
    client,
    amount: hold.amount,
    currency: hold.currency,
    keptBecause: hold.keptBecause,
    decision: decision && printDecision(decision, context),
    resolvedAt: resolvedAtMs === undefined ? undefined : isoOf(resolvedAtMs),
    resolvedBy: hold.resolvedBy,
    author: hold.author,
    bypassed: hold.bypassed ? true : undefined,
  };
  return {
    id: hold.id,
    state: hold.state,
    event: eventId(hold, workspace),
    members: hold.members,
    reason: hold.reason,
    channelId: hold.channelId,
    clientRef: hold.subject,
    openedAt: isoOf(hold.openedAtMs),
    dueAt: isoOf(hold.dueAtMs),
    otherwise: hold.otherwise,
    ...withoutUndefined(rest),
  };
}

export function printDecision(
  decision: StoredDecision,
  { openComment }: Pick<HoldContext, 'openComment'>,
): Type.Static<typeof decisionSchema> {
  const { second } = decision;
  return {
    decision: decision.decision,
    state: decision.state,
    author: decision.author,
    decidedAt: isoOf(decision.madeAtMs),
    undoUntil: isoOf(decision.undoUntilMs),
    needsSecond: decision.needsSecond,
    ...withoutUndefined({ second, comment: openComment(decision) }),
  };
}

export function printMember(member: StoredMember, workspace: Workspace): Type.Static<typeof memberSchema> {
  const { resolution, endedAtMs, resolvedWith } = member;
  const endedAt = endedAtMs === undefined ? undefined : isoOf(endedAtMs);
  return {
    event: eventId(member, workspace),
    webhookId: member.webhookId,
    joinedAt: isoOf(member.joinedAtMs),
    ...withoutUndefined({ resolution, endedAt, resolvedWith }),
  };
}

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
