/**
 * How long a test waits for what happens by itself: many times what it takes, because machines that run tests are
 * busy; a quarter of the time that a test has, so that a failure says what was waited for. `expect.poll` has it from
 * vitest.config.ts, `vi.waitFor` and `vi.waitUntil` are given it.
 */
export const patience = { timeout: 60_000, interval: 20 };
