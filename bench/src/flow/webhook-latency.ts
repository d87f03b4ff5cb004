import { eventually, type WebhookReceiver } from '@ringfence/e2e';
import { runLoad } from '../load/run-load.ts';
import { Histogram } from '../measure/histogram.ts';
import { markedReason } from '../product/bench-policy.ts';
import type { Bar } from '../report/bars.ts';
import { figure, table } from '../report/table.ts';
import { type LoadOptions, latencies, notAccepted, planOf, settleMs, type Stage } from './stage.ts';

const ratePerSecond = 500;
const p50MsMax = 20;
const p99MsMax = 150;
/** One operation in this many requests an action: 40 webhooks a second. */
const markEvery = 10;

/** The latency from the 200 of a marked operation to the POST of its action, both measured outside of the service. */
export async function webhookLatency(
  { product, receiver, print }: Stage,
  options: LoadOptions,
): Promise<readonly Bar[]> {
  const load = await runLoad(planOf(product, { ...options, rate: ratePerSecond, markEvery, run: 3 }));
  const accepted = Object.entries(load.markedAtMs);
  const arrivals = await eventually('every marked operation reached the bank', settleMs, () => {
    const found = arrivalsOf(receiver);
    return accepted.every(([reference]) => found.has(reference)) ? found : undefined;
  }).catch(() => arrivalsOf(receiver));
  const latency = new Histogram();
  for (const [reference, atMs] of accepted) {
    const arrived = arrivals.get(reference);
    if (arrived !== undefined) latency.record((arrived - atMs) * 1_000);
  }
  print(
    table([
      ['accepted/s', 'p50', 'p99', 'slowest', 'webhooks', 'POST p50', 'POST p99', 'slowest'],
      [figure(load.perSecond), ...latencies(load.latency), String(latency.count), ...latencies(latency)],
    ]),
  );
  return [
    { what: 'responses other than 200', measured: notAccepted(load), bar: 0, must: 'stay below', unit: '' },
    {
      what: 'marked operations without a webhook',
      measured: accepted.length - latency.count,
      bar: 0,
      must: 'stay below',
      unit: '',
    },
    {
      what: 'accepted to POST, p50',
      measured: latency.quantileUs(0.5) / 1_000,
      bar: p50MsMax,
      must: 'stay below',
      unit: 'ms',
    },
    {
      what: 'accepted to POST, p99',
      measured: latency.quantileUs(0.99) / 1_000,
      bar: p99MsMax,
      must: 'stay below',
      unit: 'ms',
    },
  ];
}

/** When the first webhook of each marked operation arrived, by the clock that all processes share. */
function arrivalsOf(receiver: WebhookReceiver): ReadonlyMap<string, number> {
  const arrivals = new Map<string, number>();
  for (const { body, atMs } of receiver.executed.values()) {
    const { reason, message } = JSON.parse(body) as { readonly reason: number; readonly message: string };
    if (reason === markedReason) arrivals.set(message, performance.timeOrigin + atMs);
  }
  return arrivals;
}
