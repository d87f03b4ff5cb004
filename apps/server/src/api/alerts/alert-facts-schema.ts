import { clientOf, eventKinds, outcomeNames } from '@ringfence/contract';
import { mostRaising } from '@ringfence/policy';
import { Type } from 'typebox';
import { maskAddress, maskText } from '../../access/audit/personal.ts';
import type {
  AlertFacts,
  BankReport,
  EarlierAlert,
  KnownThing,
  LinkedClient,
  Usual,
} from '../../console/alerts/alert-facts.ts';
import { verdicts } from '../../console/alerts/alert-rows.ts';
import { eventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { actionStates } from '../actions/action-schema.ts';
import { figure, inWordsSchema } from '../explanations/explanation-schema.ts';
import {
  choice,
  count,
  flag,
  instant,
  list,
  mapping,
  nonPersonalWord,
  personal,
  seldom,
  withoutUndefined,
  word,
} from '../server/members.ts';

const eventMember = nonPersonalWord('Id of the event.', 'evt_1795256130_42');
const refMember = nonPersonalWord('Identifies it without revealing it: `about=KIND:REF`.', 'n4bQgYhMfWWaL-qgxVrQFQ');
const clientRefMember = nonPersonalWord('Identifies the client without revealing it.', 'abcdefghabcdefgh');
const clientMember = Type.Optional(
  personal(word('Masked unless shown. Absent if it can no longer be read.', 'a•••'), maskText),
);

const knownMembers = {
  earlier: count('Earlier events of the client with it, of its newest 500.', 4),
  firstAt: seldom(instant('The first of them.')),
};

const outcomeMember = seldom(choice([...verdicts, 'suppressed'], 'How it was closed; absent while it is open.'));

const linkedSchema = Type.Object(
  {
    clientRef: clientRefMember,
    client: clientMember,
    shares: list(choice(['device', 'ip', 'payee'], 'What both have in common.')),
    lastAt: instant('The last event by which both are linked.'),
    alert: Type.Optional(
      Type.Object({
        id: nonPersonalWord('Its newest alert.', 'alr_abc234def567'),
        state: choice(['open', 'closed'], 'Its state.'),
        outcome: outcomeMember,
      }),
    ),
  },
  { title: 'LinkedClient', description: 'Another client with the same device, address or payee.' },
);

const usualSchema = Type.Object(
  {
    events: count('Earlier events of the client that were looked at, at most 500.', 212),
    since: Type.Optional(instant('The oldest of them.')),
    payments: list(
      Type.Object({
        event: eventMember,
        at: instant('When.'),
        amount: nonPersonalWord('Its digits.', '850.00'),
        fired: flag('Whether a live rule fired on it.', false),
      }),
      'Its last payments in the currency of this one, newest first, at most 10.',
    ),
    paid: count('Payments in that currency.', 96),
    hours: list(count('Events in this hour of the day.', 9), '24 hours, in the time zone of the workspace.'),
    payees: count('Different payees.', 7),
    devices: count('Different devices.', 2),
    origins: list(
      Type.Object({
        country: nonPersonalWord('Two letters of ISO 3166-1.', 'MX'),
        logins: count('Of its newest 20 logins.', 19),
      }),
      'Countries of its logins.',
    ),
  },
  {
    title: 'UsualBehaviour',
    description: 'What is normal for the client, without the events of this alert and of the session.',
  },
);

export const alertFactsSchema = Type.Object(
  {
    event: eventMember,
    kind: choice(eventKinds, 'What was reported.', 'operation'),
    at: instant('When it happened, as seen by the rules.'),
    channelId: Type.Optional(count('As sent.', 1)),
    amount: Type.Optional(nonPersonalWord('Amount of the order.', '12500.00')),
    currency: Type.Optional(nonPersonalWord('Its currency.', 'MXN')),
    clientRef: Type.Optional(clientRefMember),
    client: clientMember,
    sessionRef: Type.Optional(
      nonPersonalWord('Identifies its session.', 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'),
    ),
    hour: count('Its hour of the day in the time zone of the workspace.', 3),
    rules: list(count('`reason` of a rule.', 301), 'Rules that fired on it.'),
    models: list(
      Type.Object(
        {
          name: nonPersonalWord('Name of the model.', 'cards'),
          p: figure('The probability of fraud.', 0.93),
          raisedBy: list(inWordsSchema, 'What raised the probability most, the most first, at most three.'),
        },
        { title: 'AlertModel' },
      ),
      'Models that these rules read.',
    ),
    payee: Type.Optional(
      Type.Object({
        ref: refMember,
        value: Type.Optional(personal(word('Bank and account: masked unless shown.', '01•••77'), maskText)),
        ...knownMembers,
      }),
    ),
    device: Type.Optional(
      Type.Object({
        ref: refMember,
        value: Type.Optional(nonPersonalWord('The id of the device.', 'd-4f2a')),
        os: Type.Optional(nonPersonalWord('Operating system.', 'Windows')),
        browser: Type.Optional(nonPersonalWord('Browser.', 'Chrome')),
        ...knownMembers,
      }),
    ),
    address: Type.Optional(
      Type.Object({
        ref: refMember,
        value: Type.Optional(personal(word('Masked unless shown.', '203.0.•.•'), maskAddress)),
        country: Type.Optional(nonPersonalWord('Two letters of ISO 3166-1.', 'MX')),
        city: seldom(nonPersonalWord('City, if known.', 'Puebla')),
        asn: Type.Optional(count('Number of the network operator.', 8151)),
        operator: Type.Optional(nonPersonalWord('Name of that operator.', 'UNINET')),
        hosting: seldom(flag('The operator rents out servers.')),
        anonymous: seldom(flag('A VPN, proxy, relay or exit of Tor.')),
        ...knownMembers,
      }),
    ),
    usual: usualSchema,
    linked: list(linkedSchema, 'At most six, those with most in common first.'),
    earlier: list(
      Type.Object({
        id: nonPersonalWord('The alert.', 'alr_abc234def567'),
        state: choice(['open', 'closed'], 'Its state.', 'closed'),
        risk: count('0 to 100.', 60),
        reasons: list(count('`reason` of a rule.', 301)),
        openedAt: instant('When its first event was received.'),
        outcome: outcomeMember,
        fraudType: seldom(nonPersonalWord('Of fraud: its type.', 'scam.bankImpostor')),
      }),
      'Other alerts of the client, newest first, at most five.',
    ),
    earlierCounts: mapping<number>(Type.Integer(), 'Other alerts of the client by outcome; `open` without one.', {
      legitimate: 2,
    }),
    actions: list(
      Type.Object({
        id: nonPersonalWord('Id of the action.', 'act_k3v7q2ma_1795256130_42_301_0'),
        action: count('What the bank was asked to do.', 2),
        state: choice(actionStates, 'Its state.', 'executed'),
      }),
      'What the bank was asked to do because of the events of the alert, at most 20, newest event first.',
    ),
    outcomes: list(
      Type.Object({
        event: eventMember,
        outcome: choice(outcomeNames, 'What happened at the bank.', 'fraud'),
        type: seldom(nonPersonalWord('The type of fraud.', 'accountTakeover')),
        loss: seldom(nonPersonalWord('The loss.', '120.50')),
        recovered: seldom(nonPersonalWord('What was recovered.', '20.00')),
        currency: seldom(nonPersonalWord('Currency of both.', 'GTQ')),
        author: nonPersonalWord('Who reported it.', 'token backoffice'),
        reportedAt: instant('When.'),
      }),
      'What was reported about the events of the alert, newest first, at most ten.',
    ),
  },
  { title: 'AlertFacts', description: 'What an alert is decided by: its riskiest event beside what is normal.' },
);

/** Facts, if there is still an event to tell them of. */
export const knownFactsSchema = Type.Object({ facts: Type.Optional(alertFactsSchema) }, { title: 'KnownAlertFacts' });

type Printed = Type.Static<typeof alertFactsSchema>;
type Tenant = Pick<Workspace, 'environment'>;

const actionsMax = 20;
const raisedByMax = 3;

export function printFacts(workspace: Tenant, facts: AlertFacts): Printed {
  const { event, opened, payee, device, address } = facts;
  const known = {
    channelId: event.channel_id ?? undefined,
    amount: event.amount ?? undefined,
    currency: event.currency ?? undefined,
    clientRef: event.subject ?? undefined,
    client: opened && clientOf(opened.event),
    sessionRef: event.session_index?.toString('base64url'),
    payee: payee && printKnown(payee),
    device: device && { ...printKnown(device), ...deviceIn(device.facts) },
    address: address && { ...printKnown(address), ...originIn(address.facts) },
  };
  return {
    event: eventId(event, workspace),
    kind: event.kind,
    at: atOf(event),
    hour: facts.hour,
    rules: event.fired,
    models: facts.models.map((model) => ({
      name: model.name,
      p: model.p,
      raisedBy: mostRaising(model, raisedByMax).map(({ words }) => words),
    })),
    ...withoutUndefined(known),
    usual: printUsual(workspace, facts.usual),
    linked: facts.linked.map(printLinked),
    earlier: facts.earlier.map(printEarlier),
    earlierCounts: facts.earlierCounts,
    actions: facts.actions.slice(0, actionsMax),
    outcomes: facts.reports.map((report) => printReport(workspace, report)),
  };
}

/** The time in the event, or else when it was received. */
function atOf({ event_at: eventAt, logged_at: loggedAt }: AlertFacts['event']): string {
  return (eventAt ?? loggedAt).toISOString();
}

function printKnown({ index, value, earlier, firstAtMs }: KnownThing) {
  const firstAt = firstAtMs === undefined ? undefined : isoOf(firstAtMs);
  return { ref: index.toString('base64url'), earlier, ...withoutUndefined({ value, firstAt }) };
}

function deviceIn(facts: KnownThing['facts']) {
  return withoutUndefined({ os: textOf(facts['device.os']), browser: textOf(facts['device.browser']) });
}

function originIn(facts: KnownThing['facts']) {
  const asn = facts['ip.asn'];
  return withoutUndefined({
    country: textOf(facts['ip.country']),
    city: textOf(facts['ip.city']),
    asn: typeof asn === 'number' ? asn : undefined,
    operator: textOf(facts['ip.organisation']),
    hosting: facts['ip.hosting'] === true ? true : undefined,
    anonymous: facts['ip.anonymous'] === true ? true : undefined,
  });
}

function textOf(fact: unknown): string | undefined {
  return typeof fact === 'string' ? fact : undefined;
}

function printUsual(workspace: Tenant, { sinceMs, payments, ...counts }: Usual): Printed['usual'] {
  return {
    ...counts,
    ...(sinceMs === undefined ? {} : { since: isoOf(sinceMs) }),
    payments: payments.map((row) => ({
      event: eventId(row, workspace),
      at: atOf(row),
      amount: row.amount!,
      fired: row.fired.length > 0,
    })),
  };
}

function printLinked({ subject, client, shares, lastAtMs, alert }: LinkedClient): Printed['linked'][number] {
  return {
    clientRef: subject,
    shares,
    lastAt: isoOf(lastAtMs),
    ...(client === undefined ? {} : { client }),
    ...(alert === undefined
      ? {}
      : {
          alert: { id: alert.id, state: alert.state, ...withoutUndefined({ outcome: alert.outcome ?? undefined }) },
        }),
  };
}

function printEarlier(alert: EarlierAlert): Printed['earlier'][number] {
  const { id, state, risk, reasons, outcome, fraud_type: fraudType, opened_at: openedAt } = alert;
  const members = withoutUndefined({ outcome: outcome ?? undefined, fraudType: fraudType ?? undefined });
  return { id, state, risk, reasons, openedAt: openedAt.toISOString(), ...members };
}

function printReport(workspace: Tenant, report: BankReport): Printed['outcomes'][number] {
  const { offset, epoch, outcome, author, reported_at: reportedAt } = report;
  return {
    event: eventId({ offset, epoch }, workspace),
    outcome,
    author,
    reportedAt: reportedAt.toISOString(),
    ...withoutUndefined({
      type: report.type ?? undefined,
      loss: report.loss ?? undefined,
      recovered: report.recovered ?? undefined,
      currency: report.currency ?? undefined,
    }),
  };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
