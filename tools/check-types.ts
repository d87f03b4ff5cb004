/**
 * Type-checks every workspace with its own tsconfig: packages/policy and packages/engine are compiled without Node's
 * types, so that code with a clock, a timer or a file does not compile there.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

/** One compiler for each of the two cores of the smallest supported machine. */
const compilersMax = 2;

const projects = [
  'tsconfig.json',
  ...globSync('{packages,apps}/*/{,test/}tsconfig.json').toSorted(), // tests of browser code have their own
  ...globSync('{bench,e2e}/tsconfig.json').toSorted(),
];

/**
 * The compiler's output for one project: "" if it is correct. Printed whole, so that the lines of two compilers never
 * mix.
 */
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

/** Takes projects off the shared queue until it is empty. */
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
