/** One attempt to hand over an event. */
export interface TransportRequest {
  /** Absolute path on the service's host. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** From the start to the last byte of the answer. */
  readonly timeoutMs: number;
}

export interface TransportAnswer {
  readonly status: number;
  /** The header `Retry-After`, as it came. */
  readonly retryAfter: string | undefined;
  /** The header `X-Request-Id`, as it came. */
  readonly requestId: string | undefined;
  /** At most `limits.answerBytesMax` bytes of it. */
  readonly body: string;
}

/** How requests reach the service. Replaced in tests, or to go through something that Node's own agent does not know. */
export interface Transport {
  /** Rejects when no whole answer came: refused, reset, timed out. Never follows a redirect. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Cuts what is under way and lets go of all connections. */
  close(): void;
}
