import { type EventKind, minuteMs, Problem } from '@ringfence/contract';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ServerOptions } from 'node:https';
import { type ConnectionLimit, limitConnections } from '../http/limit-connections.ts';
import { type Caller, Callers } from './callers.ts';
import { answerClientError } from './client-errors.ts';
import { type DoorDeps, doorLimits } from './door-deps.ts';
import { Drain } from './drain.ts';
import { type Accepted, EventIntake } from './event-intake.ts';
import { isPlainJson } from './media-type.ts';
import { referenceRoutes } from './reference-routes.ts';
import { Refusals } from './refusals.ts';
import { requestIdOf } from './request-id.ts';
import { type EventRoute, eventRoutes } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose license key came with it; known from the admission on. */
    caller: Caller | undefined;
    /** What it reports; `undefined` where the path is none of the wire's. */
    eventKind: EventKind | undefined;
  }
}

/**
 * The public listener: takes events over the wire contract, and answers 200 only when they are durable.
 *
 *     path and method -> license key -> rate -> media type -> size -> JSON -> schema -> seal -> append -> 200
 *        404, 405         401, 429      429        415        413     400     422               503
 *
 * Nothing is logged for a single request; what was refused is kept by `deps.refused`.
 */
export async function buildDoor(deps: DoorDeps, https?: ServerOptions): Promise<FastifyInstance> {
  const drain = new Drain();
  const refusals = new Refusals(deps, drain);
  const app = openServer(deps, refusals, https);
  limitConnections(app.server, connectionLimit(deps));
  drain.watch(app, deps.limits?.drainMs ?? doorLimits.drainMs);
  app.decorateRequest('caller');
  app.decorateRequest('eventKind');
  app.setErrorHandler((error, request, reply) => refusals.answer(error, request, reply));
  app.setNotFoundHandler((request, reply) => refusals.answerUnknown(request, reply));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.eventKind ?? 'other';
    deps.metrics.answered({ route, status: reply.statusCode, durationMs: reply.elapsedTime });
    done();
  });
  for (const plugin of deps.plugins) await app.register(plugin);
  referenceRoutes(app);
  await app.register(async (events) => takeEvents(events, deps, drain));
  return app;
}

function openServer(deps: DoorDeps, refusals: Refusals, https: ServerOptions | undefined): FastifyInstance {
  const limits = { ...doorLimits, ...deps.limits };
  return fastify({
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
    // Requests that come over open connections while the process stops are still served; their connections then close.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers, deps.makeRequestId),
    // A base address that ends with a slash, and a path that does, are the usual slips of an integration.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    exposeHeadRoutes: false,
    // Addresses that can't be decoded reach no hook and no error handler.
    frameworkErrors: (error, request, reply) =>
      void refusals.answer(error, request, reply.header('x-request-id', request.id)),
    clientErrorHandler: (error, socket) => answerClientError(deps, error, socket),
    ...(https === undefined ? {} : { https }),
  }) as FastifyInstance;
}

/** What is closed is told to the metrics, and once a minute to the log. */
function connectionLimit({ senders, limits, metrics, logger, now }: DoorDeps): ConnectionLimit {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  return {
    perAddressMax: limits?.connectionsPerAddressMax ?? doorLimits.connectionsPerAddressMax,
    senders,
    onRefused: (address) => {
      metrics.connectionRefused();
      const nowMs = now();
      if (nowMs - saidAtMs < minuteMs) return;
      saidAtMs = nowMs;
      logger.warn({ address }, 'too many connections from this address: further ones are closed');
    },
  };
}

function takeEvents(events: FastifyInstance, deps: DoorDeps, drain: Drain): void {
  const callers = new Callers(deps);
  const intake = new EventIntake(deps);
  // The body stays bytes: the contract's own reader is strict, and the media type was checked before.
  events.removeAllContentTypeParsers();
  events.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  for (const route of eventRoutes) {
    events.post(route.path, { onRequest: admission(callers, route) }, async (request, reply) => {
      const { workspace } = request.caller!;
      const body = Buffer.isBuffer(request.body) ? request.body : empty;
      const idempotencyKey = request.headers['idempotency-key'];
      const accepted = await intake.take({ workspace, kind: route.kind, body, idempotencyKey });
      drain.mark(reply);
      return accept(reply, accepted);
    });
  }
}

const empty = Buffer.alloc(0);

/** Everything that can be told before the body is read. */
function admission(callers: Callers, route: EventRoute) {
  return (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    request.eventKind = route.kind;
    try {
      const caller = callers.authenticate(request.raw, route.environment);
      request.caller = caller;
      callers.checkRate(caller);
      if (!isPlainJson(request.headers)) {
        throw new Problem(
          'type.unsupported',
          'Send "Content-Type: application/json", in UTF-8 and without compression.',
        );
      }
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

function accept(reply: FastifyReply, { id, isReplay, warnings }: Accepted): FastifyReply {
  reply.header('content-type', 'application/json; charset=utf-8');
  if (isReplay) reply.header('idempotency-replayed', 'true');
  // 299 is the code for warnings of no other kind (RFC 7234, 5.5.7).
  if (warnings.length > 0)
    reply.header('warning', warnings.map(({ detail }) => `299 ringfence "${detail}"`).join(', '));
  return reply.send(`{"id":"${id}","status":"accepted"}`);
}
