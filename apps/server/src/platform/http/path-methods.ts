import type { FastifyInstance } from 'fastify';

/**
 * The methods that a path supports if the requested one is not among them. Empty for an unknown path, and for one that
 * supports this method and was refused for another reason.
 */
export type OtherMethods = (asked: { readonly url: string; readonly method: string }) => readonly string[];

/**
 * Records the routes that are added to `app` from now on. A path may end with a slash; its query is ignored. Of
 * `/alerts/next` and `/alerts/:alert` the path `/alerts/next` has the methods of the first only.
 *
 * A lookup scans every route: too slow for every event, but not for requests of people.
 */
export function watchMethods(app: FastifyInstance): OtherMethods {
  const routes: { readonly methods: readonly string[]; readonly pattern: readonly string[] }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    routes.push({ methods: [method].flat(), pattern: partsOf(url) });
  });
  return ({ url, method }) => {
    const parts = partsOf(url.split('?', 1)[0]!);
    const found = routes.filter(({ pattern }) => matches(pattern, parts));
    const fixedMost = Math.max(0, ...found.map(({ pattern }) => fixedParts(pattern)));
    const methods = found.filter(({ pattern }) => fixedParts(pattern) === fixedMost).flatMap((route) => route.methods);
    return methods.includes(method) ? [] : [...new Set(methods)].toSorted();
  };
}

function partsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/');
}

function fixedParts(pattern: readonly string[]): number {
  return pattern.filter((part) => part !== '*' && !part.startsWith(':')).length;
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? parts.length < fixed.length : parts.length !== fixed.length) return false;
  return fixed.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
}
