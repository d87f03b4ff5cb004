/** Rules for every file, whatever its purpose. Each rule is shown a violation. */
import { describe, expect, it } from 'vitest';
import { adapterFindings, adapters } from './rules/adapters.ts';
import { deciding, determinismFindings, excused } from './rules/determinism.ts';
import { tidyFindings } from './rules/tidy.ts';
import { sourceFile, sourceFiles } from './source-file.ts';

const files = sourceFiles();
/** This file contains violations. */
const shown = files.filter(({ path }) => path !== 'tools/house/tidy.test.ts');

describe('every file', () => {
  it('has a readable size and a descriptive name, and is finished', () => {
    expect(shown.flatMap((file) => tidyFindings(file))).toEqual([]);
  });

  it('that is a command or a route leaves SQL to the domain', () => {
    const own = files.filter(({ path }) => adapters.test(path));
    expect(own.length).toBeGreaterThan(0);
    expect(own.flatMap((file) => adapterFindings(file))).toEqual([]);
  });

  it('of packages/models, packages/policy and packages/engine is deterministic', () => {
    const decisive = files.filter(({ path }) => deciding.test(path));
    expect(decisive.length).toBeGreaterThan(0);
    const breaches = decisive.filter((file) => determinismFindings(file).length > 0);
    const unexcused = breaches.filter(({ path }) => excused[path] === undefined);
    expect(unexcused.flatMap((file) => determinismFindings(file))).toEqual([]);
    expect(Object.keys(excused).toSorted()).toEqual(breaches.map(({ path }) => path));
  });
});

describe('a violation of tidiness is found', () => {
  it.each([
    ['a file of 501 lines', 'packages/log/src/log.ts', '\n'.repeat(501)],
    ['a test of 801 lines', 'packages/log/test/log.test.ts', '\n'.repeat(801)],
    ['a drawer', 'packages/log/src/utils.ts', ''],
    ['a camel', 'packages/log/src/logHead.ts', ''],
    ['a reminder', 'packages/log/src/log.ts', '// TODO: fsync'],
    ['a rule switched off silently', 'packages/log/src/log.ts', '// oxlint-disable-next-line no-console'],
    ['a type error switched off silently', 'packages/log/src/log.ts', '// @ts-expect-error'],
    ['a path of one machine', 'packages/log/src/log.ts', "const home = '/home/maria/logs';"],
    ['the only test', 'packages/log/test/log.test.ts', "it.only('appends', () => {});"],
    ['a skipped table', 'packages/log/test/log.test.ts', "describe.skip.each([])('x', () => {});"],
  ])('%s', (_, path, text) => {
    expect(tidyFindings(sourceFile(path, text))).toHaveLength(1);
  });

  it.each([
    ['a rule switched off with a reason', '// oxlint-disable-next-line no-console -- the command prints its result'],
    ['a skip that says why', "it('survives', ({ skip }) => skip('memory only'));"],
    ['a path every machine has', "const home = '/var/lib/ringfence';"],
  ])('but not %s', (_, text) => {
    expect(tidyFindings(sourceFile('packages/log/test/log.test.ts', text))).toEqual([]);
  });
});

describe('SQL in a command or a route is found', () => {
  it.each(['await pool.query(`select 1`);', 'pool.query<Row>(text);', 'await inTransaction(pool, work);'])(
    '%s',
    (text) => {
      expect(adapterFindings(sourceFile('apps/server/src/cli/commands/key.ts', text))).toHaveLength(1);
    },
  );

  it('but not a query of a request', () => {
    const text = 'route(operation, ({ query }) => list(request.query, query));';
    expect(adapterFindings(sourceFile('apps/server/src/api/keys/key-routes.ts', text))).toEqual([]);
  });
});

describe('a violation of determinism is found', () => {
  it.each([
    'new Date()',
    'Date.now()',
    'Intl.NumberFormat',
    'Math.random()',
    'Math.log(2)',
    'x ** y',
    'amount.toLocaleString()',
    'a.localeCompare(b)',
    "name.normalize('NFC')",
    'name.toLowerCase()',
    'globalThis.crypto',
    'setTimeout(f, 1)',
    'async () => {}',
    'error.stack',
    String.raw`/\p{L}/u`,
  ])('%s', (text) => {
    expect(determinismFindings(sourceFile('packages/engine/src/step.ts', `f(${text});`))).not.toEqual([]);
  });

  it.each([
    'Math.floor(x / y)',
    '10n ** places',
    '2 ** 53',
    'record.Date',
    '({ Date: 1 })',
    "'Date.now()'",
    '/[a-z]/u',
  ])('but not %s', (text) => {
    expect(determinismFindings(sourceFile('packages/engine/src/step.ts', `f(${text});`))).toEqual([]);
  });
});
