/**
 * Generates clients in Java, Python and Go from both OpenAPI documents with openapi-generator, compiles them, and plays
 * a login and an operation with them against a real service.
 *
 *     npm run test:generated -- [--only java|python|go] [--keep]
 *
 * It needs Java 17, Maven, Python 3.9 with venv, Go 1.23, and their registries: Maven brings the generator. Nothing else
 * in this repository needs them. `--keep` leaves the generated clients in a temporary folder.
 *
 * To play another step, add it to all three `programs/`, and what it must see to `expected`.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { adminToken } from '../harness/management.ts';
import { licenseKey, openScene, type Scene } from '../harness/scene.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { type Language, languages } from './languages.ts';

const generatorVersion = '7.17.0';
const documents = { ingest: 'openapi.json', management: 'openapi-management.json' };
/** Far longer than the slowest step, a first run of Maven that fetches everything. */
const stepMsMax = 600_000;
const outputBytesMax = 64 * 1024 * 1024;
const linesShownMax = 40;

const policy = {
  'policy.yaml': `rules:
  - reason: 501
    name: A suspicious operation closes its session
    on: [operation]
    when: transaction.category == "suspicious"
    then: { action: 2, message: "Closed" }
    mode: live
`,
};

/** What every program must see. */
const expected = {
  login: 'accepted',
  operation: 'decided',
  fired: 501,
  action: 2,
  matched: true,
  refused: 422,
  status: 'decided',
};

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } } });
const chosen = languages.filter(({ name }) => values.only === undefined || values.only === name);
if (chosen.length === 0) {
  process.stderr.write(`--only is one of ${languages.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const work = await temporaryHome('generated');
const scene = await openScene({ policy });
let failed = 0;
try {
  const generator = await fetchGenerator();
  for (const language of chosen) {
    const began = performance.now();
    const fault = await tried(language, generator).catch((error: unknown) => String(error));
    if (fault !== undefined) failed++;
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    process.stdout.write(`${language.name}: ${fault ?? 'generated, compiled, played'}, ${seconds} s\n`);
  }
} finally {
  await scene.close();
  if (values.keep) process.stdout.write(`kept in ${work.path}\n`);
  else await rm(work.path, { recursive: true, force: true });
}
process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** @returns the path of the program */
async function fetchGenerator(): Promise<string> {
  const artifact = `org.openapitools:openapi-generator-cli:${generatorVersion}`;
  const settings = [`-Dartifact=${artifact}`, `-DoutputDirectory=${work.path}`];
  await run('mvn', ['-B', '-q', 'dependency:copy', ...settings], { folder: work.path });
  return join(work.path, `openapi-generator-cli-${generatorVersion}.jar`);
}

/** @returns what went wrong; `undefined` if nothing did */
async function tried(language: Language, generator: string): Promise<string | undefined> {
  const folder = join(work.path, language.name);
  await mkdir(folder);
  for (const client of ['ingest', 'management'] as const) {
    const document = join(import.meta.dirname, '../../docs/reference', documents[client]);
    const place = ['generate', '-i', document, '-o', join(folder, client), '-g', language.name];
    await run('java', ['-jar', generator, ...place, ...language.options(client)], { folder });
  }
  for (const [path, text] of Object.entries(language.files)) await writeFile(join(folder, path), text);
  for (const [from, to] of language.copies) await cp(join(folder, from), join(folder, to), { recursive: true });
  await cp(join(import.meta.dirname, 'programs', language.program), join(folder, language.programPlace));
  for (const [command, ...args] of language.build) await run(command, args, { folder });
  const [command, ...args] = language.run;
  const { stdout } = await run(command, args, { folder, env: environment(language, scene) });
  const { amount, ...seen } = JSON.parse(stdout) as Record<string, unknown>;
  if (!isDeepStrictEqual(seen, { ...expected })) return `saw ${stdout.trim()}`;
  return amount === language.amount ? undefined : `the amount ${language.amount} arrived as ${String(amount)}`;
}

function environment({ amount }: Language, { service }: Scene): Readonly<Record<string, string>> {
  return {
    INGEST_URL: service.url,
    MANAGEMENT_URL: service.managementUrl,
    LICENSE_KEY: licenseKey,
    MANAGEMENT_TOKEN: adminToken,
    AMOUNT: amount,
  };
}

interface Where {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws with the end of its output if it fails */
async function run(command: string, args: readonly string[], { folder, env }: Where): Promise<{ stdout: string }> {
  const options = { cwd: folder, env: { ...process.env, ...env }, timeout: stepMsMax, maxBuffer: outputBytesMax };
  return promisify(execFile)(command, [...args], options).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-linesShownMax).join('\n');
    // Without output it could not be started: the program is not installed.
    throw new Error(`${command} failed: ${lines === '' ? String(error) : lines}`, { cause: error });
  });
}
