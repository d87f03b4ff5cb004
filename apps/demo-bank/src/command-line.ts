import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** Exit after the stories instead of serving on. */
  readonly exit: boolean;
  /** Rate of the ordinary clients' traffic. */
  readonly seed: number;
  /** Port of the service's public listener; 0 chooses a free one. */
  readonly port: number;
  /** New folder for the files, which stay there; `undefined` for a temporary one. */
  readonly folder: string | undefined;
}

export const help = `npm run demo [-- options]

Starts Ringfence and a small bank beside it, plays ordinary clients and frauds, and shows every action as it reaches
the bank. It takes a minute, because a held payment reaches its deadline. Then it goes on serving until Ctrl+C.

  --exit       end after the stories; exit code 0 only when every expected action arrived as often as expected, and no other
  --seed N     another traffic of ordinary clients (default 1)
  --port N     port of Ringfence (default: a free one)
  --folder F   keep the configuration, secrets, database and log in this new folder (default: a temporary one)
  --help       this text

Examples
  npm run demo
  npm run demo -- --port 8080
  npm run demo -- --exit --seed 7

Exit codes
  0  all went as expected, or stopped while serving
  1  an action was missing, too many or unexpected, or something could not be started
  2  the command line is wrong
  130  stopped by Ctrl+C before the end
`;

const portMax = 65_535;

/** The options, `help`, or an error message. */
export function readCommandLine(args: readonly string[]): DemoOptions | 'help' | { readonly wrong: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        exit: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        port: { type: 'string', default: '0' },
        folder: { type: 'string' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    if (values.help) return 'help';
    const seed = wholeNumber(values.seed, 0xffff_ffff);
    if (seed === undefined) return { wrong: `--seed ${values.seed}: expected a whole number from 0 to 4294967295` };
    const port = wholeNumber(values.port, portMax);
    if (port === undefined) return { wrong: `--port ${values.port}: expected a whole number from 0 to ${portMax}` };
    return { exit: values.exit, seed, port, folder: values.folder };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

function wholeNumber(text: string, max: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value <= max ? value : undefined;
}
