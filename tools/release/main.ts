import { help, readCommandLine } from './command-line.ts';
import { buildRelease } from './build-release.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readCommandLine(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if ('wrong' in options) {
    process.stderr.write(`${options.wrong}\n\n${help}`);
    return 2;
  }
  try {
    await buildRelease(options, (line) => process.stdout.write(`${line}\n`));
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}
