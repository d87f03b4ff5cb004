/**
 * Sends random requests, right ones and wrong ones, to every operation of both OpenAPI documents of a real service, and
 * judges its answers by the documents: no 500, no undocumented status or form, nothing accepted that a schema forbids.
 *
 *     npm run test:fuzz -- [--only ingest|management] [--examples 20] [--seed 1]
 *
 * It needs Python 3.10 with venv and its registry, from which it installs Schemathesis into a temporary folder.
 * `accepted.ts` lists what it reports and is right.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { adminToken } from '../harness/management.ts';
import { licenseKey, openScene, type Scene } from '../harness/scene.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { accepted, leftOut } from './accepted.ts';

const fuzzer = 'schemathesis==4.32.5';
const documents = { ingest: 'openapi.json', management: 'openapi-management.json' } as const;
type Listener = keyof typeof documents;
const workspace = 'bank:production';
const starter = new URL('../../apps/server/policies/starter', import.meta.url).pathname;
const visits = 20;
/** A request that waits for its decision waits 30 s at most. */
const answerSecondsMax = 40;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    examples: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const all = Object.keys(documents) as Listener[];
const chosen = all.filter((name) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  process.stderr.write(`--only is one of ${all.join(', ')}\n`);
  process.exit(2);
}

const work = await temporaryHome('fuzz');
const scene = await openScene({ policy: starter, sessionGraceSeconds: 0 });
let failed = 0;
try {
  await run('python3', ['-m', 'venv', join(work.path, 'python')]);
  const bin = join(work.path, 'python/bin');
  await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', fuzzer]);
  await fill(scene);
  for (const listener of chosen) {
    const code = await run(join(bin, 'schemathesis'), await argumentsOf(listener, scene), [0, 1]);
    if (code !== 0) failed++;
    process.stdout.write(`${listener}: ${code === 0 ? 'no failures' : 'FAILURES'}\n`);
  }
} finally {
  await scene.close();
  await rm(work.path, { recursive: true, force: true });
}
for (const listener of chosen)
  for (const { check, operation = 'all operations', why } of accepted[listener])
    process.stdout.write(`accepted, ${listener}: ${check} of ${operation}: ${why}\n`);
process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Something to list and to read. */
async function fill(scene: Scene): Promise<void> {
  for (let at = 0; at < visits; at++) {
    const [user, session] = [`client-${at}`, `session-${at}`];
    await scene.tell('login', { channelId: 1, user, session, publicIp: `203.0.113.${at}`, data: '' });
    await scene.tell('operation', {
      channelId: 1,
      timestamp: new Date().toISOString(),
      transaction: { category: 'transfer', reference: `r-${at}` },
      account: { client: user, session },
      order: { amount: 100 * at, currency: 'MXN' },
      accountTo: { bank: 'BANK-B', accountNumber: String(at % 3) },
    });
  }
}

async function argumentsOf(listener: Listener, { service }: Scene): Promise<readonly string[]> {
  const document = await placed(listener);
  const settings = join(work.path, `${listener}.toml`);
  await writeFile(settings, settingsOf(listener));
  const [url, key] = listener === 'ingest' ? [service.url, licenseKey] : [service.managementUrl, adminToken];
  const unwanted = accepted[listener].filter(({ operation }) => operation === undefined).map(({ check }) => check);
  const flags = Object.entries({
    url,
    header: `Authorization: Bearer ${key}`,
    phases: 'examples,coverage,fuzzing',
    'max-examples': values.examples,
    seed: values.seed,
    'exclude-checks': unwanted.join(','),
    'generation-database': 'none',
    warnings: 'off',
    'request-timeout': String(answerSecondsMax),
  });
  return [
    '--config-file',
    settings,
    'run',
    document,
    '--no-color',
    ...flags.flatMap(([name, value]) => [`--${name}`, value]),
    ...Object.keys(leftOut).flatMap((id) => ['--exclude-operation-id', id]),
    // One license key is of one environment.
    ...(listener === 'ingest' ? ['--exclude-path-regex', '^/api-dev/'] : []),
  ];
}

/** The document with the workspace in its paths: a random one has nothing to read. */
async function placed(listener: Listener): Promise<string> {
  const text = await readFile(new URL(`../../docs/reference/${documents[listener]}`, import.meta.url), 'utf8');
  const { paths, ...rest } = JSON.parse(text) as { readonly paths: Readonly<Record<string, Methods>> };
  const own = Object.entries(paths).map(([path, methods]) => [
    path.replace('{workspace}', encodeURIComponent(workspace)),
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, withoutWorkspace(operation)])),
  ]);
  const file = join(work.path, documents[listener]);
  await writeFile(file, JSON.stringify({ ...rest, paths: Object.fromEntries(own) }));
  return file;
}

type Methods = Readonly<Record<string, Operation>>;
interface Operation {
  readonly parameters?: readonly { readonly name?: string }[];
}

function withoutWorkspace(operation: Operation): Operation {
  const { parameters } = operation;
  return parameters === undefined
    ? operation
    : { ...operation, parameters: parameters.filter(({ name }) => name !== 'workspace') };
}

function settingsOf(listener: Listener): string {
  return accepted[listener]
    .filter(({ operation }) => operation !== undefined)
    .map(
      ({ check, operation }) =>
        `[[operations]]\ninclude-operation-id = "${operation}"\n[operations.checks]\n${check}.enabled = false\n`,
    )
    .join('');
}

/** Prints what it prints. @throws if it ends with another code than these */
async function run(command: string, args: readonly string[], codes: readonly number[] = [0]): Promise<number> {
  const [code] = (await once(spawn(command, [...args], { cwd: work.path, stdio: 'inherit' }), 'exit')) as [
    number | null,
  ];
  if (code === null || !codes.includes(code)) throw new Error(`${command} ended with code ${String(code)}`);
  return code;
}
