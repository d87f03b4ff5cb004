import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PolicyFile } from '@ringfence/policy';
import { between, seededRandom } from '@ringfence/e2e';
import type { History, HistoryEvent } from '../handbook/history.ts';

const featuresFile = fileURLToPath(new URL('../../policies/cards/features.yaml', import.meta.url));

/** Number of payment kinds among rules and operations. */
const categories: readonly string[] = Array.from({ length: 20 }, (_, i) => `category-${i}`);

/** Of ten rules, this many are about one kind of payment; the others are about every operation. */
const ofOneCategory = 7;

/** Conditions that many rules share, as analysts copy them from rule to rule. */
const habits: readonly string[] = [
  'clientCount7d > 3 && order.amount > 5 * clientAvg30d',
  'clientCount7d > 3 && order.amount > 3 * clientAvg30d && clientTerminalFirst == 0s',
  'clientCount1h >= 4 && clientTerminals24h >= 3',
  'clientCount24h >= 8 && clientSum24h > 4 * clientAvg30d',
  'clientSum7d > clientSum24h && clientSum24h > clientSum7d - clientSum24h',
  'terminalCount7d > 5 && order.amount > 4 * terminalAvg30d',
  'terminalFirst < 3d && terminalCount24h >= 6',
  'terminalClients24h >= 12 && terminalSum24h > 900',
  'clientLast < 10m && order.amount > 2 * clientAvg30d',
  'clientTerminal24h >= 3 && clientMax7d > 20 * order.amount',
  'clientCount24h == clientCount1h && clientCount1h >= 4',
  'order.amount >= clientMax7d && clientCount7d > 5',
];

/**
 * A policy of this many rules over the features of `policies/cards`: each has a shared condition, a different
 * threshold, and usually a category.
 */
export async function manyRules(count: number, seed: number): Promise<readonly PolicyFile[]> {
  const random = seededRandom(seed);
  const rules = Array.from({ length: count }, (_, at) => {
    const category =
      at % 10 < ofOneCategory ? `transaction.category == "${categories[at % categories.length]}" && ` : '';
    const habit = habits[between(random, 0, habits.length - 1)];
    const when = `${category}${habit} && order.amount > ${between(random, 100, 2_000)}`;
    return `  - { reason: ${at + 1}, name: rule ${at}, on: [operation], when: '${when}', then: { action: 4, message: m }, cooldown: 24h per client }`;
  });
  return [
    { path: 'features.yaml', text: await readFile(featuresFile, 'utf8') },
    { path: 'rules.yaml', text: ['rules:', ...rules, ''].join('\n') },
  ];
}

/** The same history with operations of all categories in turn. */
export function ofAllCategories(history: History): History {
  return {
    count: history.count,
    slice: (from, to) => history.slice(from, to).map((event, i) => categorised(event, from + i)),
  };
}

function categorised(told: HistoryEvent, at: number): HistoryEvent {
  const { event } = told;
  if (event.kind !== 'operation') return told;
  const category = categories[at % categories.length]!;
  return { ...told, event: { ...event, transaction: { ...event.transaction, category } } };
}
