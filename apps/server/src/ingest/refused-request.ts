import type { ProblemCode } from '@ringfence/contract';

/** A request that the door refused, without anything that was sent in it but its shape. */
export interface RefusedRequest {
  readonly atMs: number;
  /** `undefined` when the license key told nothing. */
  readonly workspaceId: string | undefined;
  /** Id of the license key, when it was a live one. */
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly method: string;
  /** A path of the wire, or `other`: what else stands in a path is not ours to keep. */
  readonly path: string;
  readonly status: number;
  readonly code: ProblemCode;
  /** Size of the body, as far as it is known. */
  readonly bodyBytes: number | undefined;
  readonly errors: readonly RefusedMember[];
}

export interface RefusedMember {
  /** JSON Pointer; names that are not the wire's own are `*`. */
  readonly pointer: string;
  readonly detail: string;
}
