import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { actionText, type Policy, type PolicyPack } from '@ringfence/policy';
import type { Command } from 'commander';
import { loadPack, packNames } from '../../policies/policy-packs.ts';
import { OperatorError } from '../../platform/observability/operator-error.ts';
import { about } from '../about.ts';
import type { CommonOptions } from '../cli-io.ts';
import { printResult, table } from '../print.ts';
import type { Shell } from '../shell.ts';

/** The file of a policy folder that lists the packs it uses. */
const useFile = 'packs.yaml';

export function addPackCommands(policy: Command, shell: Shell): void {
  const group = policy.command('pack').description('Packs of rules that come with Ringfence: list, show, add.');
  addList(group, shell);
  addShow(group, shell);
  addAdd(group, shell);
}

function addList(group: Command, { io }: Shell): void {
  const command = group
    .command('list')
    .option('--json', 'print JSON, for scripts')
    .action((options: CommonOptions) => {
      const packs = packNames().map((name) => ({ ...headOf(name), rules: packOf(name).rules.length }));
      const rows = packs.map(({ name, version, rules, title }) => [name, String(version), String(rules), title]);
      printResult(io, options, { json: packs, human: table(['PACK', 'VERSION', 'RULES', 'TITLE'], rows) });
    });
  about(command, {
    summary: 'List the packs of rules that come with Ringfence.',
    examples: [['ringfence policy pack list', '']],
  });
}

function addShow(group: Command, { io }: Shell): void {
  const command = group
    .command('show')
    .argument('<pack>', 'name of a pack')
    .option('--json', 'print JSON, for scripts')
    .action((name: string, options: CommonOptions) => {
      const { rules, params, actions } = packOf(name);
      const { title, description, version } = headOf(name);
      const ruleRows = rules.map((rule) => [
        String(rule.reason),
        rule.mode,
        rule.then.map(({ action }) => actionText(action, actions)).join(', '),
        rule.name,
      ]);
      const paramRows = params.map((param) => [param.name, param.type, param.initial, param.description ?? '']);
      const human = [
        `${title} (version ${version})\n${description}\n\n`,
        table(['REASON', 'MODE', 'ACTION', 'RULE'], ruleRows),
        params.length === 0 ? '' : `\n${table(['PARAMETER', 'TYPE', 'DEFAULT', 'WHAT IT SETS'], paramRows)}`,
      ].join('');
      const told = rules.map((rule) => ({
        reason: rule.reason,
        name: rule.name,
        mode: rule.mode,
        when: rule.text,
        actions: rule.then.map(({ action }) => action),
        catches: rule.catches,
        falsePositives: rule.falsePositives,
      }));
      printResult(io, options, { json: { name, version, title, description, rules: told, params }, human });
    });
  about(command, {
    summary: 'Show the rules and the thresholds of a pack.',
    examples: [['ringfence policy pack show account-takeover', '']],
  });
}

function addAdd(group: Command, { io }: Shell): void {
  const command = group
    .command('add')
    .argument('<pack>', 'name of a pack')
    .argument('<folder>', 'folder of YAML files')
    .option('--shadow', 'start with all rules of the pack in shadow mode')
    .option('--json', 'print JSON, for scripts')
    .action((name: string, folder: string, options: CommonOptions & { readonly shadow?: boolean }) => {
      const { rules } = packOf(name);
      const path = join(resolve(io.folder, folder), useFile);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : 'use:\n';
      if (!/^use:\n(?: *- .*\n)*/m.test(text) || /^use: *\[/m.test(text)) {
        throw new OperatorError(`${path} has no list under "use:".`, `Add the pack by hand: "- ${name}" under "use:".`);
      }
      const line = options.shadow === true ? `  - { pack: ${name}, mode: shadow }\n` : `  - ${name}\n`;
      const isThere = new RegExp(`^ *- (\\{ *pack: *)?${name}\\b(?!-)`, 'm').test(text);
      if (!isThere) writeFileSync(path, text.replace(/^use:\n/m, `use:\n${line}`));
      const human = isThere
        ? `${path} already uses ${name}.\n`
        : `${path} now uses ${name}: ${rules.length} rules. Next: ringfence policy check, then test.\n`;
      printResult(io, options, { json: { file: path, added: !isThere }, human });
    });
  about(command, {
    summary: 'Add a pack to a policy folder: one line in its packs.yaml.',
    details:
      'The pack is not copied. The folder sets its thresholds under `params`, and changes modes, shares and caps under `overrides`. After an upgrade, the next `policy apply` uses the new release’s pack.',
    examples: [
      ['ringfence policy pack add account-takeover policies/acme --shadow', 'start without requesting actions'],
    ],
  });
}

/** @throws OperatorError when there is no such pack */
function packOf(name: string): Policy {
  const pack = loadPack(name);
  if (pack !== undefined) return pack;
  throw new OperatorError(`There is no pack "${name}".`, `The packs are: ${packNames().join(', ')}.`);
}

function headOf(name: string): PolicyPack {
  return packOf(name).packs[0]!;
}
