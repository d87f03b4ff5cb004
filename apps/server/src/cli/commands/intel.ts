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
    .description('Data that addresses are looked up in: update, remove, status.')
    .summary('Data of networks and places.');
  addUpdate(group, shell);
  addRemove(group, shell);
  addStatus(group, shell);
}

const publishers: Readonly<Record<NetworkKind, string>> = {
  hosting: 'of data centres',
  vpn: 'of VPN exits',
  tor: 'of Tor exits',
  relay: 'of privacy relays',
  proxy: 'of open and sold proxies',
};

function addUpdate(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('update [files...]'));
  for (const kind of networkKinds) command.option(`--${kind} <file>`, `a list ${publishers[kind]}, one a line`);
  command.action((paths: readonly string[], options: UpdateOptions) => {
    const { home } = configurationOf(io, options);
    const given: GivenFile[] = paths.map((path) => ({ kind: 'database', path: resolve(io.folder, path) }));
    for (const kind of networkKinds) {
      const path = options[kind];
      if (path !== undefined) given.push({ kind, path: resolve(io.folder, path) });
    }
    if (given.length === 0) {
      throw new OperatorError('No file was named.', 'Name a database, or a list with its kind: --tor exits.txt');
    }
    const { files, notes } = installFiles(home, given, io.now());
    const told = notes.map((note) => `${shown(note)}\n`).join('');
    const human = `${statusText(io, files)}${told}A running service takes them over within 5 seconds.\n`;
    printResult(io, options, { json: files, human });
  });
  about(command, {
    summary: 'Put newer data of networks and places in force.',
    details:
      'Nothing is fetched: bring the files from wherever you may. Databases are of the MMDB format, unpacked: GeoLite2 or DB-IP (country, city, ASN), GeoIP2 Anonymous IP. Another file of the same name takes its place; the others stay. All of them are checked first, and they come in force together. Give the files to each machine that takes events.',
    examples: [
      ['ringfence intel update GeoLite2-City.mmdb GeoLite2-ASN.mmdb', 'cities, and newer operators'],
      ['ringfence intel update --tor torbulkexitlist --vpn vpn-ipv4.txt', 'the lists of today'],
    ],
    failure: 'a file is none of its kind; nothing was changed',
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
    summary: 'Take data of networks and places out of force.',
    examples: [['ringfence intel remove GeoLite2-City tor', 'what `ringfence intel status` names so']],
  });
}

function addStatus(group: Command, { io }: Shell): void {
  const command = onInstallation(group.command('status')).action((options: CommonOptions) => {
    const files = filesInForce(configurationOf(io, options).home);
    const { date, attribution } = shippedTable().head;
    printResult(io, options, {
      json: { shipped: { date, attribution }, files },
      human: `${statusText(io, files)}The table that ships: ${attribution}.\n`,
    });
  });
  about(command, {
    summary: 'Say which data of networks and places are in force, and how old they are.',
    examples: [['ringfence intel status', 'is it time for newer ones?']],
  });
}

function statusText(io: CliIo, files: readonly IntelFile[]): string {
  const age = (atMs: number): string => `${Math.max(0, Math.floor((io.now() - atMs) / dayMs))} days`;
  const shippedAtMs = Date.parse(shippedTable().head.date);
  return table(
    ['NAME', 'FILE', 'AGE OF THE DATA', 'GIVEN'],
    [
      ...files.map(({ name, source, dataAtMs, installedAtMs }) => [
        name,
        source,
        age(dataAtMs),
        instant(installedAtMs),
      ]),
      ['countries and operators', 'ships with this release', age(shippedAtMs), '-'],
    ],
  );
}
