import type { EventDetail } from '../../api/operations.generated.ts';

export type DerivedGroup = 'device' | 'address' | 'session' | 'client' | 'features';

interface Group {
  readonly name: DerivedGroup;
  readonly facts: readonly (readonly [path: string, value: string])[];
}

const order: readonly DerivedGroup[] = ['device', 'address', 'session', 'client', 'features'];
const groupOf: Readonly<Record<string, DerivedGroup>> = {
  device: 'device',
  ip: 'address',
  travel: 'address',
  session: 'session',
  client: 'client',
  payee: 'client',
  event: 'client',
};
/** Members of the body, which another panel shows. */
const received = new Set([
  'channelId',
  'user',
  'publicIp',
  'data',
  'timestamp',
  'transaction',
  'account',
  'order',
  'accountTo',
  'debitFrom',
  'creditTo',
  'creditCard',
]);

/**
 * Derived data of an event in groups, without empty ones: its enrichment, its session match, and what the fired rules
 * read of sessions, clients and features.
 */
export function derivedGroups({ derived, rules, matched, mismatch }: EventDetail): readonly Group[] {
  const facts = new Map<string, string>(Object.entries(derived ?? {}).map(([path, value]) => [path, String(value)]));
  if (matched !== undefined) facts.set('session.matched', String(matched));
  if (mismatch !== undefined) facts.set('session.mismatch', mismatch);
  for (const rule of rules) for (const [path, value] of Object.entries(rule.facts)) facts.set(path, value);
  const groups = Map.groupBy(facts, ([path]) => nameOf(path));
  return order.flatMap((name) => {
    const own = groups.get(name);
    return own === undefined ? [] : [{ name, facts: own }];
  });
}

function nameOf(path: string): DerivedGroup | undefined {
  const [about = ''] = path.split('.');
  if (path.includes('.')) return groupOf[about];
  return received.has(about) ? undefined : 'features';
}
