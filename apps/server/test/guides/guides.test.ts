/** What the guides name exists, and what an operator must know is in the guides. */
import { globSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { programToRead } from '../../src/cli/every-command.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { everyMetric } from '../support/every-metric.ts';

const root = new URL('../../../../', import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

const guides = ['README.md', ...globSync('docs/guides/*.md', { cwd: root })].map((path) => ({
  path,
  text: read(path),
}));
/** All pages of the operator's guide. */
const operate = [
  'operate',
  'install',
  'container',
  'database',
  'upgrade',
  'tls',
  'keys',
  'deliveries',
  'monitor',
  'backup-and-restore',
  'retention',
  'troubleshoot',
]
  .map((page) => read(`docs/guides/${page}.md`))
  .join('\n');

const program = await programToRead();

/** Every `ringfence …` of a text, in code, up to the end of the code or its comment. */
function commandLines(text: string): readonly string[] {
  const inBlocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap((match) => match[1]!.split('\n'));
  const inLines = [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
  return [...inBlocks, ...inLines].flatMap((code) => {
    const found = /(?:^|\s)(?:npx )?ringfence ((?:[a-z]|--)[^#|]*)/.exec(code)?.[1];
    return found === undefined ? [] : [found.trim()];
  });
}

/** What is wrong with a command line; `undefined` if its command and its options exist. */
function unknownIn(line: string): string | undefined {
  let command: Command = program;
  const words = line.split(/\s+/);
  while (words.length > 0) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  const isGroup = command.commands.length > 0;
  if (isGroup && words[0] !== undefined && !words[0].startsWith('-')) return words[0];
  const options = command.options.flatMap(({ long, short }) => [long, short]);
  return words.find((word) => word.startsWith('-') && ![...options, '--help', '--version'].includes(word));
}

describe.each(guides)('$path', ({ text }) => {
  it('names only commands and options that exist', () => {
    expect(
      commandLines(text)
        .map((line) => [line, unknownIn(line)])
        .filter(([, unknown]) => unknown !== undefined),
    ).toEqual([]);
  });

  it('names only routes of the management API that exist', () => {
    const named = [
      ...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (?:\/management\/v1\/workspaces\/\{workspace\}|…)(\/[^`?]*)[`?]/g),
    ];
    const known = managementRoutes.map(
      ({ operation: { method, path } }) => `${method} ${path.replace('/workspaces/{workspace}', '')}`,
    );
    expect(named.map(([, method, path]) => `${method} ${path}`).filter((one) => !known.includes(one))).toEqual([]);
  });
});

it('the check finds a command that does not exist', () => {
  expect(unknownIn('deliveries redeliver act_1')).toBeUndefined();
  expect(unknownIn('deliveries replay')).toBe('replay');
  expect(unknownIn('delivery list')).toBe('delivery');
  expect(unknownIn('backup x --force')).toBe('--force');
  expect(commandLines('Type `npx ringfence doctor --json`.\n```sh\nringfence key list # all\n```\n')).toEqual([
    'key list',
    'doctor --json',
  ]);
});

describe('the operator’s guide', () => {
  it('explains every Ringfence metric, and no other', async () => {
    const printed = (await everyMetric().print()).matchAll(/^# HELP (ringfence_\w+)/gm);
    const rows = [...operate.matchAll(/^\| ((?:`ringfence_\w+`(?:, )?)+) \|/gm)].flatMap(([, cell]) => [
      ...cell!.matchAll(/`(\w+)`/g),
    ]);
    const names = (of: Iterable<RegExpExecArray>): readonly string[] => [...of].map((match) => match[1]!).toSorted();
    expect(names(rows)).toEqual(names(printed));
  });

  it('names an alert for exactly the metrics that a rule is about', () => {
    const rows = [...operate.matchAll(/^\| ((?:`ringfence_\w+`(?:, )?)+) \| .*? \| (.*?) \| .*? \|$/gm)];
    const alerted = rows.flatMap(([, cell, alert]) => (alert === '' ? [] : [...cell!.matchAll(/`(\w+)`/g)]));
    const rules = read('deploy/prometheus/rules.yaml').match(/ringfence_[a-z_]+?(?=_bucket|[^a-z_])/g)!;
    expect([...new Set(alerted.map((match) => match[1]!))].toSorted()).toEqual([...new Set(rules)].toSorted());
  });

  it('and the configuration reference name every environment variable', () => {
    const code = read('apps/server/src/config/environment.ts');
    const variables = [...code.matchAll(/variable\('(\w+)'\)/g)].map((match) => match[1]!);
    expect(variables.length).toBeGreaterThan(8);
    const documented = operate + read('docs/reference/configuration.md');
    expect(variables.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('quotes real messages of the service', () => {
    const sources = [
      'apps/server/src/decide/partition-host.ts',
      'apps/server/src/deliver/recorder.ts',
      'apps/server/src/ingest/callers.ts',
      'apps/server/src/platform/http/limit-connections.ts',
      'apps/server/src/api/server/bearer-guard.ts',
      'apps/server/src/service.ts',
      'apps/server/src/platform/observability/health.ts',
      'apps/server/src/platform/database/durability.ts',
      'apps/server/src/platform/database/embedded/owner.ts',
      'apps/server/src/platform/secrets/sealing-key.ts',
      'apps/server/src/platform/secrets/secret-file.ts',
    ].map(read);
    const quoted = [
      ...operate.matchAll(
        /`(the webhook [a-z ]+|a record was [a-z ]+|replayed decisions [a-z ]+|too many [a-z ]+|health [a-z]+)`/g,
      ),
      ...operate.matchAll(/^\| `(belongs [a-z ]+|is not the [a-z ]+|would lose [a-z ]+|can be [a-z ]+)`/gm),
    ].map((match) => match[1]!);
    expect(quoted.length).toBe(14);
    expect(quoted.filter((words) => !sources.some((source) => source.includes(words)))).toEqual([]);
  });
});
