import { exactly } from '../../platform/shapes/shape.ts';
import type { Route } from '../server/operation.ts';
import { viewRoutes } from '../server/view-routes.ts';
import { alertFilterMembers } from './alert-schema.ts';

/** Views of the queue. */
export const alertViewRoutes: readonly Route[] = viewRoutes({
  list: 'alerts',
  noun: 'AlertView',
  path: 'alert-views',
  title: 'Views of the queue',
  filters: exactly(alertFilterMembers, {
    description: 'As the parameters of the list of alerts. A view names no client.',
  }),
  example: {
    id: 'avw_abc234def567',
    name: 'Large transfers',
    filters: { state: 'open', sort: 'money', currency: 'MXN', amountMin: 50_000 },
  },
});
