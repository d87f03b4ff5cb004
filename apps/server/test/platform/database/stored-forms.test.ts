import { formVersions } from '@ringfence/engine';
import { frameKinds } from '@ringfence/log';
import { expect, it } from 'vitest';
import { migrations } from '../../../src/migrations.ts';

/**
 * A release cannot read forms with a higher version than its own, or unknown kinds of records. When you raise a number
 * or add a kind, also add a migration with `shutsOutOlder`, unless one was added since the last release, and update the
 * expectations here. Otherwise the previous release could be started again after an upgrade, become the partition owner,
 * and decide nothing. See docs/decisions/0014-forward-migrations.md.
 */
it('a release that could not read stored data is excluded by a migration', () => {
  expect({ ...formVersions, kinds: frameKinds.length }).toEqual({ globals: 9, client: 6, entity: 1, kinds: 16 });
  expect(migrations.findLast(({ shutsOutOlder }) => shutsOutOlder)?.name).toBe('0084-policy-artifacts');
});
