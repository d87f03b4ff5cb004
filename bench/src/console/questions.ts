import type { Client } from 'pg';
import { liveList } from './fill-work.ts';

/** A request of a page. `text` is searched for. */
export interface Question {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
}

/** All requests of the console's pages, with every filter that they have. */
export async function questions(database: Client, workspaceId: string): Promise<readonly Question[]> {
  const known = await database.query<
    Record<'client' | 'session' | 'payee' | 'ip' | 'device' | 'alert' | 'event' | 'middle', string> & {
      readonly hold: string | null;
    }
  >(
    `select (select subject from event where workspace_id = $1 and subject !~ '^client' order by "offset" desc limit 1) as client,
            (select encode(session_index, 'base64') from event where workspace_id = $1 order by "offset" desc limit 1) as session,
            (select encode(payee, 'base64') from event where workspace_id = $1 and payee is not null order by "offset" desc limit 1) as payee,
            (select encode(ip, 'base64') from event where workspace_id = $1 and ip is not null order by "offset" limit 1) as ip,
            (select encode(device, 'base64') from event where workspace_id = $1 and device is not null order by "offset" desc limit 1) as device,
            (select id from hold where workspace_id = $1 limit 1) as hold,
            (select id from alert where workspace_id = $1 and state = 'open' order by rank desc limit 1) as alert,
            (select 'evt_' || epoch || '_' || "offset" from event where workspace_id = $1 order by "offset" limit 1) as event,
            (select to_char(logged_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from event
              where workspace_id = $1 and "offset" = (select max("offset") / 2 from event where workspace_id = $1)) as middle`,
    [workspaceId],
  );
  const { client, alert, event, middle, hold, ...indexes } = known.rows[0]!;
  const ref = (name: keyof typeof indexes): string =>
    indexes[name].replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const get = (name: string, path: string): Question => ({ name, path });
  const find = (name: string, text: string): Question => ({ name: `search: ${name}`, path: 'search', body: { text } });
  return [
    get('overview, a day', 'overview'),
    get('overview, 30 days', `overview?from=${new Date(Date.now() - 30 * 86_400_000).toISOString()}`),
    get('overview, an hour', `overview?from=${new Date(Date.now() - 3_600_000).toISOString()}`),
    get('events', 'events'),
    get('events, 200 of them', 'events?limit=200'),
    get('events of a kind', 'events?kind=login'),
    get('events of an unknown kind', 'events?kind=logout'),
    get('events of a state', 'events?status=quarantined'),
    get('events of a channel', 'events?channel=2'),
    get('events of an unknown channel', 'events?channel=9'),
    get('events of a client', `events?about=client:${client}`),
    get('events of a client and a kind', `events?about=client:${client}&kind=logout`),
    get('events of a session', `events?about=session:${ref('session')}`),
    get('events of a payee', `events?about=payee:${ref('payee')}`),
    get('events of a device', `events?about=device:${ref('device')}`),
    get('events of an address, opened', `events?about=ip:${ref('ip')}`),
    get('events with an amount', 'events?amountMin=5000&amountMax=5001'),
    get('events with an unknown amount', 'events?amountMin=1000000'),
    get('events in a rare currency', 'events?currency=USD'),
    get('events in an unknown currency', 'events?currency=EUR'),
    get('events with a rare currency and an amount', 'events?currency=USD&amountMin=9000'),
    get('events long ago', `events?to=${middle}`),
    get('events of a rule', 'events?reason=307'),
    get('decisions', 'decisions'),
    get('decisions of a rule that never fired', 'decisions?reason=999'),
    get('one event, opened', `events/${event}`),
    find('a client', 'client-42'),
    find('an account by its number', '17'),
    find('a reference', 'real-42-1'),
    find('an event', event),
    find('nothing', 'nobody-has-this'),
    get('a client and its neighbours', `entities/client/${client}`),
    get('a payee and its neighbours', `entities/payee/${ref('payee')}`),
    get('an address and its neighbours', `entities/ip/${ref('ip')}`),
    ...alertQuestions(get, alert),
    ...holdQuestions(get, { hold, event }),
    ...workQuestions(get, { client, middle, event, place: `entities/ip/${ref('ip')}/places` }),
    ...eventListQuestions(get, { client, middle }),
  ];
}

