/** All failures caused by an unreachable database are reported as one outage. */
import { LogUnavailableError } from '@ringfence/log';
import { expect, it } from 'vitest';
import { makeLogger } from '../../../src/platform/observability/logger.ts';
import { serializeError } from '../../../src/platform/observability/serialize-error.ts';
import { RepeatedLines } from '../../../src/platform/observability/repeated-lines.ts';
import { VirtualClock } from '../../deliver/support/virtual-clock.ts';

function open() {
  const clock = new VirtualClock(Date.UTC(2026, 10, 24, 3));
  const repeats = new RepeatedLines(clock);
  const written: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void written.push(JSON.parse(line)) };
  return { clock, repeats, log: makeLogger({ level: 'info', to, repeats }), written };
}

const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const starting = (): Error => Object.assign(new Error('the database system is starting up'), { code: '57P03' });
const summary = 'the database cannot be reached; failures by message';

it('an outage is logged immediately, then in one line every 30 s, and in full at its end', async () => {
  const { clock, repeats, log, written } = open();
  for (let second = 0; second < 45; second++) {
    log.warn({ err: refused() }, 'a background query of the database failed');
    log.error({ err: new LogUnavailableError('the database did not answer in time') }, 'events could not be stored');
    // In the form in which it comes from the engine thread.
    log.error({ workspace: 'a', err: structuredClone(serializeError(starting())) }, 'the engine host starts again');
    if (second === 3) log.error({ check: 'database', times: 1, err: refused() }, 'the database does not answer');
    await clock.advance(1_000);
  }
  expect(written).toMatchObject([
    { level: 'warn', msg: 'a background query of the database failed', err: { code: 'ECONNREFUSED' } },
    { level: 'error', msg: 'the database does not answer' },
    {
      level: 'error',
      msg: summary,
      err: { code: '57P03' },
      failed: {
        'a background query of the database failed': 29,
        'events could not be stored': 30,
        'the engine host starts again': 30,
      },
      lastAt: '2026-11-24T03:00:29.000Z',
    },
  ]);
  expect(written[2]).not.toHaveProperty('workspace');
  expect(repeats.endOutage()).toEqual({
    'a background query of the database failed': 45,
    'events could not be stored': 45,
    'the engine host starts again': 45,
  });
  await clock.advance(60_000);
  expect(written).toHaveLength(3);
  expect(repeats.endOutage()).toEqual({});
});

it('an outage hides no other failures, and no event that a reachable database refuses', () => {
  const { log, written } = open();
  const full = Object.assign(new Error('No space left on device'), { code: '53100' });
  const overload = new LogUnavailableError('too many appends are waiting');
  log.error({ err: overload }, 'events could not be stored');
  log.error({ err: refused() }, 'the outbox did not answer');
  log.error({ err: new LogUnavailableError('not stored', { cause: full }) }, 'events could not be stored');
  log.error({ err: new Error('syntax error') }, 'a background query of the database failed');
  log.warn('a file is old');
  expect(written.map(({ msg }) => msg)).toEqual([
    'events could not be stored',
    'the outbox did not answer',
    'events could not be stored',
    'a background query of the database failed',
    'a file is old',
  ]);
});

it('a single failure is logged once, and counted ones are reported at the end of the process', async () => {
  const { clock, repeats, log, written } = open();
  log.error({ err: refused() }, 'the outbox did not answer');
  await clock.advance(60_000);
  expect(written).toHaveLength(1);
  log.error({ err: refused() }, 'the outbox did not answer');
  log.error({ err: refused() }, 'the outbox did not answer');
  expect(written).toHaveLength(2);
  repeats.sayAll();
  expect(written.at(-1)).toMatchObject({ msg: summary, failed: { 'the outbox did not answer': 1 } });
});
