import { type EventKind, eventKinds } from '@ringfence/contract';
import type { Environment } from '../tenancy/workspaces/workspace.ts';

export interface EventRoute {
  readonly path: string;
  readonly kind: EventKind;
  readonly environment: Environment;
}

const prefixes: Readonly<Record<Environment, string>> = { production: '/api', development: '/api-dev' };
/** Both accept the same bodies. */
const surfaces = ['app', 'web'] as const;

/** The paths of the API: three kinds of event, under two surfaces, in two environments. */
export const eventRoutes: readonly EventRoute[] = (['production', 'development'] as const).flatMap((environment) =>
  surfaces.flatMap((surface) =>
    eventKinds.map((kind) => ({ path: `${prefixes[environment]}/v5/analytics/${surface}/${kind}`, kind, environment })),
  ),
);

const byPath = new Map(eventRoutes.map((route) => [route.path, route]));

/** The route at a path, whatever the method. Ignores repeated and trailing slashes and the query. */
export function routeAt(url: string): EventRoute | undefined {
  const path = url.split('?', 1)[0]!.replaceAll(/\/{2,}/g, '/');
  return byPath.get(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
}