type Get = (name: string, path: string) => Question;

function alertQuestions(get: Get, alert: string): readonly Question[] {
  return [
    get('the queue', 'alerts'),
    get('200 alerts of the queue', 'alerts?limit=200'),
    get('the queue, of a rule', 'alerts?reason=307'),
    get('the queue, of a rule that never fired', 'alerts?reason=999'),
    get('the queue, not claimed', 'alerts?assigned=none'),
    get('the queue, claimed', 'alerts?assigned=any'),
    ...['risk', 'money', 'oldest', 'newest'].map((sort) => get(`the queue, by ${sort}`, `alerts?sort=${sort}`)),
    get('the queue, of a channel', 'alerts?channel=1'),
    get('the queue, of a channel that never sent', 'alerts?sort=oldest&channel=99'),
    get('the queue, of a risk', 'alerts?sort=risk&riskMin=60'),
    get('the queue, of a currency and an amount', 'alerts?sort=money&currency=MXN&amountMin=100'),
    get('the queue, of a currency that is not used', 'alerts?currency=XTS'),
    get('the queue, of an age', 'alerts?sort=newest&olderThan=60'),
    get('the queue, past its due time', 'alerts?due=over'),
    get('views of the queue', 'alert-views'),
    get('alerts that were decided', 'alerts?state=closed'),
    get('alerts that were decided as fraud', 'alerts?state=closed&outcome=fraud'),
    get('numbers of alerts', 'alerts/numbers'),
    get('one alert', `alerts/${alert}`),
    get('the facts of an alert', `alerts/${alert}/facts`),
    get('alerts of a client', 'alerts?clientRef=client-42'),
    get('alerts of a client by name', 'alerts?client=client-42'),
    get('people who can work on alerts', 'analysts'),
    get('suppressed alerts', 'alert-suppressions'),
  ];
}

/** Held payments, and what the bank reported. Most workspaces hold nothing. */
function holdQuestions(
  get: Get,
  { hold, event }: { readonly hold: string | null; readonly event: string },
): readonly Question[] {
  return [
    get('held payments', 'holds'),
    get('held payments that ended', 'holds?state=rejected'),
    get('held payments of a client', 'holds?clientRef=client-42'),
    get('held payments of a client by name', 'holds?client=client-42'),
    get('the held payment of an event', `holds?event=${event}`),
    ...(hold === null ? [] : [get('one held payment', `holds/${hold}`)]),
    get('reported outcomes', 'outcomes'),
    get('outcomes without an event', 'outcomes?state=unmatched'),
    get('outcomes whose operation is not known', 'outcomes?state=open&reasonCode=noOperation'),
    get('outcomes of an event', `outcomes?event=${event}`),
  ];
}

/** The filters that events and decisions share and that need a name. */
function eventListQuestions(get: Get, of: { readonly client: string; readonly middle: string }): readonly Question[] {
  const { client, middle } = of;
  return [
    get('events of a client by name', 'events?client=client-42'),
    get('events of a session by name', 'events?session=session-42'),
    get('events of a payee by name', 'events?payee=B2/17'),
    get('events of a payee by its number', 'events?payee=17'),
    get('events of a bank', 'events?payeeBank=B3'),
    get('events of a rare bank and a kind', 'events?payeeBank=RARE&kind=operation'),
    get('events of an unknown bank', 'events?payeeBank=NONE'),
    get('events of a country', 'events?country=MX'),
    get('events of a rare country and an amount', 'events?country=NG&amountMin=9000&amountMax=9100'),
    get('events of an unknown country', 'events?country=DE'),
    get('searches of events', 'event-views'),
    get('events between two times', `events?from=${middle}&kind=login`),
    get('events of a policy version', 'events?policyVersion=1'),
    get('events of an unknown policy version', 'events?policyVersion=999'),
    get('decisions of a policy version', 'decisions?policyVersion=1'),
    get('decisions of a client by name', 'decisions?client=client-42'),
    get('decisions of a session by name', 'decisions?session=session-42'),
    get('decisions of a kind', 'decisions?kind=logout'),
    get('decisions of a state', 'decisions?status=quarantined'),
    get('decisions of a channel', 'decisions?channel=2'),
    get('decisions of a payee by name', 'decisions?payee=B2/17'),
    get('decisions of a bank', 'decisions?payeeBank=B3'),
    get('decisions of a rare country', 'decisions?country=NG'),
    get('decisions about a client', `decisions?about=client:${client}`),
    get('decisions with a rare currency and an amount', 'decisions?currency=USD&amountMin=9000&amountMax=9100'),
    get('decisions between two times', `decisions?from=${middle}`),
  ];
}

