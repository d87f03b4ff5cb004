import { Type } from 'typebox';
import { parseRef } from '../../console/entity-ref.ts';
import { placesOf } from '../../console/login-places.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { list } from '../server/members.ts';
import { placeSchema } from './login-place-schema.ts';
import { inEntity } from '../search/search-schema.ts';

const placesRoute = route(
  {
    id: 'listPlaces',
    method: 'GET',
    path: '/workspaces/{workspace}/entities/{kind}/{ref}/places',
    tag: 'console',
    needs: 'see',
    summary: 'The countries, cities and operators from where a client, session, device or address came',
    description: 'Computed from the newest 300 logins and logouts; operations have no address.',
    params: inEntity,
    answer: {
      status: 200,
      description: 'The most frequent first.',
      schema: Type.Object({ items: list(placeSchema) }, { title: 'Places' }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { kind, ref, ...params } }) => {
    const workspace = await findWorkspace(deps, params);
    const places = await placesOf(deps, workspace, parseRef(kind, ref));
    return {
      items: places.map(({ country, city, operator, events, fired, firstAtMs, lastAtMs }) => ({
        country,
        ...(city === undefined ? {} : { city }),
        ...(operator === undefined ? {} : { operator }),
        events,
        fired,
        firstAt: new Date(firstAtMs).toISOString(),
        lastAt: new Date(lastAtMs).toISOString(),
      })),
    };
  },
);

/** The places from where a client, session, device or address came. */
export const placeRoutes: readonly Route[] = [placesRoute];
