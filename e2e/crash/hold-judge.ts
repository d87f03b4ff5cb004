import type { ReceivedAction } from '../harness/webhook-receiver.ts';
import type { HeldPayment } from './hold-bank.ts';

/** Each list names the violations of one promise, and is empty if it was kept. */
export interface BrokenHolds {
  /** Held operations that the bank was never asked to hold, or never told the end of. */
  readonly lost: readonly string[];
  /** Ends under more than one webhook id, which a bank executes twice; or one that releases and one that rejects. */
  readonly doubled: readonly string[];
  /** Ends of a hold that was never asked for, or that name another event or another reference. */
  readonly strange: readonly string[];
}

/** Compares the payments of the bank with the webhooks that arrived. */
export function judgeHolds(payments: readonly HeldPayment[], received: readonly ReceivedAction[]): BrokenHolds {
  const asked = received.filter((action) => resolvesOf(action) === undefined);
  const askedById = new Map(asked.map((action) => [action.webhookId, action]));
  const ends = received.filter((action) => resolvesOf(action) !== undefined);
  const endsOf = Map.groupBy(ends, (action) => resolvesOf(action)!);
  const idOf = new Map(asked.map((action) => [eventOf(action), action.webhookId]));
  const lost = payments.flatMap(({ reference, eventId }) => {
    const webhookId = idOf.get(eventId);
    if (webhookId === undefined) return [`${reference}: never asked to hold`];
    return endsOf.has(webhookId) ? [] : [`${reference}: its hold never ends`];
  });
  const doubled = [...endsOf].flatMap(([webhookId, same]) => {
    const ids = new Set(same.map((end) => end.webhookId));
    return ids.size === 1 ? [] : [`the hold ${webhookId} ends ${ids.size} times`];
  });
  const strange = ends.flatMap((end) => {
    const ask = askedById.get(resolvesOf(end)!);
    if (ask === undefined) return [`${end.webhookId} ends a hold that nothing asked for`];
    const isSame = eventOf(end) === eventOf(ask) && messageOf(end) === messageOf(ask);
    return isSame ? [] : [`${end.webhookId} names another payment than ${ask.webhookId}`];
  });
  return { lost, doubled, strange };
}

/**
 * What a bank would receive if the end of a hold had a new id in every attempt. The last end arrives twice, as after a
 * lost answer: in a short run no other may.
 */
export function withoutDerivedIds(received: readonly ReceivedAction[]): readonly ReceivedAction[] {
  const last = received.findLast((action) => resolvesOf(action) !== undefined);
  const again = last === undefined ? received : [...received, last];
  return again.map((action, place) =>
    resolvesOf(action) === undefined ? action : { ...action, webhookId: `act_random_${place}` },
  );
}

function resolvesOf({ headers }: ReceivedAction): string | undefined {
  return one(headers['ringfence-resolves']);
}

function eventOf({ headers }: ReceivedAction): string | undefined {
  return one(headers['ringfence-event']);
}

function messageOf({ body }: ReceivedAction): string {
  return (JSON.parse(body) as { readonly message: string }).message;
}

function one(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
