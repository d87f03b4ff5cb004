import { defineConfig } from 'vitest/config';

const everywhere = '{packages,apps}/*/test/**';

/** Kinds of test by name (docs: STYLE of the house): unit has no I/O, integration has a real database and sockets. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${everywhere}/*.test.ts`, 'bench/test/*.test.ts'],
          testTimeout: 30_000, // properties run thousands of cases, beside other work
          exclude: ['**/*.integration.test.ts', '**/*.browser.test.ts', '**/node_modules/**'],
        },
      },
      {
        test: {
          name: 'integration',
          include: [`${everywhere}/*.integration.test.ts`],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          globalSetup: ['tools/testing/postgres-setup.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          include: [`${everywhere}/*.browser.test.ts`, 'e2e/{test,console}/**/*.browser.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      { test: { name: 'house', include: ['tools/house/*.test.ts'] } },
      {
        test: {
          name: 'e2e',
          include: ['e2e/test/**/*.test.ts'],
          exclude: ['**/*.browser.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
});
