/** Threads that lose the database report that, and not an internal error. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Backtests } from '../../../src/backtest/backtests/backtests.ts';
import { Queries } from '../../../src/backtest/queries/queries.ts';
import type { Heard } from '../../../src/backtest/queries/query.ts';
import { managementKit, type ManagementKit } from '../../api/support/management-kit.ts';

const nobody = { host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' };
const logger = { error: (): void => {} };

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

it('a query of the log', async () => {
  const inquiries = new Queries({ database: nobody, logger, monotonicMs: () => 0 });
  const heard = await new Promise<Heard>((resolve) => {
    const inquiry = { kind: 'decideThen', asked: { offset: 0 } } as const;
    inquiries.begin({ workspace: kit.workspace, inquiry, by: 'mara' }, resolve);
  });
  expect(heard).toEqual({
    kind: 'failed',
    code: 'database.unavailable',
    detail: 'The database connection was lost. Try again.',
  });
});

it('a backtest', async () => {
  const backtests = new Backtests({ pool: kit.pool, database: nobody, logger });
  const files = [{ path: 'a.yaml', text: 'rules: []\n' }];
  const id = await backtests.start(kit.workspace, { candidate: { files }, author: 'mara', against: 'nothing' });
  const error = async (): Promise<string | undefined> =>
    (await kit.pool.query<{ error: string }>('select error from backtest where id = $1', [id])).rows[0]?.error;
  await expect.poll(error).toBe('The database connection was lost. Start the backtest again.');
});
