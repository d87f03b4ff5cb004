import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { deliveriesConformance } from '../conformance/deliveries-conformance.ts';
import { outboxConformance } from '../conformance/outbox-conformance.ts';
import { PostgresOutbox } from '../src/postgres-outbox.ts';
import { deliverySchema, finishedActionsIndex } from '../src/schema.ts';
import { freshDatabase } from './support/postgres.ts';

let pool: Pool;
const opened: PostgresOutbox[] = [];

beforeAll(async () => {
  pool = new Pool({ ...(await freshDatabase()).config, max: 8 });
  await pool.query(deliverySchema + finishedActionsIndex);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
});
afterAll(() => pool.end());

async function reopen(): Promise<PostgresOutbox> {
  const outbox = new PostgresOutbox(pool);
  opened.push(outbox);
  return outbox;
}

const harness = {
  open: async () => {
    await pool.query('truncate action, attempt, endpoint, delivery_pause');
    return reopen();
  },
  reopen,
};

outboxConformance('PostgreSQL', harness);
deliveriesConformance('PostgreSQL', harness);
