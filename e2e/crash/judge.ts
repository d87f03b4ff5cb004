import type { Acknowledged, Report } from '../harness/ledger.ts';
import type { SeenEvent } from '../harness/management.ts';

/** The data of both sides after a run. */
export interface Books {
  /** The bank's ledger. */
  readonly reports: readonly Report[];
  /** The actions requested from the bank: the first POST of each webhook id. */
  readonly executed: readonly { readonly webhookId: string; readonly body: string }[];
  /** What the service shows and stores. */
  readonly events: readonly SeenEvent[];
  readonly actions: readonly { readonly id: string; readonly event: string }[];
  /** Ids of events that may be lost. */
  readonly forgotten?: ReadonlySet<string> | undefined;
}

/** Each list names the violations of one promise, and is empty if it was kept. */
export interface Broken {
  /** Acknowledged events that are lost: the id is unknown, belongs to another event, or was given twice. */
  readonly lost: readonly string[];
  /** Acknowledged events without a decision. */
  readonly undecided: readonly string[];
  /** Of a session, more events of a kind are acknowledged than are there: what is lost even if ids may change. */
  readonly lostByName: readonly string[];
  /** Decisions beyond the number of reported events: repeats carry an Idempotency-Key and are never decided again. */
  readonly decidedTwice: readonly string[];
  /** Events with more than one action where the policy requests one. */
  readonly actionRows: readonly string[];
  /**
   * Acknowledged marked operations that the bank did not execute exactly once, and other operations that it executed
   * twice.
   */
  readonly executions: readonly string[];
}

export function judge(books: Books): Broken {
  const acknowledged = books.reports.filter((report): report is Acknowledged => report.eventId !== undefined);
  const events = new Map(books.events.map((event) => [event.id, event]));
  return {
    lost: lost(acknowledged, events),
    undecided: acknowledged.flatMap(({ eventId }) => {
      const { status = 'decided' } = events.get(eventId) ?? {};
      return ['decided', 'repeat'].includes(status) ? [] : [`${eventId} ${status}`];
    }),
    lostByName: lostByName(
      acknowledged.filter(({ eventId }) => books.forgotten?.has(eventId) !== true),
      books.events,
    ),
    decidedTwice: decidedTwice(books),
    actionRows: [...Map.groupBy(books.actions, ({ event }) => event)]
      .filter(([, same]) => same.length > 1)
      .map(([event, same]) => `${event}: ${same.map(({ id }) => id).join(' ')}`),
    executions: executions(books),
  };
}

/** A log that lost its end reuses ids. So an event with that id must exist, and it must be the reported one. */
function lost(acknowledged: readonly Acknowledged[], events: ReadonlyMap<string, SeenEvent>): readonly string[] {
  const owners = new Map<string, string>();
  return acknowledged.flatMap(({ eventId, reference, kind, session }) => {
    const owner = owners.get(eventId);
    owners.set(eventId, reference);
    if (owner !== undefined) return [`${eventId} was given to ${owner} and to ${reference}`];
    const seen = events.get(eventId);
    if (seen === undefined) return [`${eventId} (${reference}) is not there`];
    return seen.kind === kind && seen.session === session ? [] : [`${eventId} is not ${reference}, but another event`];
  });
}

/** Every visit has its own session. */
function lostByName(acknowledged: readonly Acknowledged[], events: readonly SeenEvent[]): readonly string[] {
  const nameOf = ({ kind, session = '' }: { readonly kind: string; readonly session?: string }): string =>
    `${kind} of ${session}`;
  const present = Map.groupBy(events, nameOf);
  return [...Map.groupBy(acknowledged, nameOf)]
    .filter(([name, same]) => same.length > (present.get(name)?.length ?? 0))
    .map(([name, same]) => `${name}: ${present.get(name)?.length ?? 0} of ${same.length} acknowledged`);
}

/** Every visit has its own session, so the decisions of a session can be compared with the reported events. */
function decidedTwice({ reports, events }: Books): readonly string[] {
  const nameOf = ({ kind, session = '' }: { readonly kind: string; readonly session?: string }): string =>
    `${kind} of ${session}`;
  const reported = Map.groupBy(reports, nameOf);
  const decided = Map.groupBy(
    events.filter(({ status }) => status === 'decided'),
    nameOf,
  );
  return [...decided]
    .filter(([name, same]) => same.length > (reported.get(name)?.length ?? 0))
    .map(([name, same]) => `${name}: ${same.length} decisions for ${reported.get(name)?.length ?? 0} reports`);
}

function executions({ reports, executed, actions }: Books): readonly string[] {
  const eventOf = new Map(actions.map(({ id, event }) => [id, event]));
  const byReference = Map.groupBy(executed, ({ body }) => messageOf(body));
  const complaints = reports.flatMap(({ reference, marked, eventId }) => {
    const times = byReference.get(reference) ?? [];
    if (times.length > 1) return [`${reference}: executed ${times.length} times`];
    if (!marked || eventId === undefined) return [];
    const [only] = times;
    if (only === undefined) return [`${reference}: never executed`];
    return eventOf.get(only.webhookId) === eventId
      ? []
      : [`${reference}: executed for another event, as ${only.webhookId}`];
  });
  const known = new Set(reports.map(({ reference }) => reference));
  const strange = [...byReference.keys()].filter((reference) => !known.has(reference));
  return [...complaints, ...strange.map((reference) => `${reference}: executed, and never reported`)];
}

/** The crash policy writes the operation's reference into the message. */
export function messageOf(body: string): string {
  return (JSON.parse(body) as { readonly message: string }).message;
}
