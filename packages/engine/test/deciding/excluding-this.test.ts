/** Features with `excluding: this`: their value on an event is that of the events that were decided before it. */
import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import { describe, expect, it } from 'vitest';
import { graceMs, LogBuilder, policyOf, run, shownBy } from '../log-builder.ts';

function showing(features: readonly string[]): Policy {
  const names = features.map((feature) => feature.slice(0, feature.indexOf(':')));
  const when = names.map((name) => `(has(${name}) || !has(${name}))`).join(' && ');
  return policyOf(`features:
${features.map((feature) => `  ${feature}`).join('\n')}
rules:
  - { reason: 1, name: shows, on: [operation], when: '${when}', then: { action: 3, message: m }, mode: shadow }
`);
}

const clients = 'by: client.id, over: 1d, excluding: this';

/** A log without sessions. */
function logWith(features: readonly string[]): LogBuilder {
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(showing(features));
  return log;
}

/** What the rule saw on each event that was decided, in this order. */
function shownIn(log: LogBuilder): readonly Readonly<Record<string, string>>[] {
  return [...run(log.records).decisions.values()].map(shownBy);
}

describe('excluding: this', () => {
  it('compares a payment with those before it; without any, an average is missing and a count is 0', () => {
    const log = logWith([
      `avg: { avg: order.amount, ${clients} }`,
      `count: { count: true, ${clients} }`,
      `sum: { sum: order.amount, ${clients} }`,
      `most: { max: order.amount, ${clients} }`,
      `payees: { distinct: payee.id, ${clients} }`,
      'first: { firstSeen: true, by: client.id, excluding: this }',
    ]);
    log.operation('ana', { amount: '10' });
    log.wait(minuteMs).operation('ana', { amount: '20' });
    log.wait(minuteMs).operation('ana', { amount: '900', payee: '666' });
    expect(shownIn(log)).toEqual([
      { count: '0', sum: '0', payees: '0' },
      { avg: '10', count: '1', sum: '10', most: '10', payees: '1', first: '1m' },
      { avg: '15', count: '2', sum: '30', most: '20', payees: '1', first: '2m' },
    ]);
  });

  it('keeps amounts apart by currency, and entities by all of their facts', () => {
    const log = logWith([
      `avg: { avg: order.amount, ${clients} }`,
      'pair: { count: true, by: [client.id, payee.id], over: 1d, excluding: this }',
    ]);
    log.operation('ana', { amount: '10', currency: 'EUR' });
    log.operation('ana', { amount: '70', currency: 'MXN', payee: '200' });
    log.operation('ana', { amount: '30', currency: 'EUR' });
    log.operation('bob', { amount: '50', currency: 'EUR' });
    expect(shownIn(log)).toEqual([{ pair: '0' }, { pair: '0' }, { pair: '1', avg: '10' }, { pair: '0' }]);
  });

  it('makes no difference on an event that the feature does not count', () => {
    const large = 'sum: order.amount, by: client.id, over: 1d, where: order.amount > 50';
    const logins = 'count: true, by: client.id, over: 1d, on: login';
    const log = logWith([
      `with: { ${large} }`,
      `without: { ${large}, excluding: this }`,
      `loginsWith: { ${logins} }`,
      `loginsWithout: { ${logins}, excluding: this }`,
    ]);
    log.login('ana', { session: 's1' });
    const [large1, small, large2] = ['60', '5', '70'].map((amount) => log.operation('ana', { amount, session: 's1' }));
    const { decisions } = run(log.records);
    const logged = { loginsWith: '1', loginsWithout: '1' };
    expect(shownBy(decisions.get(large1!))).toEqual({ with: '60', without: '0', ...logged });
    expect(shownBy(decisions.get(small!))).toEqual({ with: '60', without: '60', ...logged });
    expect(shownBy(decisions.get(large2!))).toEqual({ with: '130', without: '60', ...logged });
  });

  it('ends the window at the time of the event: later times do not count, equal times do, its edge does not', () => {
    const log = logWith([`sum: { sum: order.amount, by: client.id, over: 1h, excluding: this }`]);
    log.wait(dayMs);
    log.operation('ana', { amount: '1' });
    log.wait(1).operation('ana', { amount: '2' });
    log.wait(hourMs - 1).operation('ana', { amount: '4' });
    // At the same instant.
    log.operation('ana', { amount: '8' });
    // Half an hour late: only the first two were before.
    log.operation('ana', { amount: '16', statedMs: -hourMs / 2 });
    log.operation('ana', { amount: '32' });
    expect(shownIn(log).map(({ sum }) => sum)).toEqual(['0', '1', '2', '6', '3', '30']);
  });

  it('counts a repeated body as an event before, and a retry not at all', () => {
    const log = logWith([`count: { count: true, ${clients} }`]);
    log.operation('ana', { body: 'same' });
    log.operation('ana', { body: 'same' });
    log.operation('ana', { body: 'named', reference: 'r1' });
    log.operation('ana', { body: 'named', reference: 'r1' });
    log.operation('ana', { body: 'last' });
    expect(shownIn(log).map(({ count }) => count)).toEqual(['0', '1', '2', undefined, '3']);
  });

  it('sees, for an operation that waited, all events of its window that were decided before it', () => {
    const log = new LogBuilder();
    log.settings();
    log.policy(showing([`sum: { sum: order.amount, ${clients} }`]));
    log.login('ana', { session: 's1' });
    const waits = log.wait(secondMs).operation('ana', { amount: '4', session: 's2' });
    const between = log.operation('ana', { amount: '1', session: 's1' });
    const later = log.wait(secondMs).operation('ana', { amount: '2', session: 's1' });
    log.wait(graceMs).tick();
    const last = log.operation('ana', { amount: '8', session: 's1' });
    const { decisions } = run(log.records);
    const sumOf = (offset: number): string | undefined => shownBy(decisions.get(offset))['sum'];
    expect([waits, between, later, last].map(sumOf)).toEqual(['1', '0', '1', '7']);
  });

  it('can be added to a feature, which keeps its history', () => {
    const log = new LogBuilder();
    log.settings({ sessionGraceMs: 0 });
    log.policy(showing(['avg: { avg: order.amount, by: client.id, over: 1d }']));
    log.operation('ana', { amount: '10' });
    log.policy(showing([`avg: { avg: order.amount, ${clients} }`]), 2);
    log.operation('ana', { amount: '90' });
    expect(shownIn(log).map(({ avg }) => avg)).toEqual(['10', '10']);
  });
});
