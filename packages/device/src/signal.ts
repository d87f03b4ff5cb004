/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * Why there is no value:
 * - `unsupported`: the browser does not have the interface, or the interface returns nothing
 * - `blocked`: the interface exists but refuses: a policy, a setting, the browser's protection against tracking
 * - `timeout`: no answer within the limit
 * - `failed`: the interface threw or returned an impossible value; a page or a tool may have changed it
 * - `tooLarge`: the value would not fit into the token
 */
export type AbsentReason = 'unsupported' | 'blocked' | 'timeout' | 'failed' | 'tooLarge';

/** The result of one signal. A signal never guesses. */
export type Signal<T> = { readonly value: T } | { readonly absent: AbsentReason };

/** State shared by the signals of one collection. */
export interface SignalContext {
  /** A worker of the bank that runs `@ringfence/device/worker`. */
  readonly worker: Worker | undefined;
  /** A shared WebGL context: creating one costs more than reading it. */
  readonly webgl: () => WebGLRenderingContext | undefined;
}

/** Reads one signal. An exception becomes `failed` or `blocked`; a missing answer becomes `timeout`. */
export type SignalReader = (context: SignalContext) => Signal<Json> | Promise<Signal<Json>>;

export const unsupported = { absent: 'unsupported' } as const;
export const blocked = { absent: 'blocked' } as const;

interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

/**
 * A member of the browser as a signal: an absent one is `unsupported`, one of another type than the standard's is
 * `failed`.
 */
export function ofType<K extends keyof Types>(type: K, member: unknown): Signal<Types[K]> {
  if (member === undefined || member === null) return unsupported;
  // oxlint-disable-next-line valid-typeof -- the type is one of the three names above
  if (typeof member !== type || Number.isNaN(member)) return { absent: 'failed' };
  return { value: member as Types[K] };
}
