import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { isPersonalRead } from '../../access/audit/personal.ts';
import { policyWith } from '../../backtest/queries/search-log.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import type { Route } from '../server/operation.ts';
import { viewRoutes } from '../server/view-routes.ts';
import { eventFilterMembers } from './event-schema.ts';
import { conditionText } from './event-search-schema.ts';

const filtersShape = exactly(
  {
    ...eventFilterMembers,
    fired: Type.Optional(Type.Boolean({ description: 'Only events on which a rule fired.' })),
    condition: Type.Optional(conditionText),
  },
  { description: 'As the parameters of the list of events, or the condition of a search. A view names no client.' },
);

/** Searches of events. */
export const eventViewRoutes: readonly Route[] = viewRoutes({
  list: 'events',
  noun: 'EventView',
  path: 'event-views',
  title: 'Searches of events',
  filters: filtersShape,
  isOfPeople: true,
  example: {
    id: 'evw_abc234def567',
    name: 'Large transfers abroad',
    filters: { condition: 'order.amount > 50000 && ip.country != "MX"' },
  },
  check: refuseNames,
});

/**
 * A stored condition stays when the client is erased, so it names none.
 *
 * @throws Problem `request.invalid`
 */
async function refuseNames(deps: ManagementDeps, workspace: Workspace, filters: object): Promise<void> {
  const { condition } = filters as Type.Static<typeof filtersShape>;
  if (condition === undefined) return;
  const { rule } = await policyWith(deps.pool, workspace, condition);
  const named = rule.reads.filter(isPersonalRead).map(({ path }) => path);
  if (named.length === 0) return;
  throw new Problem(
    'request.invalid',
    'The condition names people, and a view would keep them after they are erased.',
    {
      errors: [
        {
          pointer: '/filters/condition',
          detail: `It reads ${named.join(', ')}.`,
          expected: 'a condition about other facts, or the link of the search in place of a view',
        },
      ],
    },
  );
}
