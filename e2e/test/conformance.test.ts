/**
 * The three requests, their answers, and the webhooks are byte for byte those of a recording from before outcomes, holds
 * and signed headers were added. Only what differs each time is replaced: ids of events, digits of dates, clients under
 * a random pepper, and encrypted clients, which are decrypted. Since then two limits were
 * widened, and ids of development begin with `evt_test_`, on purpose.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Exchange, play, type Recording } from '../conformance/play.ts';

/** Refusals name the limits: a session may have 1,024 characters, and an amount more decimals. */
function widened(exchange: Exchange): Exchange {
  const body = exchange.body
    .replaceAll(/("pointer":"[^"]*\/session"[^}]*)256 characters/g, (_, before: string) => `${before}1024 characters`)
    .replaceAll('18 digits before and 6 after the point', '18 digits before the point');
  return { ...exchange, body };
}

it('answers and webhooks equal the recording', async () => {
  const file = new URL('../conformance/recording.json', import.meta.url);
  const recorded = JSON.parse(await readFile(file, 'utf8')) as Recording;
  const played = await play();
  expect(Object.keys(played)).toEqual(Object.keys(recorded));
  for (const [name, { exchanges, webhooks }] of Object.entries(recorded)) {
    expect(played[name]!.exchanges, name).toEqual(exchanges.map(widened));
    expect(played[name]!.webhooks, name).toEqual(webhooks);
  }
}, 180_000);
