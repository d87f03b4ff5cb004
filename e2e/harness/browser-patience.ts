/**
 * How long a page may take, ms: Playwright's own 30 seconds are too few on a machine that is four times slower for an
 * hour. Less than the time limit of a test, so that a failure says what was awaited.
 */
export const browserPatienceMs = 120_000;
