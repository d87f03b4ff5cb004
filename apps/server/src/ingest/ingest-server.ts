import { assert } from '@ringfence/contract';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ServerOptions } from 'node:https';
import { serveReference } from '../platform/api-reference/serve-reference.ts';
import { requireClearHeaders } from '../platform/http/header-check.ts';
import {
  answerClientError,
  answerConnect,
  expectationProblem,
  type Listening,
  fullAnswer,
} from '../platform/http/client-errors.ts';
import { Drain } from '../platform/http/drain.ts';
import { type ConnectionLimit, limitConnections, logRefused } from '../platform/http/limit-connections.ts';
import { type OtherMethods, watchMethods } from '../platform/http/path-methods.ts';
import { requestIdOf } from '../platform/http/request-id.ts';
import { type Answer, writeAnswer } from './answer.ts';
import { docsPage } from './docs-page.ts';
import { Callers } from './callers.ts';
import { type IngestDeps, ingestLimits } from './ingest-deps.ts';
import { EventRequests } from './event-requests.ts';
import { StatusRequests } from './status/status-requests.ts';
import { type Asked, Refusals } from './refusals.ts';
import { openApiText } from './openapi.ts';
import { ingestRoutes, statusRoutes } from './routes.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * The public listener: accepts events and reports of outcomes over the wire contract, and answers 200 only once they are
 * durable.
 *
 *     path and method -> license key -> rate -> media type -> size -> JSON -> schema -> seal -> append -> 200
 *        404, 405         401, 429      429        415        413     400     422               503
 *
 * Fastify routes the request and passes reports to `EventRequests`, and questions to `StatusRequests`, before it does
 * anything else with them.
 * Single requests are not logged; `deps.refused` keeps the refused ones.
 */
export async function buildIngestServer(deps: IngestDeps, https?: ServerOptions): Promise<FastifyInstance> {
  const drain = new Drain();
  const refusals = new Refusals(deps, drain);
  const app = openServer(deps, refusals, https);
  // A half-closed socket still gets its answer. Node would close it by default, and its types lack this setting.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  limitConnections(app.server, connectionLimit(deps));
  answerForNode(app.server, deps, refusals);
  drain.watch(app, deps.limits?.drainMs ?? ingestLimits.drainMs);
  app.addHook('preClose', (done) => {
    for (const { decisions } of [deps, ...(deps.further?.() ?? [])]) decisions.close();
    done();
  });
  const otherMethods = watchMethods(app);
  const callers = new Callers(deps);
  const answering = { refusals, drain };
  takeOver(app, ingestRoutes, new EventRequests(deps, callers, answering));
  takeOver(app, statusRoutes, new StatusRequests(deps, callers, answering));
  await app.register((others) => takeOthers(others, deps, { refusals, otherMethods }));
  return app;
}

function openServer(deps: IngestDeps, refusals: Refusals, https: ServerOptions | undefined): FastifyInstance {
  const limits = { ...ingestLimits, ...deps.limits };
  const http = {
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkMs,
    // `requireClearHeaders` checks it.
    requireHostHeader: false,
  };
  return fastify({
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    ...(https === undefined ? { http } : { https: { ...http, handshakeTimeout: limits.headersMs, ...https } }),
    // While the process stops, requests on open connections are still served; the connections then close.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers, deps.makeRequestId),
    // A base URL or a path that ends with a slash is a common mistake in integrations.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    // Probes and proxies send HEAD.
    exposeHeadRoutes: true,
    // URLs that cannot be decoded reach no hook and no error handler.
    frameworkErrors: (error, request, reply) => void send(reply, refusals.refuse(error, askedOf(request))),
    clientErrorHandler: (error, socket) => answerClientError(doorListening(deps), error, socket),
  }) as FastifyInstance;
}

function connectionLimit({ senders, limits, metrics, logger, makeRequestId }: IngestDeps): ConnectionLimit {
  const max = limits?.connectionsMax ?? ingestLimits.connectionsMax;
  return {
    perAddressMax: limits?.connectionsPerAddressMax ?? ingestLimits.connectionsPerAddressMax,
    max,
    senders,
    fullAnswer: () => fullAnswer('log.unavailable', makeRequestId()),
    onRefused: (refused) => {
      metrics.connectionRefused();
      logRefused(logger, { listener: 'listen', max, refused });
    },
  };
}

/** What handles requests itself, from their headers on. */
interface Taking<Route> {
  take(
    route: Route,
    of: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly id: string },
  ): void;
}

function takeOver<Route extends { readonly path: string }>(
  app: FastifyInstance,
  routes: readonly Route[],
  requests: Taking<Route>,
): void {
  for (const route of routes) {
    const take = ({ raw: request, id }: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack();
      requests.take(route, { request, response: reply.raw, id });
    };
    // The hook never calls `done`: for Fastify the request ends here.
    app.post(route.path, { onRequest: (request, reply, _done) => take(request, reply) }, () =>
      assert(false, 'a hijacked request never reaches its handler'),
    );
  }
}

/** The API documentation, health, and everything that matches no route. */
async function takeOthers(
  others: FastifyInstance,
  deps: IngestDeps,
  { refusals, otherMethods }: { readonly refusals: Refusals; readonly otherMethods: OtherMethods },
): Promise<void> {
  others.setErrorHandler((error, request, reply) => send(reply, refusals.refuse(error, askedOf(request))));
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = otherMethods({ url: request.url.replaceAll(/\/{2,}/g, '/'), method: request.method });
    return send(reply, refusals.refuseUnknown(askedOf(request), methods));
  };
  others.setNotFoundHandler(refuseUnknown);
  others.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    requireClearHeaders(request.raw);
    // Before the body is read: for an unknown path, errors in the body are irrelevant.
    if (request.is404) refuseUnknown(request, reply);
    else done();
  });
  others.addHook('onResponse', (_request, reply, done) => {
    deps.metrics.answered({ route: 'other', status: reply.statusCode, durationMs: reply.elapsedTime });
    done();
  });
  for (const plugin of deps.plugins) await others.register(plugin);
  serveReference(others, { document: openApiText(), page: docsPage() });
}

function askedOf({ raw: request, id }: FastifyRequest): Asked {
  return { request, id };
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]);
  return reply.code(status).send(body);
}

/** Answers the requests that Node handles before Fastify and would reject without a response body. */
function answerForNode(server: Server, deps: IngestDeps, refusals: Refusals): void {
  server.on('checkExpectation', (request, response) => {
    const id = requestIdOf(request.headers, deps.makeRequestId);
    writeAnswer(response, refusals.refuse(expectationProblem(), { request, id }));
  });
  server.on('connect', (request) => answerConnect(doorListening(deps), request));
}

/** Connections that the listener cuts are recorded like other refused requests. */
function doorListening({ limits, makeRequestId, refused, now }: IngestDeps): Listening {
  const { headersMs, requestMs } = { ...ingestLimits, ...limits };
  return {
    headersMs,
    requestMs,
    makeRequestId,
    onCut: ({ problem: { status, code }, requestId, method }) =>
      refused.note({
        atMs: now(),
        workspaceId: undefined,
        keyId: undefined,
        requestId,
        method,
        path: 'other',
        status,
        code,
        bodyBytes: undefined,
        errors: [],
      }),
  };
}
