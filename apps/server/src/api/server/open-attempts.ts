import { Problem, type ProblemCode } from '@ringfence/contract';
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { deviceOf } from '../../access/accounts/device-cookie.ts';
import type { Origin } from '../../access/accounts/log-ins.ts';
import { RefusedLogIn } from '../../access/accounts/refused-log-in.ts';
import type { ManagementDeps } from './management-deps.ts';
import { noteAudit } from './note-audit.ts';
import { isChange, type Operation } from './operation.ts';
import { ofFramework, openBodyBytesMax } from './request-problems.ts';

/** Problems of a request that tried nothing: it waits, misses a code, comes from another site, or is not admitted at all. */
const uncounted: ReadonlySet<ProblemCode> = new Set([
  'rate.limited',
  'code.required',
  'request.foreign',
  'owner.config',
]);

/** Whether anybody on the network may call an operation that has a body. */
export function isOpenChange(operation: Pick<Operation, 'needs' | 'method' | 'isRead'>): boolean {
  return operation.needs === 'nothing' && isChange(operation);
}

/** Bounds requests that need no log-in: their bodies, and failures per address. */
export interface OpenAttempts {
  /** Of the route. A request that fails before its handler reads it counts like a wrong password. */
  readonly limits: Pick<RouteShorthandOptions, 'bodyLimit' | 'errorHandler'>;
  /** Before the body is read. @throws Problem `rate.limited` */
  admit(request: FastifyRequest): Promise<void>;
}

export function openAttempts(deps: ManagementDeps): OpenAttempts {
  const originOf = (request: FastifyRequest): Origin => ({
    address: deps.senders.addressOf(request.raw),
    device: deviceOf(request.headers.cookie),
  });
  return {
    limits: {
      bodyLimit: openBodyBytesMax,
      errorHandler: (error: unknown, request: FastifyRequest, _reply: FastifyReply): never => {
        if (isFailure(error, request)) deps.logIns.countFailure(originOf(request));
        // For the handler of the listener, which answers.
        throw error;
      },
    },
    admit: async (request) => {
      const origin = originOf(request);
      try {
        deps.logIns.admit(origin);
      } catch (error) {
        const sender = { caller: { kind: 'nobody' }, address: origin.address, requestId: request.id } as const;
        if (error instanceof RefusedLogIn)
          await noteAudit(deps, sender, { action: 'logIn.refused', actor: 'unknown', detail: { why: error.code } });
        throw error;
      }
    },
  };
}

/** Wrong credentials were counted where they were refused. */
function isFailure(error: unknown, request: FastifyRequest): boolean {
  if (error instanceof RefusedLogIn) return false;
  const problem = error instanceof Problem ? error : ofFramework(error, request);
  return problem !== undefined && problem.status < 500 && !uncounted.has(problem.code);
}
