/**
 * How long a test waits for an asynchronous result: many times the usual duration, because test machines are busy, but
 * a quarter of the test's time limit, so that a failure says what was awaited. vitest.config.ts passes it to
 * `expect.poll`; pass it to `vi.waitFor` and `vi.waitUntil`.
 */
export const patience = { timeout: 60_000, interval: 20 };
