/** Repeated failures are logged immediately, and then counted. */
import { expect, it } from 'vitest';
import { makeLogger } from '../../../src/platform/observability/logger.ts';
import { serializeError } from '../../../src/platform/observability/serialize-error.ts';
import { RepeatedLines } from '../../../src/platform/observability/repeated-lines.ts';
import { VirtualClock } from '../../deliver/support/virtual-clock.ts';

const startMs = Date.UTC(2026, 10, 24, 3);

function open() {
  const clock = new VirtualClock(startMs);
  const repeats = new RepeatedLines(clock);
  const written: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void written.push(JSON.parse(line)) };
  return { clock, repeats, log: makeLogger({ level: 'info', to, repeats }), written };
}

const full = (): Error => Object.assign(new Error('No space left on device'), { code: '53100' });

it('a repeated line is logged immediately, then every 30 s with its count and last time', async () => {
  const { clock, log, written } = open();
  for (let second = 0; second < 60; second++) {
    log.error({ err: full() }, 'a background query of the database failed');
    await clock.advance(1_000);
  }
  const line = { level: 'error', msg: 'a background query of the database failed', err: { code: '53100' } };
  expect(written).toMatchObject([
    line,
    { ...line, repeats: 29, lastAt: '2026-11-24T03:00:29.000Z' },
    { ...line, repeats: 30, lastAt: '2026-11-24T03:00:59.000Z' },
  ]);
  expect(written[0]).not.toHaveProperty('repeats');
});

it('a line that comes once is logged once, and again immediately if it comes later', async () => {
  const { clock, log, written } = open();
  log.warn('a file is old');
  await clock.advance(30_000);
  expect(written).toHaveLength(1);
  log.warn('a file is old');
  expect(written).toHaveLength(2);
  await clock.advance(60_000);
  expect(written).toHaveLength(2);
});

it('lines are distinct if anything but a stack differs', () => {
  const { log, written } = open();
  const because = (cause: Error): Error => new Error('not stored', { cause });
  const different: readonly (readonly [object, string])[] = [
    [{ err: full() }, 'it failed'],
    [{ err: full() }, 'something else failed'],
    [{ err: full(), workspace: 'a' }, 'it failed'],
    [{ err: full(), workspace: 'b' }, 'it failed'],
    [{ err: new Error('syntax error') }, 'it failed'],
    [{ err: because(full()) }, 'it failed'],
    [{ err: because(new Error('syntax error')) }, 'it failed'],
    [{ range: { from: 1 } }, 'it failed'],
    [{ range: { from: 2 } }, 'it failed'],
  ];
  for (const line of different) log.error(...line);
  expect(written).toHaveLength(different.length);
  for (const line of different) log.error(...line);
  // In the form in which it comes from the engine thread.
  log.error({ err: structuredClone(serializeError(full())) }, 'it failed');
  expect(written).toHaveLength(different.length);
  log.warn({ err: full() }, 'it failed');
  expect(written).toHaveLength(different.length + 1);
});

it('failures caused by an unreachable database are counted together, in whichever part they are logged', async () => {
  const { clock, log, written } = open();
  const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
  for (let second = 0; second < 30; second++) {
    log.warn({ err: refused() }, 'a background query of the database failed');
    // In the form in which it comes from the engine thread.
    log.error({ workspace: 'a', err: structuredClone(serializeError(starting)) }, 'the engine host starts again');
    await clock.advance(1_000);
  }
  log.error({ check: 'database', times: 1, err: refused() }, 'the database does not answer');
  log.error({ err: full() }, 'events could not be stored');
  expect(written).toMatchObject([
    { level: 'warn', msg: 'a background query of the database failed' },
    { level: 'error', msg: 'the database cannot be reached', err: { code: '57P03' }, repeats: 59 },
    { level: 'error', msg: 'the database does not answer' },
    { level: 'error', msg: 'events could not be stored' },
  ]);
  expect(written[1]).not.toHaveProperty('workspace');
});

it('a line at level info is written each time', () => {
  const { log, written } = open();
  for (let count = 0; count < 3; count++) log.info({ workspace: 'a' }, 'this process now owns the workspace');
  expect(written).toHaveLength(3);
});

it('distinct lines are limited: from the hundredth on, lines are counted by message', async () => {
  const { clock, log, written } = open();
  for (let count = 0; count < 1_000; count++) log.error({ requestId: `r-${count}` }, 'a request failed');
  log.error({ offset: 7 }, 'a record was quarantined');
  expect(written).toHaveLength(102);
  await clock.advance(30_000);
  expect(written.slice(102)).toMatchObject([{ msg: 'a request failed', requestId: 'r-999', repeats: 899 }]);
});

it('counted lines are reported at the end of the process', async () => {
  const { clock, repeats, log, written } = open();
  for (let count = 0; count < 3; count++) log.error({ err: full() }, 'it failed');
  repeats.sayAll();
  expect(written).toMatchObject([{ msg: 'it failed' }, { msg: 'it failed', repeats: 2 }]);
  await clock.advance(60_000);
  expect(written).toHaveLength(2);
});
