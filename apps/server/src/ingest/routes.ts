import { type EventKind, eventKinds } from '@ringfence/contract';
import type { Environment } from '../tenancy/workspaces/workspace.ts';

/** What a bank sends: an event, or the report of an outcome. */
export type RequestKind = EventKind | 'outcome';

export interface IngestRoute {
  readonly path: string;
  readonly kind: RequestKind;
  readonly environment: Environment;
}

const prefixes: Readonly<Record<Environment, string>> = { production: '/api', development: '/api-dev' };
/** Both accept the same bodies. */
const surfaces = ['app', 'web'] as const;
const kinds: readonly RequestKind[] = [...eventKinds, 'outcome'];

/** The paths of the API: the kinds of request, under two surfaces, in two environments. */
export const ingestRoutes: readonly IngestRoute[] = (['production', 'development'] as const).flatMap((environment) =>
  surfaces.flatMap((surface) =>
    kinds.map((kind) => ({ path: `${prefixes[environment]}/v5/analytics/${surface}/${kind}`, kind, environment })),
  ),
);

export interface StatusRoute {
  readonly path: string;
  readonly environment: Environment;
}

/** The paths at which senders ask for the status of what they sent. */
export const statusRoutes: readonly StatusRoute[] = (['production', 'development'] as const).flatMap((environment) =>
  surfaces.map((surface) => ({ path: `${prefixes[environment]}/v5/analytics/${surface}/status`, environment })),
);

const byPath = new Map<string, IngestRoute | StatusRoute>(
  [...ingestRoutes, ...statusRoutes].map((route) => [route.path, route]),
);

/** The route at a path, whatever the method. Ignores repeated and trailing slashes and the query. */
export function routeAt(url: string): IngestRoute | StatusRoute | undefined {
  const path = url.split('?', 1)[0]!.replaceAll(/\/{2,}/g, '/');
  return byPath.get(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
}
