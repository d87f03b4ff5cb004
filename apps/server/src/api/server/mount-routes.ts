import type { AuditHead } from '../../access/audit/audit-log.ts';
import { Problem } from '@ringfence/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import { type AuditAction, auditedChange } from '../../access/audit/audited-change.ts';
import { deviceOf } from '../../access/accounts/device-cookie.ts';
import { sessionTokenOf } from '../../access/accounts/session-cookie.ts';
import { EventStream } from '../../console/live/event-stream.ts';
import { requireOnce } from '../../platform/http/header-check.ts';
import { watchMethods } from '../../platform/http/path-methods.ts';
import { authorize } from './authorize.ts';
import { checkRequest, requireReadableQuery } from './check-request.ts';
import type { RequestContext, AuditedAction } from './request-context.ts';
import { findWorkspace } from './find-workspace.ts';
import { identifier } from './identify.ts';
import { policyBytesMax } from './request-problems.ts';
import { sendLines } from './send-lines.ts';
import type { ManagementDeps } from './management-deps.ts';
import { auditActor } from './note-audit.ts';
import { masked } from './masking.ts';
import { isOpenChange, type OpenAttempts, openAttempts } from './open-attempts.ts';
import { isChange, type Operation, type Route } from './operation.ts';

/**
 * Mounts the routes on a Fastify instance with its own prefix, each for callers with the right that it needs. Only
 * identified callers are told that a path does not exist.
 */
export function mountRoutes(api: FastifyInstance, deps: ManagementDeps, routes: readonly Route[]): void {
  const identify = identifier(deps);
  const attempts = openAttempts(deps);
  const otherMethods = watchMethods(api);
  const refuseUnknown = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await identify(request);
    const methods = otherMethods(request);
    if (methods.length === 0) throw new Problem('path.unknown', '/openapi.json lists the paths.');
    reply.header('allow', methods.join(', '));
    throw new Problem('method.wrong', `This path accepts ${methods.join(', ')}.`);
  };
  // Runs before the body is read: at a wrong path, errors of the body do not matter. The router would take a wrong method
  // of `/alerts/next` for a request of the alert `next`.
  api.addHook('onRequest', async (request, reply) =>
    request.is404 || otherMethods(request).length > 0 ? refuseUnknown(request, reply) : undefined,
  );
  api.setNotFoundHandler(refuseUnknown);
  for (const one of routes) mountRoute(api, { deps, identify, attempts }, one);
}

interface Ground {
  readonly deps: ManagementDeps;
  readonly identify: (request: FastifyRequest) => Promise<Caller>;
  readonly attempts: OpenAttempts;
}

function mountRoute(api: FastifyInstance, { deps, identify, attempts }: Ground, { operation, begin }: Route): void {
  const { method, path, answer } = operation;
  /** Carries the caller from the `onRequest` hook to the handler. */
  const callers = new WeakMap<FastifyRequest, Caller>();
  api.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(isOpenChange(operation) ? attempts.limits : {}),
    ...(takesPolicy(operation) ? { bodyLimit: policyBytesMax } : {}),
    onRequest: async (request) => {
      callers.set(request, await authorize(deps, operation, { request, identify }));
      if (isOpenChange(operation)) await attempts.admit(request);
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const caller = callers.get(request)!;
      requireReadableQuery(request.url);
      if (operation.isIdempotent === true) requireOnce(request.raw.rawHeaders, 'idempotency-key');
      const given = checkRequest(operation, { params, query, body });
      let noted: AuditedAction = {};
      const isChanging = isChange(operation);
      let isMasked = isChanging || caller.kind !== 'machine';
      const exchange = exchangeOf(deps, {
        request,
        reply,
        caller,
        showPersonal: () => void (isMasked = false),
        note: (what) => void (noted = what),
      });
      const act = await begin(await depsFor(deps, params), given, exchange);
      let answered: unknown;
      if (isChanging) {
        const action = await actionOf(deps, operation, params);
        let head: AuditHead | undefined;
        const change = {
          by: auditActor(exchange),
          action: () => ({ ...action, ...noted }),
          onEntry: (end: AuditHead) => void (head = end),
        };
        answered = await auditedChange(deps, change, act);
        logChange(deps, operation, { request, caller, head });
      } else {
        answered = await act();
      }
      if (answer.isStream === true || answer.isFile === true) return reply;
      return reply.code(answer.status).send(isMasked ? masked(answer.schema, answered) : answered);
    },
  });
}

