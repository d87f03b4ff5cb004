import type { Client } from 'pg';
import { expect, it } from 'vitest';
import { unasked } from '../src/console/coverage.ts';
import { questions } from '../src/console/questions.ts';

const found = {
  client: 'c',
  session: 's',
  payee: 'p',
  ip: 'i',
  device: 'd',
  alert: 'a',
  hold: 'h',
  event: 'evt_1_1',
  middle: 'm',
};
const database = { query: async () => ({ rows: [found] }) } as unknown as Client;

it('requests every list and filter of the management API', async () => {
  expect(unasked(await questions(database, 'workspace'))).toEqual([]);
});
