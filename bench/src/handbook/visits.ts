import { between, seededRandom } from '@ringfence/e2e';
import type { Rows } from './rows.ts';

/** Consecutive operations of one customer within this time belong to one visit. */
const visitGapS = 20 * 60;
/** Share of visits that end with a logout; the others expire. */
const logoutShare = 0.6;

/** The sessions around the operations, one array per column: visit `v` begins before its first operation. */
export interface Visits {
  readonly count: number;
  /** The visit of each row. */
  readonly ofRow: Uint32Array;
  readonly customer: Uint16Array;
  readonly loginEpochS: Uint32Array;
  /** 0 for visits without a logout. */
  readonly logoutEpochS: Uint32Array;
  /** Which of the customer's devices and addresses: 0 is the usual one; above 9 is a new one. */
  readonly device: Uint8Array;
  readonly address: Uint8Array;
}

/** Groups the operations into visits and gives each a login, usually a logout, a device and an address, by the seed. */
export function planVisits(rows: Rows, seed: number): Visits {
  const random = seededRandom(seed);
  const visits = emptyVisits(rows.count);
  const latest = new Map<number, { visit: number; endS: number }>();
  let count = 0;
  for (let row = 0; row < rows.count; row++) {
    const customer = rows.customer[row] ?? 0;
    const atS = rows.epochS[row] ?? 0;
    const open = latest.get(customer);
    if (open === undefined || atS - open.endS > visitGapS) {
      const visit = count++;
      const strange = rows.fraud[row] === 1 && random() < 0.7;
      visits.customer[visit] = customer;
      visits.loginEpochS[visit] = atS - between(random, 5, 90);
      visits.device[visit] = pick(random(), strange, visit);
      visits.address[visit] = pick(random(), strange, visit);
      latest.set(customer, { visit, endS: atS });
    } else {
      open.endS = atS;
    }
    visits.ofRow[row] = latest.get(customer)?.visit ?? 0;
  }
  planLogouts(rows, visits, random);
  return { ...visits, count };
}

/** The last operation plus half a minute to three minutes, for most visits. */
function planLogouts(rows: Rows, visits: Visits, random: () => number): void {
  for (let row = rows.count - 1; row >= 0; row--) {
    const visit = visits.ofRow[row] ?? 0;
    if ((visits.logoutEpochS[visit] ?? 0) !== 0) continue;
    visits.logoutEpochS[visit] = random() < logoutShare ? (rows.epochS[row] ?? 0) + between(random, 30, 180) : never;
  }
  for (let visit = 0; visit < visits.count; visit++) {
    if (visits.logoutEpochS[visit] === never) visits.logoutEpochS[visit] = 0;
  }
}

/** Marks a visit that was processed and has no logout. */
const never = 1;

function pick(chance: number, strange: boolean, visit: number): number {
  if (strange) return 10 + (visit % 240);
  return chance < 0.85 ? 0 : chance < 0.97 ? 1 : 2;
}

function emptyVisits(count: number): Visits {
  return {
    count,
    ofRow: new Uint32Array(count),
    customer: new Uint16Array(count),
    loginEpochS: new Uint32Array(count),
    logoutEpochS: new Uint32Array(count),
    device: new Uint8Array(count),
    address: new Uint8Array(count),
  };
}
