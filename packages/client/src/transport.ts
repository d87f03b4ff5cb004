/** One attempt to deliver an event. */
export interface TransportRequest {
  /** Absolute path on the service's host. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** From the start to the last byte of the response. */
  readonly timeoutMs: number;
}

export interface TransportAnswer {
  readonly status: number;
  /** The raw `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** The raw `X-Request-Id` header. */
  readonly requestId: string | undefined;
  /** The raw `Ringfence-Lag` header. */
  readonly lag?: string | undefined;
  /** At most `limits.answerBytesMax` bytes of it. */
  readonly body: string;
}

/** Sends requests to the service. Replaced in tests, or to use a proxy that Node's agent does not support. */
export interface Transport {
  /** Rejects without a complete response: refused, reset, timed out. Never follows a redirect. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** Cancels requests under way and closes all connections. */
  close(): void;
}
