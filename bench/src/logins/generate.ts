import { dayMs, minuteMs } from '@ringfence/contract';
import { seededRandom } from '@ringfence/e2e';
import { type AttackKind, attackOn } from './attackers.ts';
import { type Client, companiesOf, newClient, nextLoginMs, see, type Seen } from './people.ts';
import { worldBeginMs } from './world.ts';

/** A login of the benchmark. */
export interface GeneratedLogin extends Seen {
  readonly client: string;
  readonly atMs: number;
  readonly by: 'client' | AttackKind;
  /** Whether it counts in the result: those before only teach. */
  readonly isJudged: boolean;
}

/** How many logins there are. */
export interface Population {
  readonly clients: number;
  /** Honest logins that are judged: the last ones of clients who have logged in before. */
  readonly judged: number;
  /** Attacks of each kind, each on another client. */
  readonly attacks: number;
}

/** The time over which the clients log in; some join later. */
const spanMs = 100 * dayMs;
const joinsLater = 0.3;

/**
 * Logins in order of time: a history that teaches, then honest logins that are judged and, on the same days, attacks of
 * one kind. The honest ones are the same with every kind of attack and without. The same for the same seed.
 */
export function generateLogins(
  seed: number,
  population: Population,
  kind: AttackKind | undefined,
): readonly GeneratedLogin[] {
  const random = seededRandom(seed);
  const worked = companiesOf(random);
  const clients = Array.from({ length: population.clients }, (_, at) =>
    newClient(random, { name: `client-${at}`, worked, spanMs }),
  );
  const times = clients
    .flatMap((client) => loginTimes(random, client).map((atMs) => ({ client, atMs })))
    .toSorted((a, b) => a.atMs - b.atMs);
  const begun = new Set<string>();
  const again: number[] = [];
  const honest = times.map(({ client, atMs }, at): GeneratedLogin => {
    if (begun.has(client.name)) again.push(at);
    begun.add(client.name);
    return { client: client.name, atMs, by: 'client', isJudged: false, ...see(random, client, atMs) };
  });
  const judged = new Set(again.slice(-population.judged));
  const from = Math.min(...judged);
  const all = honest.map((login, at) => ({ ...login, isJudged: judged.has(at) }));
  if (kind === undefined) return all;
  const known = new Set(honest.slice(0, from).map(({ client }) => client));
  const victims = clients.filter(({ name }) => known.has(name)).slice(0, population.attacks);
  const attackers = seededRandom(seed + 1_000_003);
  const attacks = victims.map((client): GeneratedLogin => {
    const nearMs = honest[from]!.atMs + dayMs + attackers() * (worldBeginMs + spanMs - honest[from]!.atMs - 2 * dayMs);
    return { client: client.name, by: kind, isJudged: true, ...attackOn(attackers, kind, { client, nearMs }) };
  });
  return [...all, ...attacks].toSorted((a, b) => a.atMs - b.atMs);
}

function loginTimes(random: () => number, client: Client): readonly number[] {
  const times: number[] = [];
  let atMs = worldBeginMs + (random() < joinsLater ? random() * spanMs * 0.8 : 0);
  for (;;) {
    atMs = Math.max(atMs + minuteMs, nextLoginMs(random, client, atMs));
    if (atMs >= worldBeginMs + spanMs) return times;
    times.push(atMs);
  }
}
