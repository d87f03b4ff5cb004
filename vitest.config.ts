import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/testing/longest-first.ts';
import { patience } from './tools/testing/patience.ts';

const everywhere = '{packages,apps}/*/test/**';

/** A test or a hook that takes so long hangs: machines that run tests are busy, and the longest take a minute there. */
const hangsAfterMs = 240_000;

/** The suite passes where there is no network, and stays so. */
const loopbackOnly = 'tools/testing/loopback-only.ts';

/** One more than CI's two cores: tests of pages and of databases wait half of their time. */
const oneMoreThanCores = 3;

/** What it judges by the clock is judged beside nothing else. */
const timed = 'e2e/test/start-and-stop.test.ts';

/** Kinds of test by name (docs: STYLE of the house): unit has no I/O, integration has a real database and sockets. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: [loopbackOnly],
          include: [`${everywhere}/*.test.ts`, 'bench/test/*.test.ts', 'tools/*/test/*.test.ts'],
          maxWorkers: '100%', // of the cores; by itself it would leave one of them idle
          isolate: false, // modules are loaded once, not once for each file: half of the time went there
          testTimeout: hangsAfterMs, // properties run thousands of cases, beside other work
          exclude: ['**/*.integration.test.ts', '**/*.browser.test.ts', '**/node_modules/**'],
        },
      },
      {
        test: {
          name: 'integration',
          isolate: false, // for the same reason
          setupFiles: [loopbackOnly],
          include: [`${everywhere}/*.integration.test.ts`, 'tools/*/test/*.integration.test.ts'],
          testTimeout: hangsAfterMs,
          hookTimeout: hangsAfterMs,
          expect: { poll: patience },
          maxWorkers: oneMoreThanCores,
          sequence: { groupOrder: 1 }, // after the unit tests, which take every core
          globalSetup: ['tools/testing/postgres-setup.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          setupFiles: [loopbackOnly],
          include: [`${everywhere}/*.browser.test.ts`],
          testTimeout: hangsAfterMs,
          hookTimeout: hangsAfterMs,
          expect: { poll: patience },
          maxWorkers: 2, // the demo is played beside them
        },
      },
      {
        test: {
          name: 'console',
          setupFiles: [loopbackOnly],
          include: ['e2e/{test,console}/**/*.browser.test.ts'],
          globalSetup: ['tools/testing/console-setup.ts', 'e2e/console/played-demo.ts'],
          testTimeout: hangsAfterMs,
          hookTimeout: 3 * hangsAfterMs, // the hook of a file waits until the demo was played
          expect: { poll: patience },
          maxWorkers: oneMoreThanCores,
          sequence: { groupOrder: 1 }, // after those that need no demo, which is played meanwhile
        },
      },
      {
        test: {
          name: 'house',
          setupFiles: [loopbackOnly],
          include: ['tools/house/*.test.ts'],
          testTimeout: hangsAfterMs,
        },
      },
      {
        test: {
          name: 'e2e',
          setupFiles: [loopbackOnly],
          include: ['e2e/test/**/*.test.ts'],
          exclude: ['**/*.browser.test.ts', timed],
          testTimeout: hangsAfterMs,
          hookTimeout: hangsAfterMs,
          expect: { poll: patience },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'release',
          setupFiles: [loopbackOnly],
          include: ['e2e/release/*.test.ts'],
          testTimeout: hangsAfterMs,
          hookTimeout: hangsAfterMs,
        },
      },
      {
        test: {
          name: 'timed',
          setupFiles: [loopbackOnly],
          include: [timed],
          testTimeout: hangsAfterMs,
          hookTimeout: hangsAfterMs,
        },
      },
    ],
  },
});
