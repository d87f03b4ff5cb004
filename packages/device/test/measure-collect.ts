/**
 * Measures collections in the machine's Chromium: each on a page that was just loaded, in one browser that stays open,
 * as a person's does; for a returning browser, and for a new one. Also measures the longest time for which a collection
 * blocked the page, and how often the id had its proof. Not a test: `node packages/device/test/measure-collect.ts
 * [rounds]`. Results, also for a machine that is too busy: docs/internals/device-tokens.md.
 */
import type { Page } from 'playwright-core';
import { noChromium } from '../../../tools/testing/chromium.ts';
import { type BankBrowser, openBankBrowser, scriptElement } from './bank-browser.ts';
import { claimOf } from './opened-token.ts';

const rounds = Number(process.argv[2] ?? 40);

const bank = await openBankBrowser((integrity) => ({
  '/login': { body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}<h1>Log in</h1>` },
}));
if (bank === undefined) throw new Error(noChromium);
try {
  process.stdout.write(`Chromium ${bank.browser.version()}, ${rounds} page loads each, milliseconds\n`);
  for (const profile of ['essential', 'full'] as const) {
    for (const visitor of ['known', 'new'] as const) await measure(bank, profile, visitor);
  }
} finally {
  await bank.close();
}

async function measure(
  { newContext, site, workspace }: BankBrowser,
  profile: 'essential' | 'full',
  visitor: 'known' | 'new',
): Promise<void> {
  let context = await newContext(1);
  const times: number[] = [];
  const stretches: number[] = [];
  let characters = 0;
  let proofs = 0;
  for (let round = 0; round < rounds; round++) {
    if (visitor === 'new') {
      await context.close();
      context = await newContext(1);
    }
    const page = await context.newPage();
    await page.goto(`${site.origin}/login`);
    const { token, ms, stretchMs } = await collectTimed(page, { keys: workspace.keys, channelId: 2, profile });
    await page.close();
    if (token === '') throw new Error('no token');
    times.push(ms);
    stretches.push(stretchMs);
    characters = token.length;
    if (claimOf(await workspace.open(token)).proof !== undefined) proofs++;
  }
  await context.close();
  const first = times[0]!.toFixed(0);
  process.stdout.write(
    `${profile.padEnd(9)} ${visitor.padEnd(5)}  first ${first}  median ${at(times, 0.5)}  p95 ${at(times, 0.95)}` +
      `  longest stretch: median ${at(stretches, 0.5)}  p95 ${at(stretches, 0.95)}` +
      `  token ${characters} characters  proved ${proofs} of ${rounds}\n`,
  );
}

type Options = Omit<Parameters<typeof ringfence.collect>[0], 'worker' | 'onTrouble' | 'keys'> & {
  readonly keys: BankBrowser['workspace']['keys'];
};

interface Timed {
  readonly token: string;
  readonly ms: number;
  readonly stretchMs: number;
}

/** During the collection, a task reschedules itself again and again: its delay is what a person would notice. */
function collectTimed(page: Page, options: Options): Promise<Timed> {
  return page.evaluate(async (given) => {
    const { port1, port2 } = new MessageChannel();
    let lastMs = performance.now();
    let stretchMs = 0;
    port1.addEventListener('message', () => {
      stretchMs = Math.max(stretchMs, performance.now() - lastMs);
      lastMs = performance.now();
      port2.postMessage(0);
    });
    port1.start();
    port2.postMessage(0);
    const startedMs = performance.now();
    const token = await ringfence.collect(given);
    const ms = performance.now() - startedMs;
    port1.close();
    return { token, ms, stretchMs };
  }, options);
}

function at(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!.toFixed(0);
}
