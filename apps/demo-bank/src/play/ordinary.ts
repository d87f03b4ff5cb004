import { addressOf } from './addresses.ts';
import type { Random } from './random.ts';
import type { Payee, Step } from './story.ts';

/** A common payee, on the starter policy's list of trusted ones. */
const electricity: Payee = { bank: 'EXAMPLE-BANK', account: '111111111111111111' };
/** How far the request of an operation may precede that of its login. */
const overtakingMs = 100;
/** The longest visit, from first to last step. */
const visitMsMax = 4_500;

export interface OrdinaryPlan {
  readonly clients: number;
  /** From first to last step. */
  readonly spanMs: number;
}

/**
 * Ordinary traffic that no rule may flag: clients pay rent, electricity and each other, return from a second address,
 * log
 * in twice, and forget to log out. Some of it arrives out of order, as in every bank: an operation before its login, or
 * after the logout that followed it.
 */
export function ordinaryTraffic(random: Random, { clients, spanMs }: OrdinaryPlan): readonly Step[] {
  return Array.from({ length: clients }, (_, index) => visitsOf(index + 1, random, spanMs)).flat();
}

/** One or two visits of a client with at most five payments: six within minutes would be a burst. */
function visitsOf(number: number, random: Random, spanMs: number): readonly Step[] {
  const client: Client = {
    user: `client-${String(number).padStart(3, '0')}`,
    home: addressOf(number, 'home'),
    habit: random(120, 900),
    payees: [electricity, { bank: 'BANK-A', account: `9000000000000${String(number).padStart(5, '0')}` }],
  };
  const startMs = random(overtakingMs, spanMs / 2 - visitMsMax);
  const first = visit(client, { number: 1, ip: client.home, startMs, payments: random(1, 3) }, random);
  if (random(1, 4) > 1) return first;
  // Later that day, by phone: another address, known payees.
  const again = spanMs / 2 + random(0, spanMs / 2 - visitMsMax);
  return [
    ...first,
    ...visit(client, { number: 2, ip: addressOf(number, 'phone'), startMs: again, payments: random(1, 2) }, random),
  ];
}

interface Client {
  readonly user: string;
  readonly home: string;
  /** Typical amount of this client, in whole units. */
  readonly habit: number;
  readonly payees: readonly Payee[];
}

interface Visit {
  readonly number: number;
  readonly ip: string;
  readonly startMs: number;
  readonly payments: number;
}

function visit(client: Client, { number, ip, startMs, payments }: Visit, random: Random): readonly Step[] {
  const who = { user: client.user, session: `${client.user}-${number}` };
  const steps: Step[] = [{ atMs: startMs, ...who, does: 'logIn', ip }];
  let atMs = startMs;
  // The operation overtakes its login.
  if (random(1, 8) === 1) steps.push({ atMs: startMs - overtakingMs, ...who, does: 'operate', category: 'balance' });
  // A page reload.
  if (random(1, 8) === 1) steps.push({ atMs: (atMs += 300), ...who, does: 'logIn', ip });
  for (let i = 0; i < payments; i++) {
    atMs += random(300, 1_000);
    steps.push({ atMs, ...who, ...payment(client, random) });
  }
  if (random(1, 5) === 1) return steps;
  atMs += random(200, 600);
  steps.push({ atMs, ...who, does: 'logOut' });
  // Made before the logout, reported after it.
  if (random(1, 8) === 1) {
    steps.push({ atMs: atMs + 100, ...who, does: 'operate', category: 'balance', datedMs: -400 });
  }
  return steps;
}

function payment(client: Client, random: Random) {
  const amount = `${client.habit + random(-50, 50)}.${String(random(0, 99)).padStart(2, '0')}`;
  const payee = client.payees[random(0, client.payees.length - 1)] ?? electricity;
  return { does: 'operate', category: 'transfer', amount, payee } as const;
}
