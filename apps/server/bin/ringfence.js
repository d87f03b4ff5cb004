#!/usr/bin/env node
// Plain JavaScript that any Node since 14 can read, so that an outdated one prints a readable error.

// The oldest Node that runs this program; the same as in package.json.
const oldest = [24, 12];

// Name servers that hang keep a thread each, for 10 s and more, and look-ups get half of the threads. With the 4 that Node
// has by itself, the dead names of two banks would keep all others waiting, and the connections to the database.
process.env.UV_THREADPOOL_SIZE ??= '16';

// By then everything that a start needs has been compiled.
const flushMs = 5000;

const [major, minor] = process.versions.node.split('.').map(Number);

if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  // What was compiled once is kept beside the program, where only who installed it can write: a start takes half the
  // time, also the one after a crash. Where nothing can be written, nothing is kept.
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  enableCompileCache(new URL('../.compiled', import.meta.url).pathname);
  // Else it is written at a clean end only, which a process that is killed never has.
  setTimeout(flushCompileCache, flushMs).unref();
  await import('../src/main.ts');
} else {
  process.stderr.write(
    `Ringfence needs Node.js ${oldest.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).\n` +
      'In a checkout "npm ci" brings the right one along: then "npm start", or "npx ringfence <command>".\n' +
      'Else get it from https://nodejs.org/en/download\n',
  );
  process.exitCode = 1;
}
