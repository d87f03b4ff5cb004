import type { ProblemCode } from '@ringfence/contract';

/** A refused request: its shape, without any value that was sent in it. */
export interface RefusedRequest {
  readonly atMs: number;
  /** `undefined` if the license key is unknown. */
  readonly workspaceId: string | undefined;
  /** Id of the license key, if it is live. */
  readonly keyId: string | undefined;
  readonly requestId: string;
  readonly method: string;
  /** A path of the API, or `other`: other paths may contain anything and are not stored. */
  readonly path: string;
  readonly status: number;
  readonly code: ProblemCode;
  /** Size of the body, as far as it is known. */
  readonly bodyBytes: number | undefined;
  readonly errors: readonly RefusedMember[];
}

export interface RefusedMember {
  /** JSON Pointer; names outside the wire contract are replaced by `*`. */
  readonly pointer: string;
  readonly detail: string;
}
