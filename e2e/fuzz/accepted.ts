/** What the fuzzer reports and is right as it is, each with the reason. Everything else is a failure. */
export interface Accepted {
  readonly check: string;
  /** `undefined`: all operations. */
  readonly operation?: string;
  readonly why: string;
}

export const accepted: Readonly<Record<'ingest' | 'management', readonly Accepted[]>> = {
  ingest: [
    {
      check: 'positive_data_acceptance',
      why: 'a schema cannot say that an Idempotency-Key was used with another body, or which members go together',
    },
    {
      check: 'missing_required_header',
      why: 'requests without a right license key are answered 429 after the first twenty of an address in a minute',
    },
    { check: 'ignored_auth', why: 'the same' },
  ],
  management: [
    {
      check: 'positive_data_acceptance',
      why: 'a schema cannot say what exists, which members go together, or what a policy or a password must be',
    },
    {
      check: 'ignored_auth',
      why: 'wrong tokens of one address are answered 429 after the first twenty; every operation is tested with every scope',
    },
    {
      check: 'response_schema_conformance',
      operation: 'searchEvents',
      why: 'a stream: the schema has the data of each kind of event, and the fuzzer compares each event with all of it',
    },
    { check: 'response_schema_conformance', operation: 'decideEventThen', why: 'the same' },
    { check: 'response_schema_conformance', operation: 'explainEvent', why: 'the same' },
  ],
};

/** Operations that are not fuzzed. */
export const leftOut: Readonly<Record<string, string>> = {
  followWorkspace: 'a stream without an end',
};
