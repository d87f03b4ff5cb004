/**
 * Type-checks every room under its own tsconfig: packages/policy and packages/engine are compiled without
 * Node's types, so that a clock, a timer or a file there does not compile.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

/** One compiler each for the two cores of the smallest machine that is supported. */
const compilersMax = 2;

const projects = [
  'tsconfig.json',
  ...globSync('{packages,apps}/*/{,test/}tsconfig.json').toSorted(), // tests of code for browsers have their own
  ...globSync('{bench,e2e}/tsconfig.json').toSorted(),
];

/** What the compiler says of one project: "" when it checks. Shown whole, so that two compilers never mix their lines. */
function check(project: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('tsc', ['--noEmit', '--pretty', '-p', project], { stdio: ['ignore', 'pipe', 'pipe'] });
    const said: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0 ? '' : `${Buffer.concat(said).toString()}exit code ${code}\n`));
  });
}

/** Takes projects off the one queue until it is empty. */
async function work(queue: string[]): Promise<void> {
  for (let project = queue.shift(); project !== undefined; project = queue.shift()) {
    const complaint = await check(project);
    if (complaint === '') continue;
    process.exitCode = 1;
    process.stderr.write(`types: ${project} does not check\n${complaint}`);
  }
}

const queue = [...projects];
await Promise.all(Array.from({ length: compilersMax }, () => work(queue)));
