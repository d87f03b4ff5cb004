import { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { deliveriesConformance } from '../conformance/deliveries-conformance.ts';
import { outboxConformance } from '../conformance/outbox-conformance.ts';
import { PostgresOutbox } from '../src/postgres-outbox.ts';
import { deliverySteps } from '../src/schema.ts';
import { startListener } from './support/listener.ts';
import { freshDatabase } from './support/postgres.ts';

let pool: Pool;
let listener: Awaited<ReturnType<typeof startListener>>;

beforeAll(async () => {
  const { config } = await freshDatabase();
  pool = new Pool({ ...config, max: 8 });
  listener = await startListener(config);
  await pool.query(deliverySteps.join(''));
});
afterAll(() => Promise.all([listener.close(), pool.end()]));

async function reopen(): Promise<PostgresOutbox> {
  return new PostgresOutbox(pool, listener);
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
