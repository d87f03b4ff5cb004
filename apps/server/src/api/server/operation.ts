import type { ProblemCode } from '@ringfence/contract';
import type { Type } from 'typebox';
import type { Right } from '../../access/accounts/roles.ts';
import { isScope, type Scope } from '../../access/tokens/scopes.ts';
import type { RequestContext } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';

export const tags = {
  workspaces: 'Tenants in one environment, with their settings, webhook and channels.',
  keys: 'License keys of a workspace: two can be valid at the same time, and one of them is sent with webhooks. The secret that signs webhooks.',
  policies: 'Versions of the rules. A version never changes; one of them is active.',
  lists: 'Lists of the active policy: what they contain, and how to change them without a new policy version.',
  suppressions: 'Rules that are suspended for one client or payee for a limited time.',
  events: 'What was reported, and what was decided about it.',
  labels: 'What events turned out to be, as reported later: fraud or legitimate.',
  outcomes: 'Outcomes of events on the bank’s side: step-ups, payments, chargebacks.',
  backtests: 'What a policy would have decided on an imported history or on the live log.',
  models: 'Models of the policies, their training on history, and their comparison.',
  actions: 'What the bank was asked to do, every delivery attempt, and what people can do about it.',
  holds: 'Payments that the bank was asked to hold, and what people decide about them.',
  clients: 'What can be done about one client: notes, unblocking, erasure.',
  notifications: 'Who is told of what: destinations of a workspace, and what people want to get themselves.',
  integration: 'What an integrator needs to see: refused requests, channels that arrived, whether the webhook answers.',
  service: 'The service as a whole.',
  console: 'What the console shows of a whole workspace, and its search.',
  alerts: 'Decisions that a person has to review: a queue that people take from.',
  session: 'Who is logged in to the console, and how.',
  audit: 'Who did what, and when: an append-only log.',
  accounts: 'People who use the console, and their roles.',
  tokens: 'Tokens of this API for programs: with a name, scopes, workspaces and an end.',
} as const;

/**
 * One operation of the management API, as data: requests are checked against it, served by it and documented from it.
 */
export interface Operation {
  /** Stable; also the `operationId` of the document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix, with parameters as `{names}`. */
  readonly path: string;
  readonly tag: keyof typeof tags;
  /**
   * The right that a person needs: in the workspace of the path, or in all workspaces if the path names none. `login`:
   * any logged-in person. `account`: the same, but no program. `nothing`: no login needed. A program with the admin
   * token has every right.
   */
  readonly needs: Right | 'login' | 'account' | 'nothing';
  /** The scope that a token needs, if it is not the one of its tag: see `scopeOf`. `none`: no token may do it. */
  readonly scope?: Scope | 'none';
  /** It changes nothing although it is not a GET: its input must not appear in a URL. */
  readonly isRead?: true;
  readonly summary: string;
  readonly description?: string;
  /** It takes an `Idempotency-Key`. */
  readonly isIdempotent?: true;
  readonly params?: Type.TSchema;
  readonly query?: Type.TSchema;
  readonly body?: Type.TSchema;
  /** An example body, for the document. */
  readonly example?: object;
  readonly answer: Answer;
  /** Problems specific to this operation; those common to all operations are added. */
  readonly problems: readonly ProblemCode[];
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Omitted if there is no body. */
  readonly schema?: Type.TSchema;
  /** Server-sent events, which the operation opens itself. */
  readonly isStream?: true;
  /** Lines of JSON as a file, which the operation writes itself because it may not fit into memory. */
  readonly isFile?: true;
  /** Of a stream: the data of its events, as members by event name. */
  readonly events?: Type.TSchema;
}

/** Resources whose scopes have another name than their tag. */
const scopeNames: Partial<Record<keyof typeof tags, string>> = {
  console: 'events',
  models: 'backtests',
  notifications: 'workspaces',
};

/**
 * The scope that a token needs for an operation: to read or to write the resource of its tag. `undefined`: no token may
 * do it. That holds for everything about accounts and tokens: a token must not be able to widen its own power.
 */
export function scopeOf(operation: Pick<Operation, 'id' | 'tag' | 'method' | 'isRead' | 'scope'>): Scope | undefined {
  const { tag, scope } = operation;
  if (scope !== undefined) return scope === 'none' ? undefined : scope;
  if (tag === 'session' || tag === 'accounts' || tag === 'tokens') return undefined;
  const found = `${scopeNames[tag] ?? tag}:${isChange(operation) ? 'write' : 'read'}`;
  if (isScope(found)) return found;
  throw new TypeError(`operation ${operation.id}: there is no scope "${found}"`);
}

/** Whether the operation changes something. */
export function isChange({ method, isRead }: Pick<Operation, 'method' | 'isRead'>): boolean {
  return method !== 'GET' && isRead !== true;
}

/** A validated request, with defaults filled in. */
export interface Given<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** An operation with its implementation. */
export interface Route {
  readonly operation: Operation;
  /**
   * Checks the preconditions and returns the remaining work. A change refused here gets no intent entry in the audit
   * log.
   */
  readonly begin: (
    deps: ManagementDeps,
    given: Given<unknown, unknown, unknown>,
    exchange: RequestContext,
  ) => Promise<() => Promise<unknown>>;
}

type Typed<Params, Query, Body, Schema> = Omit<Operation, 'params' | 'query' | 'body' | 'answer'> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly answer: Omit<Answer, 'schema'> & { readonly schema?: Schema };
};

type Handler<Params extends Type.TSchema, Query extends Type.TSchema, Body extends Type.TSchema, Answered> = (
  deps: ManagementDeps,
  given: Given<Type.Static<Params>, Type.Static<Query>, Type.Static<Body>>,
  exchange: RequestContext,
) => Promise<Answered>;

/**
 * Binds an operation to its implementation. The types of input and answer are derived from its schemas, so that code
 * and document cannot disagree.
 */
export function route<
  Params extends Type.TSchema,
  Query extends Type.TSchema,
  Body extends Type.TSchema,
  Schema extends Type.TSchema = Type.TVoid,
>(operation: Typed<Params, Query, Body, Schema>, run: Handler<Params, Query, Body, Type.Static<Schema>>): Route {
  return provenRoute(operation, async (deps, given, exchange) => () => run(deps, given, exchange));
}

/**
 * The same for an operation whose caller must first prove something, by a password or a link. The proof comes before
 * the intent is written, so that a caller without it writes nothing to the database.
 *
 * @param prove returns the work to do after the proof
 */
export function provenRoute<
  Params extends Type.TSchema,
  Query extends Type.TSchema,
  Body extends Type.TSchema,
  Schema extends Type.TSchema = Type.TVoid,
>(
  operation: Typed<Params, Query, Body, Schema>,
  prove: Handler<Params, Query, Body, () => Promise<Type.Static<Schema>>>,
): Route {
  return { operation, begin: prove as Route['begin'] };
}
