/**
 * The allowed imports between the workspaces:
 *
 *     contract <- models <- policy <- engine
 *     contract <- intel, log, delivery, client, device
 *     log <- log-kafka
 *     packages <- apps        (server: all packages; console and demo-bank: those listed below)
 *
 * `log`, `delivery` and `engine` do not import each other: apps/server connects them. Nothing imports an app.
 * bench and e2e use the product from outside, except for the pure packages that bench measures separately.
 */
export const directions: Readonly<Record<string, readonly string[]>> = {
  '': [],
  'packages/contract': [],
  'packages/models': ['@ringfence/contract'],
  'packages/policy': ['@ringfence/contract', '@ringfence/models'],
  'packages/engine': ['@ringfence/contract', '@ringfence/models', '@ringfence/policy'],
  'packages/intel': ['@ringfence/contract'],
  'packages/log': ['@ringfence/contract'],
  'packages/log-kafka': ['@ringfence/log'],
  'packages/delivery': ['@ringfence/contract'],
  'packages/client': ['@ringfence/contract'],
  'packages/device': ['@ringfence/contract'],
  'apps/server': [
    '@ringfence/contract',
    '@ringfence/models',
    '@ringfence/policy',
    '@ringfence/engine',
    '@ringfence/intel',
    '@ringfence/log',
    '@ringfence/log-kafka',
    '@ringfence/delivery',
  ],
  'apps/console': ['@ringfence/contract', '@ringfence/models', '@ringfence/policy'],
  'apps/demo-bank': ['@ringfence/contract', '@ringfence/client', '@ringfence/device'],
  bench: [
    '@ringfence/contract',
    '@ringfence/models',
    '@ringfence/policy',
    '@ringfence/engine',
    '@ringfence/intel',
    '@ringfence/log',
    '@ringfence/log-kafka',
    '@ringfence/e2e',
  ],
  e2e: ['@ringfence/contract', '@ringfence/client'],
};

/**
 * Exceptions, each with its reason. The whole-system tests need a PostgreSQL that is not the service's own, and only
 * the server has code that starts one.
 */
export const sideDoors: Readonly<Record<string, readonly string[]>> = {
  'e2e/harness/postgres.ts': [
    'apps/server/src/platform/database/database-log.ts',
    'apps/server/src/platform/database/embedded-postgres.ts',
  ],
};

/**
 * The folders of the server, the lowest first: each imports only those before it. docs/architecture.md describes them.
 */
export const serverFolders = [
  'platform',
  'access',
  'tenancy',
  'notifications',
  'policies',
  'records',
  'history',
  'holds',
  'console',
  'outcomes',
  'ingest',
  'decide',
  'deliver',
  'notify',
  'backtest',
  'sealed',
  'api',
  'streams',
  'config',
  'cli',
] as const;
