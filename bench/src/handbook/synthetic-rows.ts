import { between, seededRandom } from '@ringfence/e2e';
import { emptyRows, firstDayEpochS, type Rows } from './rows.ts';

/** As in the handbook: 1.9 operations a day per customer. */
const customers = 4_990;
const terminals = 10_000;
const operationsPerDay = 9_585;
const days = 30;
/** Each customer uses a few terminals near home. */
const terminalsPerCustomer = 28;

/** Generates rows of the handbook's shape: the same for the same seed. They contain no fraud scenario. */
export function syntheticRows(seed: number): Rows {
  const random = seededRandom(seed);
  const rows = emptyRows(`made up from seed ${seed}`, operationsPerDay * days);
  const spacingS = 86_400 / operationsPerDay;
  for (let i = 0; i < rows.count; i++) {
    const customer = between(random, 0, customers - 1);
    rows.epochS[i] = firstDayEpochS + Math.floor(i * spacingS);
    rows.customer[i] = customer;
    rows.terminal[i] = (customer * 2 + between(random, 0, terminalsPerCustomer - 1)) % terminals;
    rows.amountCents[i] = between(random, 100, 20_000);
    rows.fraud[i] = random() < 0.008 ? 1 : 0;
  }
  return rows;
}
