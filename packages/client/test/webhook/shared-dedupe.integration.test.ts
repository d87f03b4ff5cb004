/** The store of docs/guides/receive-webhooks.md for a bank with several processes, unchanged, on a real PostgreSQL. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../../tools/testing/postgres.ts';
import type { DedupeStore } from '../../src/webhook/dedupe-store.ts';
import { createWebhookReceiver } from '../../src/webhook/receiver.ts';
import { action, licenseKey, secret, signedRequest } from './signed-request.ts';

const guide = readFileSync(resolve(import.meta.dirname, '../../../../docs/guides/receive-webhooks.md'), 'utf8');
const [, table = ''] = /^```sql\n([^]*?)^```$/m.exec(guide) ?? [];
const [, code = ''] = /^```ts\n\/\/ dedupeStore\.ts\n([^]*?)^```$/m.exec(guide) ?? [];

const answer = { code: 1, message: 'closed' } as const;
let pool: Pool;
let newStore: () => DedupeStore;

beforeAll(async () => {
  pool = new Pool((await freshDatabase()).config);
  await pool.query(table);
  const url = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`;
  const { dedupeStore } = (await import(/* @vite-ignore */ url)) as { dedupeStore: (pool: Pool) => DedupeStore };
  newStore = () => dedupeStore(pool);
});
afterAll(() => pool.end());

describe('two processes with the store of the guide', () => {
  it('execute an action once, however often both receive it concurrently', async () => {
    let executions = 0;
    const receivers = [newStore(), newStore()].map((dedupe) =>
      createWebhookReceiver({
        licenseKeys: licenseKey,
        signingSecrets: secret,
        dedupe,
        onAction: async () => ({ executed: ++executions === 1 }),
      }),
    );
    const request = signedRequest(action, { id: 'act_once' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => receivers[number % 2]!.receive(request)),
    );
    expect(executions).toBe(1);
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    expect(await receivers[1]!.receive(request)).toMatchObject({ status: 200, body: { code: 1 } });
  });

  it('give one of them the claim, and the other the answer', async () => {
    const [one, other] = [newStore(), newStore()];
    const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).claim('act_2')));
    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    await one.complete('act_2', answer);
    expect(await other.claim('act_2')).toEqual({ kind: 'answered', answer });
  });

  it('take over from a process that died, but not from one that only failed late', async () => {
    const [late, next, third] = [newStore(), newStore(), newStore()];
    expect(await late.claim('act_3')).toEqual({ kind: 'claimed' });
    expect(await next.claim('act_3')).toEqual({ kind: 'running' });
    await pool.query(`update ringfence_action set claimed_at = now() - interval '3 minutes' where id = 'act_3'`);
    expect(await next.claim('act_3')).toEqual({ kind: 'claimed' });
    await late.release('act_3');
    expect(await third.claim('act_3')).toEqual({ kind: 'running' });
    await next.release('act_3');
    expect(await third.claim('act_3')).toEqual({ kind: 'claimed' });
  });
});
