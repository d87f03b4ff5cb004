import type { ProblemCode } from '@ringfence/contract';
import type { Type } from 'typebox';
import type { Right } from '../../access/accounts/roles.ts';
import type { Exchange } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';

export const tags = {
  workspaces: 'Tenants in one environment, with their settings, webhook and channels.',
  keys: 'License keys of a workspace: two may live at once, one of them is sent with webhooks. The secret that signs them.',
  policies: 'Versions of the rules. A version never changes; one of them decides.',
  lists: 'Lists of a policy: what the live ones hold, and how they change while the policy stays.',
  suppressions: 'Rules that leave one client or payee alone for a while.',
  events: 'What was reported, and what was decided about it.',
  labels: 'What events turned out to be: fraud or legitimate, told later.',
  backtests: 'What a policy would have done: tried on imported history or on the live log.',
  actions: 'What the bank was asked to do, every attempt to ask it, and what a person may do about them.',
  clients: 'What is done about one client.',
  integration:
    'What an integrator wants to see: what was refused, which channels arrived, whether the webhook answers.',
  service: 'The service as a whole.',
  console: 'What the console shows of a workspace as a whole, and finds in it.',
  alerts: 'Decisions that somebody has to look at: a queue that people take from.',
  session: 'Who is logged in to the console, and how.',
  audit: 'Who did what, and when: entries are added, and never changed.',
  accounts: 'People who use the console, and what they may do where.',
} as const;

/** One thing that the management API can do, as data: it is checked, served and documented by this. */
export interface Operation {
  /** Stable; also the `operationId` of the document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix, with `{names}` of parameters. */
  readonly path: string;
  readonly tag: keyof typeof tags;
  /**
   * The right that a person needs: in the workspace of the path, or everywhere when it names none. `login`: whoever is
   * logged in. `account`: the same, and no program. `nothing`: anybody. A program with the admin token has every right.
   */
  readonly needs: Right | 'login' | 'account' | 'nothing';
  /** It changes nothing although it is no GET: what it asks for does not belong into an address. */
  readonly isRead?: true;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Type.TSchema;
  readonly query?: Type.TSchema;
  readonly body?: Type.TSchema;
  /** A body, for the document. */
  readonly example?: object;
  readonly answer: Answer;
  /** The problems of its own; those that every operation can meet are added. */
  readonly problems: readonly ProblemCode[];
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Left out: no body. */
  readonly schema?: Type.TSchema;
  /** Server-sent events, which the operation opens itself. */
  readonly isStream?: true;
  /** Lines of JSON as a file, which the operation writes itself: it may be longer than what fits into memory. */
  readonly isFile?: true;
  /** Of a stream: the data of its events, as members by their names. */
  readonly events?: Type.TSchema;
}

/** What a request says, checked, with defaults filled in. */
export interface Given<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** An operation with what it does. */
export interface Route {
  readonly operation: Operation;
  /** Asks what has to hold first, and answers what is left to do: a change that was refused here was never begun. */
  readonly begin: (
    deps: ManagementDeps,
    given: Given<unknown, unknown, unknown>,
    exchange: Exchange,
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
  exchange: Exchange,
) => Promise<Answered>;

/**
 * Ties an operation to what it does. The types of what is given and what is answered come from its schemas, so that
 * code and document cannot say different things.
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
 * The same for an operation that somebody has to prove something for, by a password or a link. The proof comes before the
 * note of the change, so that whoever has none writes nothing to the database.
 *
 * @param prove answers what is done once it is proved
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
