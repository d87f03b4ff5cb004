import { formVersions } from '@ringfence/engine';
import { frameKinds } from '@ringfence/log';
import { expect, it } from 'vitest';
import { migrations } from '../../../src/migrations.ts';

/**
 * A release cannot read what has a higher version than its own, or a kind of record that it does not know. Whoever raises
 * a number or adds a kind adds a step that says `shutsOutOlder` with it, and writes both here: else the release before is
 * started again after an upgrade, takes the workspaces, and decides none of them.
 * See docs/decisions/0014-forward-migrations.md.
 */
it('stores nothing that a release could not read which is not shut out', () => {
  expect({ ...formVersions, kinds: frameKinds.length }).toEqual({ globals: 7, client: 4, entity: 1, kinds: 14 });
  expect(migrations.findLast(({ shutsOutOlder }) => shutsOutOlder)?.name).toBe('0045-releases');
});
