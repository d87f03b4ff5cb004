import { factDefinitions, loadPolicy } from '@ringfence/policy';
import { expect, it } from 'vitest';
import { LogBuilder, run, showing, shownBy } from '../log-builder.ts';

/** Facts that the policy checker considers present on every event. */
const alwaysThere = factDefinitions
  .map(({ path }) => path)
  .filter((path) => {
    const text = `rules:\n  - { reason: 1, name: r, when: has(${path}), then: { action: 2 } }\n`;
    const loaded = loadPolicy([{ path: 'policy.yaml', text }]);
    return loaded.ok && loaded.warnings.some(({ message }) => message === `every event has ${path}`);
  });

it('the facts that the policy checker considers always present are present on every event', () => {
  expect(alwaysThere.length).toBeGreaterThan(10);
  const log = new LogBuilder();
  log.settings({ sessionGraceMs: 0 });
  log.policy(showing(...alwaysThere));
  log.login('ana', { session: 's1' });
  log.operation('ana', { session: 's1' });
  log.operation('bob');
  // An event without a client has the fewest facts.
  log.operation(undefined);
  log.logout('ana', { session: 's1' });
  log.logout('eve');
  const decisions = [...run(log.records).decisions.values()];
  expect(decisions).toHaveLength(6);
  for (const decision of decisions) expect(Object.keys(shownBy(decision)).toSorted()).toEqual(alwaysThere.toSorted());
});
