import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { Problem, problemDetails, problemMediaType } from '@ringfence/contract';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { requireClearHeaders, requireOnce } from '../../platform/http/header-check.ts';
import {
  answerClientError,
  answerConnect,
  expectationProblem,
  fullAnswer,
  type Listening,
} from '../../platform/http/client-errors.ts';
import { Drain } from '../../platform/http/drain.ts';
import { type ConnectionLimit, limitConnections, logRefused } from '../../platform/http/limit-connections.ts';
import { requireKnownHost } from '../../platform/http/host-check.ts';
import { requirePlainJson } from '../../platform/http/media-type.ts';
import { watchMethods } from '../../platform/http/path-methods.ts';
import { requestIdOf } from '../../platform/http/request-id.ts';
import { serveReference } from '../../platform/api-reference/serve-reference.ts';
import { managementPage } from './docs-page.ts';
import type { ManagementDeps } from './management-deps.ts';
import { mountRoutes } from './mount-routes.ts';
import { managementPrefix } from '../openapi/document.ts';
import { managementText } from '../openapi/management-text.ts';
import { serveOpenIdLogOut } from '../sessions/open-id-log-out.ts';
import { serveOpenId } from '../sessions/open-id-routes.ts';
import { bodyBytesMax, parseBody, problemOf } from './request-problems.ts';
import { managementRoutes } from '../routes.ts';

const requestMs = 30_000;
const headersMs = 5_000;
/** How often Node checks connections for both timeouts. */
const checkMs = 1_000;
/**
 * On shutdown: after this time open requests are cut, as in the ingest listener. A search of the log could otherwise
 * delay a stop for hours.
 */
const drainMs = 3_000;
/** Longest path parameter: a workspace name of 64 non-ASCII letters, percent-encoded. */
const paramLengthMax = 1_024;

/**
 * Builds the management API on its own listener. Everything under `/management/v1` needs the admin token or a session;
 * health, metrics and the reference need neither. It is never bound to the public listener.
 *
 *     path and method -> failed log-ins -> token -> media type, size -> JSON -> schema -> ownership -> done
 *        404, 405            429            401         415, 413        400      422       409
 */
export async function buildManagement(deps: ManagementDeps, https?: ServerOptions): Promise<FastifyInstance> {
  const app = openServer(https);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(safeHeaders).header('x-request-id', request.id);
    if (https !== undefined || deps.consoleOrigin?.startsWith('https:') === true)
      reply.header('strict-transport-security', 'max-age=31536000');
    requireClearHeaders(request.raw);
    requireOnce(request.raw.rawHeaders, 'content-type');
    requireKnownHost(request.raw, deps.consoleOrigin);
    // Runs before the body is read. Below the prefix, the API answers unknown paths itself, to identified callers only.
    const isOther = request.is404 && !request.url.startsWith(managementPrefix);
    return isOther ? refuseUnknown(request, reply) : undefined;
  });
  limitConnections(app.server, connectionLimit(deps));
  answerForNode(app.server);
  app.addHook('preClose', async () => deps.live.close());
  new Drain().watch(app, drainMs);
  takeJson(app);
  app.setErrorHandler((error, request, reply) => refuse(problemOf(deps.logger, error, request), request, reply));
  const otherMethods = watchMethods(app);
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = otherMethods(request);
    if (methods.length === 0)
      return refuse(new Problem('path.unknown', 'Paths begin with /management/v1; /docs lists them.'), request, reply);
    reply.header('allow', methods.join(', '));
    return refuse(new Problem('method.wrong', `This path accepts ${methods.join(', ')}.`), request, reply);
  };
  app.setNotFoundHandler(refuseUnknown);
  for (const plugin of deps.plugins) await app.register(plugin);
  serveReference(app, { document: managementText(), page: managementPage() });
  await app.register(
    async (api) => {
      mountRoutes(api, deps, managementRoutes);
      if (deps.openId === undefined) return;
      serveOpenId(api, deps, deps.openId);
      await serveOpenIdLogOut(api, deps, deps.openId);
    },
    { prefix: managementPrefix },
  );
  return app;
}

/** An office behind one address: 80 people with the six connections that a browser opens to one host. */
const perAddressMax = 500;

function connectionLimit(deps: ManagementDeps): ConnectionLimit {
  const { senders, logger, connectionsMax: max } = deps;
  return {
    perAddressMax,
    max,
    senders,
    fullAnswer: () => fullAnswer('database.unavailable', randomUUID()),
    onRefused: (refused) => {
      deps.connectionRefused();
      logRefused(logger, { listener: 'management', max, refused });
    },
  };
}

/** Answers are data for programs: browsers must not cache, sniff, frame or run them. */
const safeHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const listening: Listening = { headersMs, requestMs, makeRequestId: randomUUID, onCut: () => {} };

/** Answers requests that Node handles before Fastify sees them, and would refuse without an explanation. */
function answerForNode(server: Server): void {
  server.on('checkExpectation', (request, response) => {
    const id = requestIdOf(request.headers, randomUUID);
    const problem = expectationProblem();
    // The body may or may not follow, so the connection is closed.
    response
      .writeHead(problem.status, { ...headersOf(id), connection: 'close' })
      .end(JSON.stringify(problemDetails(problem, id)));
  });
  server.on('connect', (request) => answerConnect(listening, request));
}

function openServer(https: ServerOptions | undefined): FastifyInstance {
  const http = {
    headersTimeout: headersMs,
    connectionsCheckingInterval: checkMs,
    // `requireClearHeaders` checks it.
    requireHostHeader: false,
  };
  return fastify({
    logger: false,
    bodyLimit: bodyBytesMax,
    requestTimeout: requestMs,
    ...(https === undefined ? { http } : { https: { ...http, handshakeTimeout: headersMs, ...https } }),
    // Requests on open connections are still served while the process stops, as in the ingest listener.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers, randomUUID),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: paramLengthMax },
    // URLs that cannot be decoded reach neither hooks nor the error handler.
    frameworkErrors: (_error, request, reply) =>
      void refuse(new Problem('path.unknown', 'The path is not well-formed.'), request, reply),
    clientErrorHandler: (error, socket) => answerClientError(listening, error, socket),
  }) as FastifyInstance;
}

/** Parses JSON bodies. A POST without a body is accepted with or without a content type, because clients send both. */
function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    requirePlainJson(request.headers);
    return parseBody(body);
  });
}

function refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.code === 'token.invalid' || problem.code === 'session.missing')
    reply.header('www-authenticate', 'Bearer realm="ringfence management"');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
  return reply
    .code(problem.status)
    .headers(headersOf(request.id))
    .send(JSON.stringify(problemDetails(problem, request.id)));
}

/** Headers of an answer that is a problem. */
function headersOf(requestId: string): Readonly<Record<string, string>> {
  return { ...safeHeaders, 'x-request-id': requestId, 'content-type': `${problemMediaType}; charset=utf-8` };
}
