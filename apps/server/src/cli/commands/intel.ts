import { resolve } from 'node:path';
import { dayMs } from '@ringfence/contract';
import { type NetworkKind, networkKinds, shippedTable } from '@ringfence/intel';
import type { Command } from 'commander';
import {
  filesInForce,
  type GivenFile,
  installFiles,
  type IntelFile,
  removeFiles,
} from '../../ingest/networks/intel-folder.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about, onInstallation } from '../about.ts';
import type { CliIo, CommonOptions } from '../cli-io.ts';
import { configurationOf } from '../open-installation.ts';
import { instant, printResult, shown, table } from '../print.ts';
import type { Shell } from '../shell.ts';

type UpdateOptions = CommonOptions & Readonly<Partial<Record<NetworkKind, string>>>;

export function addIntelCommands(shell: Shell): void {
  const group = shell.program
    .command('intel')
    .description('Network and location data for IP addresses: update, remove, status.')
    .summary('Network and location data for IP addresses.');
  addUpdate(group, shell);
  addRemove(group, shell);
  addStatus(group, shell);
}

const publishers: Readonly<Record<NetworkKind, string>> = {
  hosting: 'of data centres',
  vpn: 'of VPN exits',
  tor: 'of Tor exits',
  relay: 'of privacy relays',
  proxy: 'of open and commercial proxies',
};

function addUpdate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('update [files...]'));
  for (const kind of networkKinds) command.option(`--${kind} <file>`, `a list ${publishers[kind]}, one per line`);
  command.action((paths: readonly string[], options: UpdateOptions) => {
    const { home } = configurationOf(io, options);
    const given: GivenFile[] = paths.map((path) => ({ kind: 'database', path: resolve(io.folder, path) }));
    for (const kind of networkKinds) {
      const path = options[kind];
      if (path !== undefined) given.push({ kind, path: resolve(io.folder, path) });
    }
    if (given.length === 0) {
      throw new OperatorError('No file was given.', 'Give a database, or a list with its kind: --tor exits.txt');
    }
    const { files, notes } = installFiles(home, given, io.now());
    const told = notes.map((note) => `${shown(note)}\n`).join('');
    const human = `${statusText(io, files)}${told}A running service uses them within 5 seconds.\n`;
    printResult(io, options, { json: files, human });
  });
  about(command, {
    summary: 'Install newer network and location data.',
    details:
      'Nothing is downloaded: get the files yourself. Databases are uncompressed MMDB files: GeoLite2 or DB-IP (country, city, ASN), GeoIP2 Anonymous IP. A file replaces an earlier one of the same name; the others stay. All files are checked first and take effect together. Install them on every machine that ingests events.',
    examples: [
      ['ringfence intel update GeoLite2-City.mmdb GeoLite2-ASN.mmdb', 'cities, and newer network operators'],
      ['ringfence intel update --tor torbulkexitlist --vpn vpn-ipv4.txt', 'today’s lists'],
    ],
    failure: 'a file has the wrong format; nothing was changed',
  });
}

function addRemove(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('remove <names...>')).action(
    (names: readonly string[], options: CommonOptions) => {
      const files = removeFiles(configurationOf(io, options).home, names);
      printResult(io, options, { json: files, human: statusText(io, files) });
    },
  );
  about(command, {
    summary: 'Remove installed network and location data.',
    examples: [['ringfence intel remove GeoLite2-City tor', 'names as in `ringfence intel status`']],
  });
}

function addStatus(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('status')).action((options: CommonOptions) => {
    const files = filesInForce(configurationOf(io, options).home);
    const { date, attribution } = shippedTable().head;
    printResult(io, options, {
      json: { shipped: { date, attribution }, files },
      human: `${statusText(io, files)}Built-in table: ${attribution}.\n`,
    });
  });
  about(command, {
    summary: 'Show which network and location data are in use, and how old they are.',
    examples: [['ringfence intel status', 'is it time for an update?']],
  });
}

function statusText(io: CliIo, files: readonly IntelFile[]): string {
  const age = (atMs: number): string => `${Math.max(0, Math.floor((io.now() - atMs) / dayMs))} days`;
  const shippedAtMs = Date.parse(shippedTable().head.date);
  return table(
    ['NAME', 'FILE', 'AGE OF THE DATA', 'INSTALLED'],
    [
      ...files.map(({ name, source, dataAtMs, installedAtMs }) => [
        name,
        source,
        age(dataAtMs),
        instant(installedAtMs),
      ]),
      ['countries and operators', 'part of this release', age(shippedAtMs), '-'],
    ],
  );
}
