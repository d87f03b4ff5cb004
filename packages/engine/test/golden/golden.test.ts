/**
 * A stored history with its decisions: a change of the engine that alters one shows in the diff of `decisions.txt` and
 * of `snapshot.txt` (`vitest run -u` writes them). An altered decision or snapshot also needs a new `engineVersion`.
 */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkpointOf } from '../../src/store/checkpoint/checkpoint.ts';
import type { Effect } from '../../src/effect.ts';
import { engineVersion } from '../../src/engine-version.ts';
import { beginMs, LogBuilder, run } from '../log-builder.ts';
import { prng } from '../prng.ts';
import { seededHistory } from '../simulation/history.ts';
import { bankDay } from './bank-day.ts';
import { deviceDay } from './device-day.ts';

function line(effect: Effect): string {
  if (effect.kind === 'waiting') return `${effect.offset} waits until ${seconds(effect.untilMs)}`;
  if (effect.kind === 'action') {
    const { action, state, channelId, session, client, message } = effect;
    return `  action ${action} ${state} channel ${channelId} session "${session}" client ${client ?? '-'}: ${message}`;
  }
  if (effect.kind !== 'decision') return effect.kind;
  const { offset, event, outcome, repeatOf, session, fired, missing } = effect;
  const told = [
    `${offset} ${event} ${outcome}${repeatOf === undefined ? '' : ` of ${repeatOf}`} at ${seconds(effect.atMs)}`,
    ...(effect.eventAtMs === effect.atMs ? [] : [`dated ${seconds(effect.eventAtMs)}`]),
    ...(session === undefined ? [] : [session.mismatch ?? 'matched']),
    ...(missing.length === 0 ? [] : [`missing ${missing.join(' ')}`]),
  ];
  const rules = fired.map(({ reason, mode, suppressed, facts }) => {
    const seen = Object.entries(facts).map(([path, value]) => `${path}=${value}`);
    return `\n  rule ${reason} ${mode}${suppressed === undefined ? '' : ` ${suppressed}`}: ${seen.join(' ')}`;
  });
  return told.join(', ') + rules.join('');
}

function seconds(atMs: number): string {
  return `+${(atMs - beginMs) / 1_000}s`;
}

it.each([
  ['of a small bank', bankDay, 'decisions.txt'],
  ['of devices', deviceDay, 'device-decisions.txt'],
])('decides a day %s as in the stored file', async (_, day, file) => {
  const log = new LogBuilder();
  day(log);
  const { effects } = run(log.records);
  await expect(`${effects.map(line).join('\n')}\n`).toMatchFileSnapshot(file);
});

it('writes the same snapshot as the stored one', async () => {
  const log = new LogBuilder();
  bankDay(log);
  const { globals, entities } = checkpointOf(run(log.records).state);
  const hex = (bytes: Uint8Array | undefined): string =>
    bytes === undefined ? '-' : Buffer.from(bytes).toString('hex');
  const lines = entities.map(
    ({ key, subject, bytes, expiresAtMs }) => `${key} ${subject} ${expiresAtMs} ${hex(bytes)}`,
  );
  const text = [`engine version ${engineVersion}`, `globals ${hex(globals)}`, ...lines.toSorted(), ''].join('\n');
  await expect(text).toMatchFileSnapshot('snapshot.txt');
});

it('decides simulated histories with the stored digest', () => {
  const digest = createHash('sha256');
  for (let seed = 1; seed <= 30; seed++) digest.update(seededHistory(prng(seed), seed, 150).told.join('\n'));
  expect(digest.digest('hex')).toMatchInlineSnapshot(
    `"62ffea83831bc01c14370435e25229ba97b0db3ac6a0d720f598af446cac5646"`,
  );
});
