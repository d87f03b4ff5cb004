import { about, onInstallation } from '../about.ts';
import { type CommonOptions, exitCodes } from '../cli-io.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { printResult } from '../print.ts';
import type { Shell } from '../shell.ts';

interface DoctorOptions extends CommonOptions {
  readonly webhooks?: boolean;
}

export function addDoctorCommand({ program, io, fail }: Shell): void {
  const command = onInstallation(program.command('doctor'))
    .option('--webhooks', 'also send a test action to every webhook')
    .action(async (options: DoctorOptions) => {
      const findings = await examine(io, options);
      printResult(io, options, { json: findings, human: findings.map(findingText).join('') + conclusion(findings) });
      if (findings.some(({ state }) => state === 'bad')) fail(exitCodes.failed);
    });
  about(command, {
    summary: 'Show what is wrong with an installation and how to fix it.',
    details:
      'Checks Node, open files, binaries, configuration, proxies, home, certificates, admin token, log-in methods, database settings, rights of its role, tables and indexes, master key, license keys, clocks, disk, network data, engine, deliveries and retention. Changes nothing.',
    examples: [
      ['ringfence doctor', ''],
      ['ringfence doctor --config ringfence.yaml --webhooks', 'also test every webhook'],
    ],
    failure: 'something is wrong',
  });
}

const marks = { good: 'ok   ', unwise: 'warn ', bad: 'FAIL ' } as const;

function findingText({ state, what, detail, mend }: Finding): string {
  return `${marks[state]}${what}: ${detail}\n${mend === undefined ? '' : `       -> ${mend}\n`}`;
}

function conclusion(findings: readonly Finding[]): string {
  const bad = findings.filter(({ state }) => state === 'bad').length;
  const unwise = findings.filter(({ state }) => state === 'unwise').length;
  if (bad + unwise === 0) return '\nNo problems found.\n';
  return `\nProblems: ${bad}, warnings: ${unwise}.\n`;
}