/** The dependencies of the database in which the workspace of the path lies. */
async function depsFor(deps: ManagementDeps, params: unknown): Promise<ManagementDeps> {
  const { workspace } = params as { readonly workspace?: string };
  if (deps.cells === undefined || workspace === undefined) return deps;
  return deps.cells.ofWorkspace((await findWorkspace(deps, { workspace })).id);
}

function exchangeOf(
  { senders }: ManagementDeps,
  of: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly caller: Caller;
    readonly showPersonal: RequestContext['showPersonal'];
    readonly note: RequestContext['note'];
  },
): RequestContext {
  const { request, reply, caller, showPersonal, note } = of;
  return {
    caller,
    address: senders.addressOf(request.raw),
    agent: request.headers['user-agent'] ?? '',
    device: deviceOf(request.headers.cookie),
    sessionToken: sessionTokenOf(request.headers.cookie),
    requestId: request.id,
    signal: closingOf(reply),
    idempotencyKey: request.headers['idempotency-key'],
    lastEventId: lastEventIdOf(request),
    openStream: () => {
      reply.hijack();
      return new EventStream(reply.raw, headersOf(reply));
    },
    sendFile: (name, lines) => {
      reply.hijack();
      return sendLines(reply.raw, { headers: headersOf(reply), name, lines });
    },
    markReplayed: () => void reply.header('idempotency-replayed', 'true'),
    setCookie: (cookie) => void reply.header('set-cookie', cookie),
    showPersonal,
    note,
  };
}

/** Aborted when the connection closes before the answer was sent. */
function closingOf({ raw }: FastifyReply): AbortSignal {
  const closing = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) closing.abort();
  });
  return closing.signal;
}

function lastEventIdOf({ headers }: FastifyRequest): number | undefined {
  const given = headers['last-event-id'];
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : undefined;
}

function headersOf(reply: FastifyReply): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}

/** A change for the audit log: the operation and its target, as its path names them. */
async function actionOf(deps: ManagementDeps, { id: action }: Operation, params: unknown): Promise<AuditAction> {
  const { workspace, ...names } = params as Readonly<Record<string, string>>;
  const target = Object.values(names).join('/');
  return {
    action,
    ...(workspace === undefined ? {} : { workspaceId: (await findWorkspace(deps, { workspace })).id }),
    ...(target === '' ? {} : { target }),
  };
}

/** Logs what was changed and from where. Logs neither body nor query, which may contain a client. */
function logChange(
  { logger, senders }: ManagementDeps,
  { id: operation }: Operation,
  of: { readonly request: FastifyRequest; readonly caller: Caller; readonly head: AuditHead | undefined },
): void {
  const { request, caller, head } = of;
  const { workspace } = request.params as { readonly workspace?: string };
  const what = workspace === undefined ? { operation } : { operation, workspace };
  const who =
    caller.kind === 'person'
      ? { account: caller.session.account.id }
      : caller.kind === 'token'
        ? { token: caller.apiToken.id }
        : {};
  logger.info(
    { ...what, ...who, ...chainEnd(head), requestId: request.id, address: senders.addressOf(request.raw) },
    'changed through the management API',
  );
}

/** In the log of the service, it shows later whether the audit log was put back to an earlier state. */
function chainEnd(head: AuditHead | undefined): { readonly audit?: { readonly seq: number; readonly hash: string } } {
  return head === undefined ? {} : { audit: { seq: head.seq, hash: head.hash.toString('hex') } };
}

function takesPolicy({ body }: Operation): boolean {
  return body !== undefined && 'properties' in body && 'files' in (body.properties as object);
}