/** Deliveries, integration, lists, policy and audit. */
function workQuestions(
  get: Get,
  of: { readonly client: string; readonly middle: string; readonly event: string; readonly place: string },
): readonly Question[] {
  const { client, middle, event, place } = of;
  return [
    get('actions', 'actions'),
    get('actions, 200 of them', 'actions?limit=200'),
    get('dead actions', 'actions?state=dead'),
    get('capped actions: none exist', 'actions?state=capped'),
    get('actions of a client', 'actions?client=client-42'),
    get('actions of a session', 'actions?session=session-42'),
    get('actions of a rule', 'actions?reason=307'),
    get('actions of a rule that never fired', 'actions?reason=999'),
    get('actions long ago', `actions?to=${middle}`),
    get('actions between two times', `actions?from=${middle}&state=dead`),
    get('integration, with its warnings', 'integration'),
    get('refused requests', 'refused'),
    get('the workspace', ''),
    get('license keys', 'keys'),
    get('signing secrets', 'webhook/secret'),
    get('device keys', 'device-keys'),
    get('versions of the policy', 'policies'),
    get('the files of a version', 'policies/1'),
    get('health of its rules', 'policies/1/health'),
    get('the drift of a model', 'models/cards/drift'),
    get('the drift over a quarter', `models/cards/drift?from=${new Date(Date.now() - 92 * 86_400_000).toISOString()}`),
    get('rules over time', 'rule-history'),
    get('rules over a quarter', `rule-history?from=${new Date(Date.now() - 92 * 86_400_000).toISOString()}`),
    get('versions over time', `policy-activations?from=${new Date(Date.now() - 92 * 86_400_000).toISOString()}`),
    get('policies waiting for approval', 'policies/requests'),
    get('features being backfilled', 'policy-starts'),
    get('backtests', 'backtests'),
    get('models of the policy', 'models'),
    get('trainings', 'trainings'),
    get('histories', 'history'),
    get('lists', 'lists'),
    get('items of a list', `lists/${liveList}/items`),
    get('ended items of a list', `lists/${liveList}/items?state=ended`),
    get('rules that leave somebody alone', 'suppressions'),
    get('destinations of notifications', 'notifications'),
    get('labels', 'labels'),
    get('labels of an event', `events/${event}/labels`),
    get('notes about a client', `clients/${client}/notes`),
    get('places of an address', place),
    get('audit', 'audit'),
    get('audit, 200 entries', 'audit?limit=200'),
    get('audit of a person', 'audit?actor=person-7@bank.example'),
    get('audit entries of an account without any', 'audit?actor=nobody@bank.example'),
    get('audit entries of an operation', 'audit?action=personalData.show'),
    get('audit entries of an operation that was never performed', 'audit?action=removeAccount'),
    get('audit entries of one object', 'audit?target=evt_1_4242'),
    get('audit between two times', `audit?from=2026-01-01&to=${middle}`),
    get(
      'old audit entries of a person and an operation',
      `audit?actor=person-7@bank.example&action=closeAlert&to=${middle}`,
    ),
  ];
}
