import type { Client } from 'pg';

/** Something that a page asks; `text` is looked for. */
export interface Question {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
}

/** What the pages of the console ask, with every filter that they have. */
export async function questions(database: Client, workspaceId: string): Promise<readonly Question[]> {
  const known = await database.query<
    Record<'client' | 'session' | 'payee' | 'ip' | 'device' | 'alert' | 'event' | 'middle', string>
  >(
    `select (select subject from event where workspace_id = $1 and subject !~ '^client' order by "offset" desc limit 1) as client,
            (select encode(session_index, 'base64') from event where workspace_id = $1 order by "offset" desc limit 1) as session,
            (select encode(payee, 'base64') from event_entity where workspace_id = $1 and payee is not null order by "offset" desc limit 1) as payee,
            (select encode(ip, 'base64') from event_entity where workspace_id = $1 and ip is not null order by "offset" limit 1) as ip,
            (select encode(device, 'base64') from event_entity where workspace_id = $1 and device is not null order by "offset" desc limit 1) as device,
            (select id from alert where workspace_id = $1 and state = 'open' order by rank desc limit 1) as alert,
            (select 'evt_' || epoch || '_' || "offset" from event where workspace_id = $1 order by "offset" limit 1) as event,
            (select to_char(logged_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from event
              where workspace_id = $1 and "offset" = (select max("offset") / 2 from event where workspace_id = $1)) as middle`,
    [workspaceId],
  );
  const { client, alert, event, middle, ...indexes } = known.rows[0]!;
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
    get('events of a kind that there is not', 'events?kind=logout'),
    get('events of a state', 'events?status=quarantined'),
    get('events of a channel', 'events?channel=2'),
    get('events of a channel that there is not', 'events?channel=9'),
    get('events of a client', `events?about=client:${client}`),
    get('events of a client and a kind', `events?about=client:${client}&kind=logout`),
    get('events of a session', `events?about=session:${ref('session')}`),
    get('events of a payee', `events?about=payee:${ref('payee')}`),
    get('events of a device', `events?about=device:${ref('device')}`),
    get('events of an address, opened', `events?about=ip:${ref('ip')}`),
    get('events of an amount', 'events?amountMin=5000&amountMax=5001'),
    get('events of an amount that there is not', 'events?amountMin=1000000'),
    get('events of a seldom currency', 'events?currency=USD'),
    get('events of a currency that there is not', 'events?currency=EUR'),
    get('events of a seldom currency and amount', 'events?currency=USD&amountMin=9000'),
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
    get('the queue', 'alerts'),
    get('the queue, 200 of them', 'alerts?limit=200'),
    get('the queue, of a rule', 'alerts?reason=307'),
    get('the queue, of a rule that never fired', 'alerts?reason=999'),
    get('the queue, nobody works on', 'alerts?claim=free'),
    get('the queue, somebody works on', 'alerts?claim=claimed'),
    get('alerts that were decided', 'alerts?state=closed'),
    get('alerts that were decided as fraud', 'alerts?state=closed&outcome=fraud'),
    get('numbers of alerts', 'alerts/numbers'),
    get('one alert', `alerts/${alert}`),
    get('actions', 'actions'),
    get('audit', 'audit'),
  ];
}
