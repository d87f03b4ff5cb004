import { Problem } from '@ringfence/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { adminGuard } from './admin-guard.ts';
import { checkRequest } from './check-request.ts';
import type { ManagementDeps } from './management-deps.ts';
import type { Operation, Route } from './operation.ts';

/** Serves the routes on an instance of their own prefix, behind the admin token: what is not there as well. */
export function mountRoutes(api: FastifyInstance, deps: ManagementDeps, routes: readonly Route[]): void {
  const guard = adminGuard(deps);
  api.addHook('onRequest', async (request) => guard(request));
  const methodsAt = pathMatcher(
    api.prefix,
    routes.map(({ operation }) => operation),
  );
  api.setNotFoundHandler(async (request, reply) => {
    const methods = methodsAt(request.url);
    if (methods.length === 0) throw new Problem('path.unknown', 'The paths are listed in /openapi.json.');
    reply.header('allow', methods.join(', '));
    throw new Problem('method.wrong', `This path takes ${methods.join(', ')}.`);
  });
  for (const one of routes) mountRoute(api, deps, one);
}

function mountRoute(api: FastifyInstance, deps: ManagementDeps, { operation, run }: Route): void {
  const { id, method, path, answer } = operation;
  api.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const answered = await run(deps, checkRequest(operation, { params, query, body }));
      if (method !== 'GET') noteChange(deps, id, request);
      return reply.code(answer.status).send(answered);
    },
  });
}

/** What was changed and from where, for whoever has to know later. Neither body nor query: a client may stand there. */
function noteChange({ logger, senders }: ManagementDeps, operation: string, request: FastifyRequest): void {
  const { workspace } = request.params as { readonly workspace?: string };
  const what = workspace === undefined ? { operation } : { operation, workspace };
  logger.info(
    { ...what, requestId: request.id, address: senders.addressOf(request.raw) },
    'changed through the management API',
  );
}

/** The methods that a path takes, whichever they are; none when it is no path of these operations. */
function pathMatcher(prefix: string, operations: readonly Operation[]): (url: string) => readonly string[] {
  const paths = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${prefix}${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  return (url) => {
    const path = url.split('?', 1)[0]!;
    return [...new Set(paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].toSorted();
  };
}
